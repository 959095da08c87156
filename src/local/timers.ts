// Timers that can be cancelled, over a clock that can only sleep: one sleep at a time, for the earliest.

import type { Clock } from '../clock.ts';

export type Timers = {
  after(ms: number, run: () => void): () => void;
  clear(): void;
};

export const createTimers = (clock: Clock): Timers => {
  const pending = new Map<number, { at: number; run: () => void }>();
  let order = 0;
  let wakeAt = Number.POSITIVE_INFINITY;

  const arm = (at: number): void => {
    if (at >= wakeAt) return;
    wakeAt = at;
    void clock.sleep(Math.max(0, at - clock.now())).then(() => {
      if (wakeAt === at) wakeAt = Number.POSITIVE_INFINITY;
      fire();
    });
  };

  const fire = (): void => {
    const now = clock.now();
    // In the order of their making; those of one moment stay in it.
    const due: [number, { at: number; run: () => void }][] = [];
    for (const entry of pending) if (entry[1].at <= now) due.push(entry);
    if (due.length > 1) due.sort(([, left], [, right]) => left.at - right.at);
    for (const [id, timer] of due) if (pending.delete(id)) timer.run();
    let earliest = Number.POSITIVE_INFINITY;
    for (const timer of pending.values()) earliest = Math.min(earliest, timer.at);
    arm(earliest);
  };

  return {
    after(ms, run) {
      order += 1;
      const id = order;
      const at = clock.now() + ms;
      pending.set(id, { at, run });
      arm(at);
      return () => pending.delete(id);
    },
    clear: () => pending.clear(),
  };
};
