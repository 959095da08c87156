// Alarms reach the operator as in production: whoever receives one touches an annotation of its Rds. No message of
// the simulated cloud leaves this machine, so the page stands in for the receiver.

import type { KubeCall, KubeObject } from '../../kube/api.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { Alarm } from '../../simulator/ces/types.ts';
import { knownResources, objectPath } from '../resources.ts';
import { PAGE_MANAGER } from './manifest-text.ts';
import type { Timeline } from './timeline.ts';

type Options = { kube: KubeCall; timeline: Timeline; rdss: () => readonly KubeObject[] };

const DEADLINE_MS = 5_000;
/** The UID in the middle, the meter behind it. */
const NAME = /^rds-pilot-([0-9a-f-]{36})-(.+)$/;

/** Called with all alarms now and then; each change is handed on once. */
export function createAlarmPush({ kube, timeline, rdss }: Options): (alarms: readonly Alarm[]) => void {
  const told = new Map<string, number>();
  const resource = knownResources.find(({ kind }) => kind === 'Rds');

  function push(rds: KubeObject, { id, changedAt }: Alarm): void {
    if (!resource) return;
    const annotations = { [ANNOTATIONS.alarm]: `${new Date(changedAt).toISOString()}.${id}` };
    const path = `${objectPath(resource, rds.metadata)}?fieldManager=${PAGE_MANAGER}`;
    const contentType = 'application/merge-patch+json';
    const body = { metadata: { uid: rds.metadata.uid, annotations } };
    // Lost is lost: the operator looks by itself too, only later.
    void kube({ method: 'PATCH', path, contentType, body, deadlineMs: DEADLINE_MS }).catch(() => {});
  }

  function tell(rds: KubeObject, meter: string, { state, condition }: Alarm): void {
    const isOn = state === 'alarm';
    timeline.add(`${rds.metadata.namespace}/${rds.metadata.name}`, {
      kind: 'alarm',
      tone: isOn ? 'warn' : 'good',
      title: `${meter}: ${isOn ? 'over the threshold' : 'below the threshold again'}`,
      text: `The rule: ${condition.operator} ${condition.value} ${condition.unit}, ${condition.count} times in a row.`,
    });
  }

  function onChange(alarm: Alarm, isFirst: boolean): void {
    const [, uid, meter = ''] = NAME.exec(alarm.name) ?? [];
    const rds = rdss().find(({ metadata }) => metadata.uid === uid);
    // A rule that finds everything in order at its first look is no news.
    if (!rds || (isFirst && alarm.state === 'ok')) return;
    tell(rds, meter, alarm);
    if (alarm.state === 'alarm') push(rds, alarm);
  }

  return (alarms) => {
    for (const alarm of alarms) {
      const { id, state, changedAt } = alarm;
      if (state === 'insufficient_data' || told.get(id) === changedAt) continue;
      const isFirst = !told.has(id);
      told.set(id, changedAt);
      onChange(alarm, isFirst);
    }
  };
}
