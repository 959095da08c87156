// What status and the condition AutopilotReady say. Where only measured values could tell, and none were read in this
// call, the last word stands.

import type { Instance } from '../../../otc/cloud.ts';
import { type Autopilot, autopilotOf } from '../../../rds/autopilot.ts';
import { type ConditionWish, findCondition, isoTime } from '../../../rds/conditions.ts';
import type { Reason } from '../../../rds/reasons.ts';
import type { Scale, ScaleStep } from '../../../rds/scale.ts';
import type { RdsStatus } from '../../../rds/status.ts';
import type { Case } from '../changes/wish.ts';
import { stateOf } from '../instance-state.ts';
import type { Observed, WatchView } from '../observed.ts';
import { readJournal } from '../remembered.ts';
import { failureReason, steadyFailureText } from '../words.ts';
import { hasAllAlarms, keptIds } from './alarms.ts';
import { autopilotProblems } from './bounds.ts';
import { foresight } from './foresight.ts';
import { judge } from './judge.ts';
import { openCapacity } from './open-capacity.ts';

/** Told from values that a cheap look does not read. */
export const BY_VALUES: readonly Reason[] = ['Recommendation', 'AtBound'];

export const saidBefore = ({ rds }: Pick<Observed, 'rds'>) =>
  findCondition(rds.status?.conditions, 'AutopilotReady');

const wish = (status: ConditionWish['status'], reason: Reason, message: string): ConditionWish => ({
  type: 'AutopilotReady',
  status,
  reason,
  message,
});

export function autopilotConditions(o: Observed, instance: Instance): ConditionWish[] {
  const details = o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details : {};
  const one: Case = { o, instance, details };
  const autopilot = autopilotOf(o.spec);
  const told = autopilot.mode === 'Off' ? whenOff(o) : whenOn(one, autopilot);
  const days = autopilot.mode === 'Off' ? [] : foresight(o, instance, details.watch?.usedGb);
  return told ? [told, ...days] : days;
}

/** An Rds that never had one needs no word about it. */
function whenOff(o: Observed): ConditionWish | undefined {
  const journal = readJournal(o);
  const before = saidBefore(o);
  if (!before && !journal?.watch) return undefined;
  // What is off stays off with every later spec: a word that waits for the next look would be late.
  if (!journal) return before?.reason === 'AutopilotOff' ? OFF : undefined;
  return journal.watch
    ? wish('False', 'AutopilotPreparing', 'The autopilot is off; its alarms are being removed.')
    : OFF;
}

const OFF = wish('False', 'AutopilotOff', 'The autopilot is off.');

function whenOn(one: Case, autopilot: Autopilot): ConditionWish | undefined {
  const { o, instance, details } = one;
  const problems = autopilotProblems(autopilot, instance, details.flavors);
  if (problems.length > 0) {
    const text = problems.map(({ field, message }) => `${field} ${message}`).join('; ');
    return wish('False', 'AutopilotInvalid', `The autopilot does nothing until this is corrected: ${text}.`);
  }
  const { watch } = details;
  if (!watch) return undefined;
  if (watch.failure) return failed(o, watch);
  if (!hasAllAlarms(watch)) {
    return o.cloud.kind === 'fresh'
      ? wish('False', 'AutopilotPreparing', 'The alarms for disk, cpu and memory are being made.')
      : undefined;
  }
  const move = moving(one);
  if (move === 'asBefore') return undefined;
  return move ?? byValues(one, autopilot, watch) ?? watching(o, autopilot, watch);
}

/** Bad news of one replica must not take turns with the good news of another. */
const GOOD_NEWS_HOLDS_MS = 60_000;

function failed(o: Observed, { failure }: WatchView): ConditionWish | undefined {
  const before = saidBefore(o);
  if (!failure) return undefined;
  const age = before ? o.nowMs - Date.parse(before.lastTransitionTime) : GOOD_NEWS_HOLDS_MS;
  if (before?.status === 'True' && age >= 0 && age < GOOD_NEWS_HOLDS_MS) return undefined;
  const text = steadyFailureText(failure, before?.message);
  return wish('Unknown', failureReason(failure), `Cloud Eye cannot be asked: ${text}.`);
}

