// What the API server says right now, past every cache: read just before a write that must not be repeated.

import { GROUP, VERSION } from '../rds/crd.ts';
import type { Rds } from '../rds/object.ts';
import type { KubeCall } from './api.ts';
import { KubeUnreachable } from './api.ts';

export type Live = {
  /** undefined: gone. */
  rds: Rds | undefined;
  /** The namespace or the CRD is being deleted; only known when asked for. */
  namespaceTerminating: boolean;
  crdTerminating: boolean;
};

export type ReadLive = (rds: Rds, want: { surroundings: boolean }) => Promise<Live>;

type Meta = { metadata?: { deletionTimestamp?: string } };

export function createReadLive(call: KubeCall, deadlineMs: number): ReadLive {
  async function get(path: string): Promise<unknown> {
    const answer = await call({ method: 'GET', path, deadlineMs });
    if (answer.status === 404) return undefined;
    if (answer.status === 200) return answer.body;
    throw new KubeUnreachable(`the API server answered ${answer.status} for ${path}`);
  }

  return async (rds, want) => {
    const { namespace, name } = rds.metadata;
    const [live, itsNamespace, crd] = await Promise.all([
      get(`/apis/${GROUP}/${VERSION}/namespaces/${namespace}/rdss/${name}`),
      want.surroundings ? get(`/api/v1/namespaces/${namespace}`) : {},
      want.surroundings ? get(`/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.${GROUP}`) : {},
    ]);
    return {
      rds: live as Rds | undefined,
      namespaceTerminating: isGoing(itsNamespace),
      crdTerminating: isGoing(crd),
    };
  };
}

/** Without an API server (curl, laptop) the request itself is the newest view there is. */
export const requestIsLive: ReadLive = async (rds) => ({
  rds,
  namespaceTerminating: false,
  crdTerminating: false,
});

function isGoing(object: unknown): boolean {
  return object === undefined || (object as Meta).metadata?.deletionTimestamp !== undefined;
}
