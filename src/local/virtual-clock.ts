// Time that moves only when told to, so that a run of hours takes milliseconds and repeats exactly.

import type { Clock } from '../clock.ts';

export type VirtualClock = Clock & {
  /** Moves on by so many milliseconds, waking every sleeper in order of time, then of arrival. */
  advance(ms: number): Promise<void>;
  /**
   * Runs to a point in time (epoch ms), or until the predicate holds. False when nobody sleeps any more, or
   * `limitMs` of virtual time have passed, before the predicate held.
   */
  runUntil(goal: number | (() => boolean), limitMs?: number): Promise<boolean>;
  /** Lets everything run that needs no time. */
  drain(): Promise<void>;
  /** Number of sleepers. */
  sleeping(): number;
};

export type VirtualClockOptions = {
  /** Turns of the event loop given to the code between two wake-ups; an injected Fastify needs a few. */
  turns?: number;
  /** Instead: lets everything run that needs no time, for code that needs no turn of the event loop at all. */
  drain?: () => Promise<void>;
};

type Sleeper = { at: number; order: number; wake: () => void };

const isBefore = (left: Sleeper, right: Sleeper): boolean =>
  left.at < right.at || (left.at === right.at && left.order < right.order);

export const createVirtualClock = (startMs: number, options: VirtualClockOptions = {}): VirtualClock => {
  const turns = options.turns ?? 10;
  const sleepers: Sleeper[] = [];
  let now = startMs;
  let order = 0;

  const insert = (sleeper: Sleeper): void => {
    let low = 0;
    let high = sleepers.length;
    while (low < high) {
      const middle = (low + high) >>> 1;
      const other = sleepers[middle];
      if (other && isBefore(other, sleeper)) low = middle + 1;
      else high = middle;
    }
    sleepers.splice(low, 0, sleeper);
  };

  const takeTurns = async (): Promise<void> => {
    for (let turn = 0; turn < turns; turn += 1) await new Promise((resolve) => setImmediate(resolve));
  };

  const drain = options.drain ?? takeTurns;

  const wakeNext = (): Promise<void> => {
    const sleeper = sleepers.shift();
    if (sleeper) now = Math.max(now, sleeper.at);
    sleeper?.wake();
    return drain();
  };

  const runTo = async (end: number): Promise<void> => {
    await drain();
    for (let next = sleepers[0]; next && next.at <= end; next = sleepers[0]) await wakeNext();
    now = Math.max(now, end);
  };

  const runUntilTrue = async (isReached: () => boolean, end: number): Promise<boolean> => {
    await drain();
    while (!isReached()) {
      const next = sleepers[0];
      if (!next || next.at > end) return false;
      await wakeNext();
    }
    return true;
  };

  return {
    now: () => now,
    elapsed: () => now,
    sleep: (ms) =>
      new Promise((wake) => {
        order += 1;
        insert({ at: now + Math.max(0, ms), order, wake });
      }),
    advance: (ms) => runTo(now + ms),
    async runUntil(goal, limitMs = Number.POSITIVE_INFINITY) {
      if (typeof goal === 'function') return runUntilTrue(goal, now + limitMs);
      await runTo(goal);
      return true;
    },
    drain,
    sleeping: () => sleepers.length,
  };
};
