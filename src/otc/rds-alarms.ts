// The alarm rules that watch a database. They are on the instance as a whole, so a failover does not change them.

import type { Engine } from './cloud.ts';
import type { Alarm, AlarmRule } from './monitoring.ts';
import { type Measure, measureReading } from './rds-metrics.ts';

export type AlarmWanted = {
  name: string;
  measure: 'diskRatio' | 'cpuRatio' | 'memoryRatio';
  thresholdPercent: number;
  topicUrns: readonly string[];
};

/** Three times five minutes: what passes by is no reason for a larger machine. */
const sustained = { periodSeconds: 300, filter: 'average', operator: '>=', count: 3 } as const;
const toldAgainSeconds = 1_800;
const majorLevel = 2;

const words: Partial<Record<Measure, string>> = { diskRatio: 'disk', cpuRatio: 'cpu', memoryRatio: 'memory' };

export function alarmRule(instance: { engine: Engine; id: string }, wanted: AlarmWanted): AlarmRule {
  const reading = measureReading(instance, wanted.measure);
  if (!reading) throw new Error(`${instance.engine} has no metric for ${wanted.measure}`);
  return {
    ...reading.id,
    ...sustained,
    name: wanted.name,
    description: `Watched by rds-pilot: ${words[wanted.measure]} of ${instance.id}`,
    isEnabled: true,
    level: majorLevel,
    threshold: wanted.thresholdPercent,
    unit: '%',
    suppressSeconds: toldAgainSeconds,
    topicUrns: wanted.topicUrns,
  };
}

/** The metric of a rule cannot be changed: one that watches something else is replaced. */
export function watchesSame(alarm: Alarm, rule: AlarmRule): boolean {
  return (
    alarm.metric === rule.metric &&
    alarm.dimension.name === rule.dimension.name &&
    alarm.dimension.value === rule.dimension.value
  );
}

/** Words and level are for people, and theirs to change. */
export function isSameRule(alarm: Alarm, rule: AlarmRule): boolean {
  const fields = ['isEnabled', 'periodSeconds', 'filter', 'operator', 'threshold', 'count'] as const;
  return (
    fields.every((field) => alarm[field] === rule[field]) &&
    alarm.topicUrns.length === rule.topicUrns.length &&
    rule.topicUrns.every((urn) => alarm.topicUrns.includes(urn))
  );
}
