// Alarms come alive: at the end of each period the rules that are switched on are judged, and changes are told.
import type { Scene } from '../protocol.ts';
import { lasting } from '../rds/operations.ts';
import { publish } from '../smn/publish.ts';
import { note, schedule } from '../world.ts';
import { alarmMessage, type Cause } from './alarm-message.ts';
import { judge } from './judge.ts';
import { findSeries, rolledUp, samplesIn, stepMs } from './series.ts';
import type { Alarm, AlarmAction } from './types.ts';

const EVENTS = 0;
const MAX_RECORDS = 5_000;

const isWatching = ({ isEnabled, condition }: Alarm): boolean => isEnabled && condition.period !== EVENTS;

/** One appointment for all rules: the next end of a period of any of them. */
export function planEvaluation(scene: Scene, alarms: readonly Alarm[]): void {
  const { world, now } = scene;
  const watching = alarms.filter(isWatching);
  if (watching.length === 0) return;
  const delayMs = lasting(scene, scene.settings.alarmDelayMs);
  const ends = watching.map(({ condition }) => {
    const step = stepMs(scene, condition.period);
    return (Math.floor((now - delayMs) / step) + 1) * step;
  });
  const at = Math.min(...new Set(ends)) + delayMs;
  const planned = world.pending.find(({ kind }) => kind === 'evaluation');
  if (planned && planned.at <= at) return;
  world.pending = world.pending.filter(({ kind }) => kind !== 'evaluation');
  schedule(world, { at, kind: 'evaluation' });
}

export function evaluate(scene: Scene): void {
  const periodEnd = scene.now - lasting(scene, scene.settings.alarmDelayMs);
  for (const alarm of Object.values(scene.world.alarms))
    if (isWatching(alarm) && periodEnd % stepMs(scene, alarm.condition.period) === 0)
      evaluateOne(scene, alarm, periodEnd);
  planEvaluation(scene, Object.values(scene.world.alarms));
}

function evaluateOne(scene: Scene, alarm: Alarm, periodEnd: number): void {
  const points = pointsBefore(scene, alarm, periodEnd);
  const state = judge(
    alarm.state,
    alarm.condition,
    points.map(({ value }) => value),
  );
  const hasChanged = state !== alarm.state;
  const cause = { points, unit: unitOf(scene, alarm), isRepeated: !hasChanged };
  if (hasChanged) change(scene, alarm, state);
  if (state === 'alarm' && (hasChanged || isDueAgain(scene, alarm))) {
    alarm.toldAt = scene.now;
    tell(scene, alarm, alarm.alarmActions, cause);
  }
  if (state === 'ok' && hasChanged && alarm.toldAt !== undefined) {
    alarm.toldAt = undefined;
    tell(scene, alarm, alarm.okActions, cause);
  }
}

function pointsBefore(scene: Scene, alarm: Alarm, periodEnd: number): Cause['points'] {
  const { period, count, filter } = alarm.condition;
  const series = findSeries(scene.world, alarm.projectId, alarm.metric);
  const step = stepMs(scene, period);
  const rawMs = stepMs(scene, 1);
  return Array.from({ length: count }, (_, index) => {
    const time = periodEnd - (count - index) * step;
    const samples = series ? samplesIn(series, time, time + step, rawMs) : [];
    return {
      time,
      value: rolledUp(
        samples.map(({ value }) => value),
        filter,
      ),
    };
  });
}

const unitOf = ({ world }: Scene, { condition, projectId, metric }: Alarm): string =>
  condition.unit || (findSeries(world, projectId, metric)?.unit ?? '');

function change({ world, now }: Scene, alarm: Alarm, state: Alarm['state']): void {
  const { id, projectId, name, level } = alarm;
  alarm.state = state;
  alarm.changedAt = now;
  world.alarmRecords.push({ alarmId: id, projectId, name, level, state, at: now });
  if (world.alarmRecords.length > MAX_RECORDS) world.alarmRecords.shift();
  note(world, { at: now, kind: `alarm-${state}`, instanceId: alarm.metric.dimensions[0]?.value ?? '', name });
}

/** An alarm that lasts is told again after its time of suppression; 0 means once only. */
function isDueAgain(scene: Scene, { toldAt, condition: { suppressSeconds } }: Alarm): boolean {
  if (suppressSeconds === 0 || toldAt === undefined) return false;
  return scene.now >= toldAt + lasting(scene, suppressSeconds * 1_000);
}

function tell(scene: Scene, alarm: Alarm, actions: readonly AlarmAction[], cause: Cause): void {
  if (!alarm.hasActions) return;
  const { subject, message } = alarmMessage(alarm, cause, scene.now);
  for (const { type, notificationList } of actions)
    if (type === 'notification')
      for (const urn of notificationList) publish(scene, urn, { subject, message }, { by: 'ces' });
}
