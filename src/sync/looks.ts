// When this replica last looked closely at each object. What rests is looked at now and then all the same: whoever wrote
// its status last may have seen the past, and that shows only beside the journal or the cloud.

import type { Clock } from '../clock.ts';
import { hash32 } from '../rds/hash.ts';

const REMEMBERED = 10_000;

export type Looks = { isDue(uid: string): boolean; note(uid: string): void };

/** After a start they come due spread over the whole time, not at once. */
export function createLooks(clock: Clock, everyMs: number): Looks {
  const startedAt = clock.elapsed();
  const last = new Map<string, number>();
  const firstAt = (uid: string) => startedAt - (hash32(uid) % everyMs);
  return {
    isDue: (uid) => clock.elapsed() - (last.get(uid) ?? firstAt(uid)) >= everyMs,
    note: (uid) => {
      if (last.size >= REMEMBERED) last.clear();
      last.set(uid, clock.elapsed());
    },
  };
}
