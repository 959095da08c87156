// From a UID to its Rds, by what the API server says now. The journal is named after the UID and knows where the Rds
// is, so no list of all Rds is needed.

import { API_VERSION } from '../rds/crd.ts';
import type { Rds } from '../rds/object.ts';
import { type KubeCall, KubeUnreachable } from './api.ts';
import { aboutOf, type JournalStore } from './journal.ts';

export type FoundRds = {
  rds: Rds;
  /** The topic that the journal notes. */
  topicUrn: string | undefined;
};

export type FindRds = (uid: string) => Promise<FoundRds | undefined>;

export const rdsPath = ({ namespace, name }: { namespace: string; name: string }): string =>
  `/apis/${API_VERSION}/namespaces/${namespace}/rdss/${name}`;

export function createFindRds(
  journal: Pick<JournalStore, 'read'>,
  call: KubeCall,
  deadlineMs: number,
): FindRds {
  return async (uid) => {
    const held = await journal.read(uid);
    const about = held && aboutOf(held);
    if (!held || !about) return undefined;
    const path = rdsPath(about);
    const { status, body } = await call({ method: 'GET', path, deadlineMs });
    if (status === 404) return undefined;
    if (status !== 200) throw new KubeUnreachable(`the API server answered ${status} for ${path}`);
    const rds = body as Rds;
    // Another object may have the name by now.
    return rds.metadata.uid === uid ? { rds, topicUrn: held.journal.topicUrn } : undefined;
  };
}
