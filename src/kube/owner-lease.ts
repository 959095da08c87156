// One Lease per adopted instance id, so that two Rds can never own the same database (protocol C15).

import { ownerLeaseName } from '../rds/names.ts';
import type { KubeCall, KubeObject } from './api.ts';
import { JournalUnavailable } from './journal.ts';

const OWNER = 'otc.mcsps.de/owner-uid';

export type OwnerLeases = {
  /** True when the instance is ours now, false when another UID has it. */
  take(instanceId: string, uid: string): Promise<boolean>;
  drop(instanceId: string, uid: string): Promise<void>;
};

export function createOwnerLeases(call: KubeCall, namespace: string, deadlineMs: number): OwnerLeases {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;

  async function ownerOf(instanceId: string): Promise<string | undefined> {
    const answer = await call({
      method: 'GET',
      path: `${collection}/${ownerLeaseName(instanceId)}`,
      deadlineMs,
    });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200)
      throw new JournalUnavailable(`owner Lease: the API server answered ${answer.status}`);
    return (answer.body as KubeObject).metadata.annotations?.[OWNER];
  }

  return {
    async take(instanceId, uid) {
      const body: KubeObject = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: ownerLeaseName(instanceId), namespace, annotations: { [OWNER]: uid } },
      };
      const answer = await call({ method: 'POST', path: collection, body, deadlineMs });
      if (answer.status === 201) return true;
      if (answer.status !== 409)
        throw new JournalUnavailable(`owner Lease: the API server answered ${answer.status}`);
      return (await ownerOf(instanceId)) === uid;
    },
    async drop(instanceId, uid) {
      if ((await ownerOf(instanceId)) !== uid) return;
      await call({ method: 'DELETE', path: `${collection}/${ownerLeaseName(instanceId)}`, deadlineMs });
    },
  };
}
