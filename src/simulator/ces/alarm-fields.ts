// An alarm rule as callers write and read it. Which values are allowed is said here.
import { type JsonObject, list, object, objects, optionalInteger, optionalText, text } from '../fields.ts';
import { BadField } from '../refusal.ts';
import { type Alarm, type AlarmAction, type Condition, FILTERS, type Metric, OPERATORS } from './types.ts';

export const PERIODS = [1, 300, 1200, 3600, 14400, 86400];
const SUPPRESS_SECONDS = [0, 300, 600, 900, 1800, 3600, 10800, 21600, 43200, 86400];
const MAX_TOPICS = 5;
const topicPattern = /^urn:smn:[A-Za-z0-9-]{1,32}:[A-Za-z0-9]{32}:[A-Za-z0-9_-]{1,256}$/;

type Rule = Omit<Alarm, 'id' | 'projectId' | 'state' | 'changedAt' | 'toldAt'>;

export function oneOf<const T extends string | number>(
  allowed: readonly T[],
  value: unknown,
  field: string,
): T {
  const found = allowed.find((candidate) => candidate === value);
  if (found === undefined) throw new BadField(field, `it must be one of ${allowed.join(', ')}`);
  return found;
}

export function readRule(body: JsonObject): Rule {
  const rule: Rule = {
    name: readName(text(body, 'alarm_name')),
    description: readDescription(body) ?? '',
    type: optionalText(body, 'alarm_type') ?? 'EVENT.SYS',
    isEnabled: optionalFlag(body, 'alarm_enabled') ?? true,
    hasActions: optionalFlag(body, 'alarm_action_enabled') ?? true,
    level: readLevel(body) ?? 2,
    metric: readMetric(object(body, 'metric')),
    condition: readCondition(object(body, 'condition')),
    alarmActions: readActions(body, 'alarm_actions') ?? [],
    okActions: readActions(body, 'ok_actions') ?? [],
  };
  checkActions(rule);
  return rule;
}

/** Absent fields stay as they are; the metric of a rule cannot be changed. */
export function changedRule(alarm: Alarm, body: JsonObject): Rule {
  const name = optionalText(body, 'alarm_name');
  const rule: Rule = {
    ...alarm,
    name: name === undefined ? alarm.name : readName(name),
    description: readDescription(body) ?? alarm.description,
    type: optionalText(body, 'alarm_type') ?? alarm.type,
    isEnabled: optionalFlag(body, 'alarm_enabled') ?? alarm.isEnabled,
    hasActions: optionalFlag(body, 'alarm_action_enabled') ?? alarm.hasActions,
    level: readLevel(body) ?? alarm.level,
    condition: body.condition === undefined ? alarm.condition : readCondition(object(body, 'condition')),
    alarmActions: readActions(body, 'alarm_actions') ?? alarm.alarmActions,
    okActions: readActions(body, 'ok_actions') ?? alarm.okActions,
  };
  checkActions(rule);
  return rule;
}

function checkActions({ hasActions, alarmActions, okActions }: Rule): void {
  if (!hasActions) return;
  if (alarmActions.length === 0 && okActions.length === 0)
    throw new BadField('alarm_actions', 'alarm_actions or ok_actions is needed while actions are on');
  const topics = (actions: AlarmAction[]) => actions.flatMap(({ notificationList }) => notificationList);
  if (alarmActions.length > 0 && okActions.length > 0 && `${topics(alarmActions)}` !== `${topics(okActions)}`)
    throw new BadField('ok_actions', 'its notificationList must equal that of alarm_actions');
}

function readName(name: string): string {
  if (!/^[A-Za-z0-9_-]{1,128}$/.test(name))
    throw new BadField('alarm_name', 'it must be 1 to 128 letters, digits, "_" and "-"');
  return name;
}

function readDescription(body: JsonObject): string | undefined {
  const description = optionalText(body, 'alarm_description');
  if (description !== undefined && description.length > 256)
    throw new BadField('alarm_description', 'it is longer than 256');
  return description;
}

function readLevel(body: JsonObject): number | undefined {
  const level = optionalInteger(body, 'alarm_level');
  return level === undefined ? undefined : oneOf([1, 2, 3, 4], level, 'alarm_level');
}

function optionalFlag(body: JsonObject, name: string): boolean | undefined {
  const value = body[name];
  if (value === undefined || value === null) return undefined;
  if (typeof value !== 'boolean') throw new BadField(name, 'it must be true or false');
  return value;
}

export function readMetric(metric: JsonObject): Metric {
  const namespace = text(metric, 'namespace');
  if (!/^[A-Za-z]\w*\.[A-Za-z]\w*$/.test(namespace) || namespace.length > 32)
    throw new BadField('namespace', 'it must look like SYS.RDS');
  const name = text(metric, 'metric_name');
  if (!/^[A-Za-z]\w{0,63}$/.test(name)) throw new BadField('metric_name', 'it is malformed');
  const dimensions = objects(metric, 'dimensions').map((dimension) => ({
    name: text(dimension, 'name'),
    value: text(dimension, 'value'),
  }));
  if (dimensions.length < 1 || dimensions.length > 4)
    throw new BadField('dimensions', 'there must be 1 to 4 of them');
  return { namespace, name, dimensions };
}

function readCondition(condition: JsonObject): Condition {
  const value = condition.value;
  if (typeof value !== 'number' || value < 0) throw new BadField('value', 'it must be a number from 0 on');
  const suppress = optionalInteger(condition, 'suppress_duration') ?? 0;
  const unit = optionalText(condition, 'unit') ?? '';
  if (unit.length > 32) throw new BadField('unit', 'it is longer than 32');
  return {
    period: oneOf([0, ...PERIODS], condition.period, 'period'),
    filter: oneOf(FILTERS, condition.filter, 'filter'),
    operator: oneOf(OPERATORS, condition.comparison_operator, 'comparison_operator'),
    value,
    unit,
    count: oneOf([1, 2, 3, 4, 5], condition.count, 'count'),
    suppressSeconds: oneOf(SUPPRESS_SECONDS, suppress, 'suppress_duration'),
  };
}

function readActions(body: JsonObject, name: string): AlarmAction[] | undefined {
  if (body[name] === undefined || body[name] === null) return undefined;
  return objects(body, name).map((action) => {
    const type = oneOf(['notification', 'autoscaling'], action.type, `${name}.type`);
    const topics = list(action, 'notificationList');
    const isTopic = (urn: unknown): urn is string => typeof urn === 'string' && topicPattern.test(urn);
    if (!topics.every(isTopic) || topics.length > MAX_TOPICS)
      throw new BadField(`${name}.notificationList`, `it must hold at most ${MAX_TOPICS} topic URNs`);
    return { type, notificationList: topics };
  });
}

export const alarmShape = (of: Alarm) => ({
  alarm_id: of.id,
  alarm_name: of.name,
  alarm_description: of.description,
  alarm_type: of.type,
  alarm_enabled: of.isEnabled,
  alarm_action_enabled: of.hasActions,
  alarm_level: of.level,
  metric: {
    namespace: of.metric.namespace,
    metric_name: of.metric.name,
    dimensions: of.metric.dimensions,
  },
  condition: {
    period: of.condition.period,
    filter: of.condition.filter,
    comparison_operator: of.condition.operator,
    value: of.condition.value,
    unit: of.condition.unit,
    count: of.condition.count,
    suppress_duration: of.condition.suppressSeconds,
  },
  alarm_actions: of.alarmActions,
  ok_actions: of.okActions,
  insufficientdata_actions: [],
  update_time: of.changedAt,
  alarm_state: of.state,
});
