// One Lease per owned instance id, so that two Rds can never own the same database (protocol C15).

import { ownerLeaseName } from '../rds/names.ts';
import type { KubeCall, KubeObject, KubeResponse } from './api.ts';
import { JournalUnavailable } from './journal.ts';

const OWNER = 'otc.mcsps.de/owner-uid';

export type OwnerLeases = {
  /** True when the instance is ours now, false when another UID has it. */
  take(instanceId: string, uid: string): Promise<boolean>;
  drop(instanceId: string, uid: string): Promise<void>;
  /** UID of whoever has the instance. */
  owner(instanceId: string): Promise<string | undefined>;
};

export function createOwnerLeases(call: KubeCall, namespace: string, deadlineMs: number): OwnerLeases {
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const path = (instanceId: string) => `${collection}/${ownerLeaseName(instanceId)}`;

  async function find(instanceId: string): Promise<KubeObject | undefined> {
    const answer = await call({ method: 'GET', path: path(instanceId), deadlineMs });
    if (answer.status === 404) return undefined;
    if (answer.status !== 200) throw refused(answer, namespace);
    return answer.body as KubeObject;
  }

  const ownerOf = (lease: KubeObject | undefined) => lease?.metadata?.annotations?.[OWNER];

  return {
    async take(instanceId, uid) {
      const body: KubeObject = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: { name: ownerLeaseName(instanceId), namespace, annotations: { [OWNER]: uid } },
      };
      const answer = await call({ method: 'POST', path: collection, body, deadlineMs });
      if (answer.status === 201) return true;
      if (answer.status !== 409) throw refused(answer, namespace);
      return ownerOf(await find(instanceId)) === uid;
    },
    owner: async (instanceId) => ownerOf(await find(instanceId)),
    async drop(instanceId, uid) {
      const lease = await find(instanceId);
      if (!lease || ownerOf(lease) !== uid) return;
      // Between the two calls it may have got another owner: then it is not ours to remove.
      const body = { preconditions: { resourceVersion: lease.metadata.resourceVersion } };
      const answer = await call({ method: 'DELETE', path: path(instanceId), body, deadlineMs });
      if (![200, 202, 404, 409].includes(answer.status)) throw refused(answer, namespace);
    },
  };
}

function refused(answer: KubeResponse, namespace: string): JournalUnavailable {
  return new JournalUnavailable(
    `the API server answered ${answer.status} for an owner Lease: rds-pilot needs get, create and delete on leases in namespace ${namespace}`,
  );
}