function moving(one: Case): ConditionWish | 'asBefore' | undefined {
  const { o, instance } = one;
  const journal = readJournal(o);
  if (!journal) return saidBefore(o)?.reason === 'Scaling' ? 'asBefore' : undefined;
  // What is complete may still be noted as moving: nobody has looked since.
  const isOver = !stateOf(instance).transitional && openCapacity(one).length === 0;
  if (!journal.scale?.isMoving || isOver) return undefined;
  const [last] = journal.scale.history ?? [];
  const isOwn = last !== undefined && last.at === journal.scale.decidedAt && targetOf(journal.scale);
  return isOwn ? scaling(last) : wish('True', 'Scaling', 'Disk or machine change.');
}

export const scaling = ({ what, because }: ScaleStep): ConditionWish =>
  wish('True', 'Scaling', `${what}: ${because}.`);

const targetOf = ({ volumeGb, flavor }: Scale): boolean => volumeGb !== undefined || flavor !== undefined;

function byValues(one: Case, autopilot: Autopilot, watch: WatchView): ConditionWish | undefined {
  const { o } = one;
  const before = saidBefore(o);
  if (o.cloud.kind !== 'fresh' || !(watch.readings || watch.quiet)) {
    const stands = before && BY_VALUES.includes(before.reason as Reason);
    return stands ? wish(before.status, before.reason as Reason, before.message) : undefined;
  }
  const scale = readJournal(o)?.scale ?? {};
  const { decision, bounds } = judge({ one, autopilot, watch, at: o.cloud.at, scale });
  if (decision && autopilot.mode === 'Recommend') {
    const stem = `The autopilot would change ${decision.what}`;
    return steady(o, wish('True', 'Recommendation', `${stem}: ${decision.because}.`), stem);
  }
  const [bound] = bounds;
  if (bound === undefined) return undefined;
  return steady(o, wish('False', 'AtBound', `${bound}.`), bound.replace(/^.*?; /, ''));
}

/** The values move from call to call; the text of the first stays. */
function steady(o: Observed, next: ConditionWish, stem: string): ConditionWish {
  const before = saidBefore(o);
  const isSame = before?.reason === next.reason && before.message.includes(stem);
  return isSame ? { ...next, message: before.message } : next;
}

function watching(o: Observed, autopilot: Autopilot, watch: WatchView): ConditionWish | undefined {
  const { endpoint, mode } = autopilot;
  const how = mode === 'Act' ? 'and acts' : 'and only tells';
  const message = `The autopilot watches disk, cpu and memory ${how}.`;
  if (endpoint === undefined || watch.subscription === 'confirmed') return wish('True', 'Watching', message);
  const before = saidBefore(o);
  if (watch.subscription === undefined && before?.reason === 'Watching')
    return wish('True', 'Watching', message);
  const why =
    watch.subscription === 'canceled'
      ? 'has canceled its subscription'
      : 'has not confirmed its subscription';
  return wish('True', 'PushUnconfirmed', `${message} Alarms are not pushed: spec.endpoint ${why}.`);
}

export function autopilotStatus(o: Observed): Partial<RdsStatus> {
  const isOn = autopilotOf(o.spec).mode !== 'Off';
  const isTold = isOn || o.rds.status?.autopilot !== undefined;
  return {
    ...(isTold ? { autopilot: isOn } : {}),
    ...alarmIds(o, isOn),
  };
}

function alarmIds(o: Observed, isOn: boolean): Partial<RdsStatus> {
  const watch = o.cloud.kind === 'fresh' ? o.cloud.details.watch : undefined;
  if (!isOn && readJournal(o) && !readJournal(o)?.watch) return { alarms: undefined } as Partial<RdsStatus>;
  if (!watch || watch.at === 0) return {};
  const ids = keptIds(watch);
  return ids.length > 0 ? { alarms: ids } : ({ alarms: undefined } as Partial<RdsStatus>);
}

/** A copy of the journal, whatever else a call does. */
export function reportedScaling(scale: Scale | undefined): Partial<RdsStatus> {
  if (!scale?.history && !scale?.volumeGb && !scale?.flavor) return {};
  const { volumeGb, flavor, history = [] } = scale;
  const over = { ...(volumeGb && { volumeGb: volumeGb.over }), ...(flavor && { flavor: flavor.over }) };
  return {
    scaling: {
      ...(volumeGb && { volumeGb: volumeGb.to }),
      ...(flavor && { flavor: flavor.to }),
      ...(volumeGb || flavor ? { over } : {}),
      history: history.map(({ at, what, because }) => ({
        at: isoTime(at),
        what: what.slice(0, 128),
        because: because.slice(0, 256),
      })),
    },
  };
}
