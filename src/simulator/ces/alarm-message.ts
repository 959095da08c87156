// What Cloud Eye writes into a notification: JSON inside a string.
import { REGION } from '../demo-account.ts';
import type { Alarm, Filter } from './types.ts';

/** The data that made the alarm; `isRepeated`: told before, and it still lasts. */
export type Cause = {
  points: { time: number; value: number | undefined }[];
  unit: string;
  isRepeated: boolean;
};

const LEVELS = ['', 'Critical', 'Major', 'Minor', 'Informational'];
const filterNames: Record<Filter, string> = {
  average: 'Avg.',
  max: 'Max.',
  min: 'Min.',
  sum: 'Sum',
  variance: 'Variance',
};
const periodNames: Record<number, string> = {
  1: 'Raw data',
  300: '5 minutes',
  1200: '20 minutes',
  3600: '1 hour',
  14400: '4 hours',
  86400: '1 day',
};

const wordsOf = (ms: number): string =>
  `${new Date(ms).toISOString().slice(0, 19).replaceAll('-', '/').replace('T', ' ')} GMT+00:00`;

export function alarmMessage(alarm: Alarm, cause: Cause, now: number): { subject: string; message: string } {
  const { metric, condition } = alarm;
  const [dimension = { name: '', value: '' }] = metric.dimensions;
  const points = cause.points.flatMap(({ time, value }) => (value === undefined ? [] : [{ time, value }]));
  const shown = (value: number) => `${value.toFixed(2)}${cause.unit}`;
  const isAlarm = alarm.state === 'alarm';
  const level = LEVELS[alarm.level] ?? '';
  const sentence = `${alarm.name}: ${metric.name} ${filterNames[condition.filter]} ${condition.operator} ${shown(condition.value)}`;
  const subject = `[${level} Alarm]${isAlarm ? 'Alarm generated' : 'Alarm cleared'}: ${alarm.name}`;
  const message = {
    message_type: 'alarm',
    alarm_id: alarm.id,
    alarm_name: alarm.name,
    alarm_status: alarm.state,
    time: now,
    namespace: metric.namespace,
    metric_name: metric.name,
    dimension: `${dimension.name}:${dimension.value}`,
    period: condition.period,
    filter: condition.filter,
    comparison_operator: condition.operator,
    value: condition.value,
    unit: condition.unit,
    count: condition.count,
    alarmValue: points,
    sms_content: `[${level} Alarm] ${sentence}`,
    template_variable: {
      AccountName: '',
      Namespace: metric.namespace,
      DimensionName: dimension.name,
      ResourceName: dimension.value,
      ResourceId: dimension.value,
      MetricName: metric.name,
      IsAlarm: isAlarm,
      IsCycleTrigger: cause.isRepeated,
      AlarmLevel: level,
      Region: REGION,
      CurrentData: shown(points.at(-1)?.value ?? 0),
      AlarmTime: wordsOf(now),
      DataPoint: Object.fromEntries(points.map(({ time, value }) => [wordsOf(time), shown(value)])),
      DataPointTime: points.map(({ time }) => wordsOf(time)),
      AlarmRuleName: alarm.name,
      AlarmId: alarm.id,
      AlarmDesc: alarm.description,
      Period: periodNames[condition.period] ?? '',
      Filter: filterNames[condition.filter],
      ComparisonOperator: condition.operator,
      Value: shown(condition.value),
      Unit: cause.unit,
      Count: condition.count,
    },
  };
  return { subject, message: JSON.stringify(message) };
}
