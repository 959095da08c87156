// A clock that moves only when a test says so, or as far as a promise needs to settle.

import { setImmediate } from 'node:timers/promises';
import type { Clock } from '../../src/clock.ts';

export type VirtualClock = Clock & {
  advance(ms: number): Promise<void>;
  /** Lets time pass until the promise settles. */
  run<T>(work: Promise<T>): Promise<T>;
};

const someEvents = 5;

export function createVirtualClock(startMs = Date.UTC(2026, 0, 1)): VirtualClock {
  let now = startMs;
  let sleepers: { at: number; wake: () => void }[] = [];

  async function settleEvents() {
    for (let event = 0; event < someEvents; event++) await setImmediate();
  }

  function wakeNext(untilMs: number): boolean {
    const next = sleepers.reduce((first, other) => (other.at < first.at ? other : first), {
      at: Infinity,
      wake() {},
    });
    if (next.at > untilMs) return false;
    sleepers = sleepers.filter((sleeper) => sleeper !== next);
    now = Math.max(now, next.at);
    next.wake();
    return true;
  }

  return {
    now: () => now,
    elapsed: () => now,
    sleep: (ms) => new Promise((wake) => sleepers.push({ at: now + ms, wake })),
    async advance(ms) {
      const end = now + ms;
      await settleEvents();
      while (wakeNext(end)) await settleEvents();
      now = end;
    },
    async run(work) {
      let isSettled = false;
      const mark = () => {
        isSettled = true;
      };
      work.then(mark, mark);
      await settleEvents();
      while (!isSettled) {
        if (!wakeNext(Number.MAX_SAFE_INTEGER))
          throw new Error('the promise waits for nothing that will come');
        await settleEvents();
      }
      return work;
    },
  };
}
