// Cloud Eye on the wire and in our words. Wire names end here.

import type { Engine } from './cloud.ts';
import { type Json, need, numberOf, objectOf, objectsOf, textOf, textsOf, Unreadable } from './json.ts';
import type { Alarm, AlarmRule, Dimension, Filter, MetricId, MetricSeries } from './monitoring.ts';

const namespace = 'SYS.RDS';

const instanceDimensions: Record<Engine, string> = {
  MySQL: 'rds_cluster_id',
  PostgreSQL: 'postgresql_cluster_id',
  SQLServer: 'rds_cluster_sqlserver_id',
};

/** Of the instance as a whole: a failover changes nodes, but not this. */
export function instanceDimension({ engine, id }: { engine: Engine; id: string }): Dimension {
  return { name: instanceDimensions[engine], value: id };
}

export function writeMetric({ metric, dimension }: MetricId): Json {
  return { namespace, metric_name: metric, dimensions: [dimension] };
}

/** `alarm` is missing for a rule on something else than a database: the row still counts in a list. */
export type AlarmRow = { id: string; alarm: Alarm | undefined };

const states = ['ok', 'alarm', 'insufficient_data'] as const;

export function readAlarmRow(row: Json): AlarmRow {
  const id = need(textOf(row, 'alarm_id'), 'alarm alarm_id');
  const metric = objectOf(row, 'metric');
  const isOurs = textOf(metric, 'namespace') === namespace;
  return { id, alarm: isOurs ? readAlarm(id, row, metric) : undefined };
}

function readAlarm(id: string, row: Json, metric: Json): Alarm {
  const condition = objectOf(row, 'condition');
  const state = states.find((known) => known === row.alarm_state);
  if (state === undefined) throw new Unreadable('the answer has an unknown alarm state');
  return {
    id,
    name: need(textOf(row, 'alarm_name'), 'alarm alarm_name'),
    description: textOf(row, 'alarm_description') ?? '',
    isEnabled: row.alarm_enabled === true,
    level: numberOf(row, 'alarm_level') ?? 0,
    metric: textOf(metric, 'metric_name') ?? '',
    dimension: readDimension(metric),
    periodSeconds: numberOf(condition, 'period') ?? 0,
    filter: textOf(condition, 'filter') ?? '',
    operator: textOf(condition, 'comparison_operator') ?? '',
    threshold: numberOf(condition, 'value') ?? 0,
    unit: textOf(condition, 'unit') ?? '',
    count: numberOf(condition, 'count') ?? 0,
    suppressSeconds: numberOf(condition, 'suppress_duration') ?? 0,
    topicUrns:
      row.alarm_action_enabled === true
        ? objectsOf(row, 'alarm_actions').flatMap((action) => textsOf(action, 'notificationList'))
        : [],
    state,
    changedAt: numberOf(row, 'update_time') ?? 0,
  };
}

/** Databases have one dimension; a rule with more was not made by us and fits nothing. */
function readDimension(metric: Json): Dimension {
  const [first, ...others] = objectsOf(metric, 'dimensions');
  if (!first || others.length > 0) return { name: '', value: '' };
  return { name: textOf(first, 'name') ?? '', value: textOf(first, 'value') ?? '' };
}

export function writeAlarm(rule: AlarmRule): Json {
  return { ...writeAlarmChange(rule), metric: writeMetric(rule) };
}

/** The metric of a rule cannot be changed. */
export function writeAlarmChange(rule: AlarmRule): Json {
  const isTold = rule.topicUrns.length > 0;
  const actions = isTold ? [{ type: 'notification', notificationList: rule.topicUrns }] : [];
  return {
    alarm_name: rule.name,
    alarm_description: rule.description,
    alarm_enabled: rule.isEnabled,
    alarm_action_enabled: isTold,
    alarm_level: rule.level,
    condition: {
      period: rule.periodSeconds,
      filter: rule.filter,
      comparison_operator: rule.operator,
      value: rule.threshold,
      unit: rule.unit,
      count: rule.count,
      suppress_duration: rule.suppressSeconds,
    },
    // Both lists must be equal.
    alarm_actions: actions,
    ok_actions: actions,
  };
}

export function readSeries(row: Json, filter: Filter): MetricSeries {
  const points = objectsOf(row, 'datapoints').flatMap((point) => {
    const at = numberOf(point, 'timestamp');
    const value = numberOf(point, filter);
    return at === undefined || value === undefined ? [] : [{ at, value }];
  });
  return {
    metric: need(textOf(row, 'metric_name'), 'metric_name'),
    dimension: readDimension(row),
    unit: textOf(row, 'unit') ?? '',
    points: points.sort((a, b) => a.at - b.at),
  };
}
