// One Lease per owned instance id, so that two Rds can never own the same database (protocol C15).

import { ownerLeaseName } from '../rds/names.ts';
import type { KubeCall, KubeObject, KubeResponse } from './api.ts';
import { JournalUnavailable } from './journal.ts';

const OWNER = 'otc.mcsps.de/owner-uid';

export type OwnerLeases = {
  /** True when the instance is ours now, false when another UID has it. */
  take(instanceId: string, uid: string): Promise<boolean>;
  drop(instanceId: string, uid: string): Promise<void>;
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

  /** undefined: there is one already. */
  async function make(instanceId: string, uid: string): Promise<KubeObject | undefined> {
    const body: KubeObject = {
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: ownerLeaseName(instanceId), namespace, annotations: { [OWNER]: uid } },
    };
    const answer = await call({ method: 'POST', path: collection, body, deadlineMs });
    if (answer.status === 201) return answer.body as KubeObject;
    if (answer.status !== 409) throw refused(answer, namespace);
    return undefined;
  }

  return {
    async take(instanceId, uid) {
      if (await make(instanceId, uid)) return true;
      return ownerOf(await find(instanceId)) === uid;
    },
    async drop(instanceId, uid) {
      // One that only seems to be missing would keep the instance from everybody for ever: nobody can make a second one.
      const lease =
        (await find(instanceId)) ?? (await make(instanceId, uid)) ?? (await find(instanceId)) ?? 'denied';
      if (lease === 'denied')
        throw new JournalUnavailable('the API server denies an owner Lease that exists');
      if (ownerOf(lease) !== uid) return;
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
