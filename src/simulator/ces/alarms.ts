// Alarm rules: made, listed, changed, switched and deleted. Names may repeat.
import { bodyOf, flag, queryInteger } from '../fields.ts';
import { type Answer, type Call, empty, json, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { alarmShape, changedRule, oneOf, readRule } from './alarm-fields.ts';
import { planEvaluation } from './evaluation.ts';
import { ALARM_STATES, type Alarm } from './types.ts';

const ownAlarms = ({ world, identity }: Call): Alarm[] =>
  Object.values(world.alarms).filter(({ projectId }) => projectId === identity.projectId);

function alarmOf(call: Call): Alarm {
  const alarm = call.world.alarms[param(call, 'id')];
  if (!alarm || alarm.projectId !== call.identity.projectId)
    throw refuse(404, 'ces.0016', 'The alarm rule does not exist.');
  return alarm;
}

export function createAlarm(call: Call): Answer {
  const rule = readRule(bodyOf(call));
  if (ownAlarms(call).length >= call.settings.alarmQuota)
    throw refuse(403, 'ces.0018', 'The quota of alarm rules is exceeded.');
  const id = `al${Math.floor(call.now)}${call.random.hex(9)}`;
  const projectId = call.identity.projectId ?? '';
  const beginning = { state: 'insufficient_data', changedAt: call.now, toldAt: undefined } as const;
  const alarm: Alarm = { ...rule, id, projectId, ...beginning };
  call.world.alarms[id] = alarm;
  planEvaluation(call, [alarm]);
  return json(201, { alarm_id: id });
}

/** Newest first unless told; goes on AFTER the alarm named by `start`. */
export function listAlarms(call: Call): Answer {
  const limit = queryInteger(call.query, 'limit', { default: 100, min: 1, max: 100 });
  const order = oneOf(['asc', 'desc'], call.query.get('order') || 'desc', 'order');
  const alarms = ownAlarms(call);
  if (order === 'desc') alarms.reverse();
  const start = call.query.get('start') ?? '';
  const after = start === '' ? -1 : alarms.findIndex(({ id }) => id === start);
  if (start !== '' && after < 0) throw new BadField('start', 'there is no such alarm rule');
  const page = alarms.slice(after + 1, after + 1 + limit);
  return json(200, {
    metric_alarms: page.map(alarmShape),
    meta_data: { count: page.length, total: alarms.length, marker: page.at(-1)?.id ?? '' },
  });
}

/** One alarm, in a list. */
export const showAlarm = (call: Call): Answer => json(200, { metric_alarms: [alarmShape(alarmOf(call))] });

export function updateAlarm(call: Call): Answer {
  const alarm = alarmOf(call);
  Object.assign(alarm, changedRule(alarm, bodyOf(call)));
  planEvaluation(call, [alarm]);
  return empty(204);
}

export function switchAlarm(call: Call): Answer {
  const alarm = alarmOf(call);
  alarm.isEnabled = flag(bodyOf(call), 'alarm_enabled');
  planEvaluation(call, [alarm]);
  return empty(204);
}

export function deleteAlarm(call: Call): Answer {
  delete call.world.alarms[alarmOf(call).id];
  return empty(204);
}

export function listRecords(call: Call): Answer {
  const { query, world, identity, now } = call;
  const whenever = { min: 0, max: Number.MAX_SAFE_INTEGER };
  const from = queryInteger(query, 'from', { default: 0, ...whenever });
  const to = queryInteger(query, 'to', { default: now, ...whenever });
  const start = queryInteger(query, 'start', { default: 0, ...whenever });
  const limit = queryInteger(query, 'limit', { default: 100, min: 1, max: 100 });
  const status = query.get('alarm_status');
  if (status) oneOf(ALARM_STATES, status, 'alarm_status');
  const records = world.alarmRecords
    .filter(({ projectId, at }) => projectId === identity.projectId && at >= from && at <= to)
    .filter(({ alarmId }) => !query.get('alarm_id') || alarmId === query.get('alarm_id'))
    .filter(({ state }) => !status || state === status)
    .reverse();
  return json(200, {
    alarm_histories: records.slice(start, start + limit).map((record) => ({
      alarm_id: record.alarmId,
      alarm_name: record.name,
      alarm_level: record.level,
      alarm_status: record.state,
      update_time: record.at,
    })),
    meta_data: { total: records.length },
  });
}
