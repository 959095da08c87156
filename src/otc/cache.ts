// One value that many callers share: at most one load runs at a time, and each caller says how old is too old.

import type { Clock } from '../clock.ts';
import { within } from './budget.ts';

export type Cached<T> = {
  get(maxAgeMs: number, waitMs: number): Promise<T>;
  /** What `get` would give at once; undefined when it would have to load. */
  peek(maxAgeMs: number): T | undefined;
  /** What was read so far is out of date, however young. */
  expire(): void;
};

/**
 * Ages count from the start of a load, since that is when the cloud was asked. `beforeWaiting` throws when nobody should
 * wait for the load of another.
 */
export function createCached<T>(
  clock: Clock,
  name: string,
  load: () => Promise<T>,
  beforeWaiting: () => void = () => {},
): Cached<T> {
  let epoch = 0;
  let last: { startedAt: number; epoch: number; value: T } | undefined;
  let running: { startedAt: number; epoch: number; done: Promise<T> } | undefined;
  let queued: Promise<T> | undefined;

  const isFresh = (one: { startedAt: number; epoch: number }, maxAgeMs: number) =>
    one.epoch === epoch && clock.elapsed() - one.startedAt <= maxAgeMs;

  const peek = (maxAgeMs: number) => (last && isFresh(last, maxAgeMs) ? last.value : undefined);

  function begin(): Promise<T> {
    const begun = { startedAt: clock.elapsed(), epoch };
    const done = load()
      .then((value) => {
        last = { ...begun, value };
        return value;
      })
      .finally(() => {
        running = undefined;
      });
    running = { ...begun, done };
    return done;
  }

  /** A running load that is too old for its caller is waited for, then one more runs. */
  function queue(): Promise<T> {
    if (!running) return queued ?? begin();
    queued ??= running.done
      .catch(() => {})
      .then(() => {
        queued = undefined;
        return begin();
      });
    return queued;
  }

  return {
    expire: () => {
      epoch += 1;
    },
    peek,
    async get(maxAgeMs, waitMs) {
      if (last && isFresh(last, maxAgeMs)) return last.value;
      if (running) beforeWaiting();
      return within(clock, waitMs, name, () =>
        running && isFresh(running, maxAgeMs) ? running.done : queue(),
      );
    },
  };
}
