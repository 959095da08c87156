// A decided write -> the call of the cloud.

import type { Cloud, InstanceChange, NewInstance } from '../../otc/cloud.ts';
import type { Observed } from '../decide/observed.ts';
import type { Claimed } from '../decide/plan.ts';

export type Facts = { id?: string; jobId?: string | undefined };

export async function sendWrite(
  cloud: Cloud,
  wanted: Claimed,
  order: NewInstance | undefined,
  o: Observed,
): Promise<Facts> {
  switch (wanted.do) {
    case 'create':
      if (!order) throw new Error('a create without an order');
      return cloud.createInstance(order);
    case 'finalBackup':
      await cloud.createBackup({
        instanceId: wanted.instanceId,
        name: wanted.name,
        description: 'Final backup by rds-pilot',
      });
      return {};
    case 'delete':
      return { jobId: (await cloud.deleteInstance(wanted.instanceId)).jobId };
    case 'restart':
      return { jobId: (await cloud.restartInstance(wanted.instanceId)).jobId };
    case 'password':
      await cloud.resetPassword(wanted.instanceId, o.password.value ?? '');
      return {};
    case 'change':
      return cloud.change(wanted.instanceId, withSecret(wanted.change, o));
    case 'replica':
      return cloud.createReplica(wanted.wanted);
    case 'safetyBackup':
      await cloud.createBackup({
        instanceId: wanted.instanceId,
        name: wanted.name,
        description: 'State before a restore in place, by rds-pilot',
      });
      return {};
    case 'restore':
      return cloud.restoreInPlace(wanted.instanceId, wanted.time);
    case 'removeReplica':
      return cloud.deleteInstance(wanted.instanceId);
  }
}

/** A plan holds no secret, so the one change that needs the root password gets it here. */
function withSecret(change: InstanceChange, o: Observed): InstanceChange {
  const needsIt = change.kind === 'addStandby' && o.spec.datastoretype === 'SQLServer';
  return needsIt ? { ...change, password: o.password.value } : change;
}
