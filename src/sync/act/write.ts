// A decided write -> the call of the cloud.

import type { Cloud, NewInstance } from '../../otc/cloud.ts';
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
    case 'enlarge':
      return { jobId: (await cloud.enlargeVolume(wanted.instanceId, wanted.sizeGb)).jobId };
    case 'resize':
      return { jobId: (await cloud.resizeFlavor(wanted.instanceId, wanted.flavor)).jobId };
  }
}
