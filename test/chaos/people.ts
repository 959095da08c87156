// The people of a run: each Rds has its orders, given in time and repeated until the API server has taken them.
import { setTimeout as sleep } from 'node:timers/promises';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { Answer, KubeClient } from '../cluster/kube-client.ts';
import type { Life, Order, Spec } from './lives.ts';

export const NAMESPACE = 'chaos';
export const RDS_PATH = `/apis/otc.mcsps.de/v1alpha1/namespaces/${NAMESPACE}/rdss`;

/** One Rds and all that was ever wanted of it; noted before it is sent, since an answer may get lost. */
export type Incarnation = {
  name: string;
  uid: string;
  spec: Spec;
  grows: number;
  flavors: number;
  restarts: string[];
  isDeleted: boolean;
};

export type People = {
  incarnations: Incarnation[];
  /** Every order was taken. */
  areServed: () => boolean;
  /** Also when they were sent home. */
  done: Promise<void>;
};

const RETRY_MS = 400;
const MERGE = 'application/merge-patch+json';

type Stored = { metadata?: { uid?: string } };
const uidIn = ({ body }: Answer): string | undefined => (body as Stored | undefined)?.metadata?.uid;

export function startPeople(kube: KubeClient, lives: readonly Life[], signal: AbortSignal): People {
  const incarnations: Incarnation[] = [];
  const startedAt = Date.now();

  /** Until there is an answer that settles it; the API server may be away, or answer nonsense while it starts. */
  const insist = async <T>(attempt: () => Promise<T | undefined>): Promise<T> => {
    for (;;) {
      signal.throwIfAborted();
      const result = await attempt().catch(() => undefined);
      if (result !== undefined) return result;
      await sleep(RETRY_MS, undefined, { signal });
    }
  };

  const create = async (name: string, spec: Spec, before: Incarnation | undefined): Promise<Incarnation> => {
    const object = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name, namespace: NAMESPACE },
      spec,
    };
    const uid = await insist(async () => {
      const made = await kube.send('POST', `${RDS_PATH}?fieldManager=kubectl`, object);
      if (made.status === 201) return uidIn(made);
      // Ours, by a call whose answer was lost, or the one that is still being deleted.
      const found = made.status === 409 ? uidIn(await kube.send('GET', `${RDS_PATH}/${name}`)) : undefined;
      return found === before?.uid ? undefined : found;
    });
    const record = { name, uid, spec: { ...spec }, grows: 0, flavors: 0, restarts: [], isDeleted: false };
    incarnations.push(record);
    return record;
  };

  const patch = ({ name }: Incarnation, body: unknown): Promise<true> =>
    insist(async () => {
      const { status } = await kube.send('PATCH', `${RDS_PATH}/${name}?fieldManager=kubectl`, body, MERGE);
      return status === 200 || undefined;
    });

  const remove = ({ name, uid }: Incarnation): Promise<true> =>
    insist(async () => {
      const { status } = await kube.send('DELETE', `${RDS_PATH}/${name}`, { preconditions: { uid } });
      if (status === 200 || status === 202) return true;
      const left = await kube.list(RDS_PATH);
      return left.every(({ metadata }) => metadata.uid !== uid) || undefined;
    });

  const carryOut = async (order: Exclude<Order, { do: 'create' }>, rds: Incarnation): Promise<void> => {
    switch (order.do) {
      case 'grow':
        rds.spec.volumesize = order.volumesize;
        rds.grows += 1;
        await patch(rds, { spec: { volumesize: order.volumesize } });
        return;
      case 'flavor':
        rds.spec.flavorref = order.flavorref;
        rds.flavors += 1;
        await patch(rds, { spec: { flavorref: order.flavorref } });
        return;
      case 'restart':
        rds.restarts.push(order.value);
        await patch(rds, { metadata: { annotations: { [ANNOTATIONS.restart]: order.value } } });
        return;
      case 'delete':
        rds.isDeleted = true;
        await remove(rds);
    }
  };

  const live = async ({ name, orders }: Life): Promise<void> => {
    let rds: Incarnation | undefined;
    for (const order of orders) {
      await sleep(Math.max(0, startedAt + order.atMs - Date.now()), undefined, { signal });
      if (order.do === 'create') rds = await create(name, order.spec, rds);
      else if (rds) await carryOut(order, rds);
    }
  };

  let isServed = false;
  const done = Promise.all(lives.map(live)).then(
    () => {
      isServed = true;
    },
    (error: unknown) => {
      if (!signal.aborted) throw error;
    },
  );
  return { incarnations, areServed: () => isServed, done };
}
