// A cache that lags may show an Rds that is finalized and gone once more. Whether it does is chance, and what is said
// then (it is finalized again; the real loop finds nothing to update) is no part of its history.
import type { HookCall } from './recorder.ts';

/** By UID: when the first call began that came after the one that finalized. */
export function afterlivesOf(calls: readonly HookCall[]): Map<string, number> {
  const finalized = new Set<string>();
  const began = new Map<string, number>();
  for (const { at, answer, body } of calls) {
    const { uid = '' } = body.parent.metadata;
    if (finalized.has(uid) && !began.has(uid)) began.set(uid, at);
    if (answer?.finalized) finalized.add(uid);
  }
  return began;
}

const TOLD_THEN = ['SyncError', 'Released'];

export const isToldThen = (
  afterlives: ReadonlyMap<string, number>,
  { reason, uid, at }: { reason: string; uid: string; at: number },
): boolean => TOLD_THEN.includes(reason) && at >= (afterlives.get(uid) ?? Number.POSITIVE_INFINITY);
