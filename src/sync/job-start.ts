// A Job that is started on a picture from the past could take away rights or drop what was declared again
// since: before a new one goes into an answer, the Rds is read live.

import { KubeUnreachable } from '../kube/api.ts';
import { isSqlJob } from '../rds/job-state.ts';
import { ANNOTATIONS } from '../rds/names.ts';
import { annotation, type Rds } from '../rds/object.ts';
import type { HookAnswer } from './answer.ts';
import type { SyncDeps } from './deps.ts';
import type { View } from './request.ts';

export function startsJob(view: View, answer: HookAnswer): boolean {
  const isKnown = (name: string) =>
    view.children.some((child) => child.kind === 'Job' && child.metadata.name === name);
  return answer.children.some((child) => isSqlJob(child) && !isKnown(child.metadata.name));
}

/** false also when nobody can tell. */
export async function isLive(deps: SyncDeps, view: View): Promise<boolean> {
  try {
    const { rds } = await deps.readLive(view.rds, { surroundings: false });
    return rds !== undefined && pictureOf(rds) === pictureOf(view.rds);
  } catch (error) {
    if (error instanceof KubeUnreachable) return false;
    throw error;
  }
}

/** Everything that the wish of a Job is made from, Secrets excepted. */
function pictureOf(rds: Rds): string {
  const { uid, generation, deletionTimestamp } = rds.metadata;
  const { databases, users, job } = rds.status?.databases ?? {};
  return JSON.stringify([
    [uid, generation, deletionTimestamp, annotation(rds, ANNOTATIONS.reconcile)],
    [databases, users, job?.name, job?.state],
    rds.status?.logins?.map(({ user, login, state, next }) => [user, login, state, next]),
  ]);
}
