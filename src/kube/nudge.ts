// Touches one annotation of an Rds, so that Metacontroller calls the hook at once. Marks only move forward: whoever
// brings the same one again, or an older one, through whichever replica, changes nothing.

import { ANNOTATIONS } from '../rds/names.ts';
import { annotation, type Rds } from '../rds/object.ts';
import { type KubeCall, KubeUnreachable } from './api.ts';
import { type FindRds, rdsPath } from './find-rds.ts';

/** `nudged`: the annotation was written; `old`: it has this mark or a newer one; `gone`: there is no such Rds. */
export type Nudged = 'nudged' | 'old' | 'gone';

export type Nudge = (rds: Rds, mark: string) => Promise<Nudged>;

/** Metacontroller writes the same object, so a conflict is nothing unusual. */
const REPEATS = 3;

/** `2026-11-16T08:00:00.000Z.<id>`: marks compare as texts. */
export const nudgeMark = (atMs: number, id: string): string => `${new Date(atMs).toISOString()}.${id}`;

const MARK = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z\./;

export function createNudge(find: FindRds, call: KubeCall, deadlineMs: number): Nudge {
  const patch = ({ metadata }: Rds, mark: string) =>
    call({
      method: 'PATCH',
      path: rdsPath(metadata),
      contentType: 'application/merge-patch+json',
      // With the version that was looked at: never over a newer mark, never on another object of that name.
      body: {
        metadata: {
          resourceVersion: metadata.resourceVersion,
          annotations: { [ANNOTATIONS.alarm]: mark },
        },
      },
      deadlineMs,
    });

  async function write(rds: Rds, mark: string, attemptsLeft: number): Promise<Nudged> {
    const before = annotation(rds, ANNOTATIONS.alarm) ?? '';
    if (MARK.test(before) && before >= mark) return 'old';
    const { status } = await patch(rds, mark);
    if (status === 200) return 'nudged';
    if (status === 404) return 'gone';
    if (status !== 409 || attemptsLeft === 0)
      throw new KubeUnreachable(`the API server answered ${status} for a patch of an Rds`);
    const found = await find(rds.metadata.uid);
    return found ? write(found.rds, mark, attemptsLeft - 1) : 'gone';
  }

  return (rds, mark) => write(rds, mark, REPEATS);
}
