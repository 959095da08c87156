// Messages that were heard already. Only verified ones come here, so nobody can fill it; a restart or another replica
// knows nothing of it, and there the annotation itself refuses what is old (kube/nudge.ts).

import type { Clock } from '../clock.ts';

export type Seen = {
  /** false: heard before, or being heard right now. */
  isNew(id: string): boolean;
  /** It came to nothing and may be sent again. */
  forget(id: string): void;
};

const MOST = 10_000;

export function createSeen(clock: Clock, keepMs: number): Seen {
  const heard = new Map<string, number>();
  return {
    isNew(id) {
      const now = clock.elapsed();
      // Oldest first: as soon as one is young enough, all behind it are.
      for (const [old, at] of heard) {
        if (now - at <= keepMs && heard.size < MOST) break;
        heard.delete(old);
      }
      if (heard.has(id)) return false;
      heard.set(id, now);
      return true;
    },
    forget: (id) => void heard.delete(id),
  };
}
