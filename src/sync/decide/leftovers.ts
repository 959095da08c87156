// What the old operator left in the cloud: named, never touched.

import type { ConditionWish } from '../../rds/conditions.ts';
import type { Observed } from './observed.ts';

export function leftovers(o: Observed): ConditionWish[] {
  const alarms =
    o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details.oldAlarms : undefined;
  if (!alarms) return [];
  const type = 'OldOperatorGone' as const;
  if (alarms.length === 0) {
    const message = 'No alarm of the old operator is left.';
    return [{ type, status: 'True', reason: 'OldAlarmsGone', message }];
  }
  const names = alarms.map(({ name, id }) => `${name} (${id})`).sort();
  const topics = [...new Set(alarms.flatMap(({ topicUrns }) => topicUrns))].sort();
  const message =
    `Of the old operator there are still the alarms ${names.join(', ')}` +
    `${topics.length > 0 ? ` and the topics ${topics.join(', ')}` : ''}. They are not touched: delete them in the console when it is no longer used.`;
  return [{ type, status: 'False', reason: 'OldAlarmsLeft', message }];
}
