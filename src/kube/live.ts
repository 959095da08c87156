// What the API server says right now, past every cache: read just before a write that must not be repeated.

import type { RdsBackup } from '../rds/backup.ts';
import { GROUP, VERSION } from '../rds/crd.ts';
import type { Rds } from '../rds/object.ts';
import type { KubeCall, KubeObject } from './api.ts';
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

function createGet(call: KubeCall, deadlineMs: number): (path: string) => Promise<unknown> {
  return async (path) => {
    const answer = await call({ method: 'GET', path, deadlineMs });
    if (answer.status === 404) return undefined;
    if (answer.status === 200) return answer.body;
    throw new KubeUnreachable(`the API server answered ${answer.status} for ${path}`);
  };
}

export function createReadLive(call: KubeCall, deadlineMs: number): ReadLive {
  const get = createGet(call, deadlineMs);
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

/** undefined: gone. */
export type ReadLiveBackup = (backup: RdsBackup) => Promise<RdsBackup | undefined>;

export function createReadLiveBackup(call: KubeCall, deadlineMs: number): ReadLiveBackup {
  const get = createGet(call, deadlineMs);
  return async ({ metadata: { namespace, name } }) =>
    (await get(`/apis/${GROUP}/${VERSION}/namespaces/${namespace}/rdsbackups/${name}`)) as
      | RdsBackup
      | undefined;
}

export type LiveNamespace = { uid: string; annotations: Record<string, string>; isTerminating: boolean };

/** undefined: gone. */
export type ReadLiveNamespace = (name: string) => Promise<LiveNamespace | undefined>;

export function createReadLiveNamespace(call: KubeCall, deadlineMs: number): ReadLiveNamespace {
  const get = createGet(call, deadlineMs);
  return async (name) => {
    const live = (await get(`/api/v1/namespaces/${name}`)) as KubeObject | undefined;
    if (!live) return undefined;
    const { uid = '', annotations = {} } = live.metadata;
    return { uid, annotations, isTerminating: isGoing(live) };
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
