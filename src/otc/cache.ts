// One value that many callers share: at most one load runs at a time, and each caller says how old is too old.

import type { Clock } from '../clock.ts';
import { within } from './budget.ts';

export type Cached<T> = { get(maxAgeMs: number, waitMs: number): Promise<T> };

/** Ages count from the start of a load, since that is when the cloud was asked. */
export function createCached<T>(clock: Clock, name: string, load: () => Promise<T>): Cached<T> {
  let last: { startedAt: number; value: T } | undefined;
  let running: { startedAt: number; done: Promise<T> } | undefined;
  let queued: Promise<T> | undefined;

  const isFresh = ({ startedAt }: { startedAt: number }, maxAgeMs: number) =>
    clock.elapsed() - startedAt <= maxAgeMs;

  function begin(): Promise<T> {
    const startedAt = clock.elapsed();
    const done = load()
      .then((value) => {
        last = { startedAt, value };
        return value;
      })
      .finally(() => {
        running = undefined;
      });
    running = { startedAt, done };
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
    async get(maxAgeMs, waitMs) {
      if (last && isFresh(last, maxAgeMs)) return last.value;
      return within(clock, waitMs, name, () =>
        running && isFresh(running, maxAgeMs) ? running.done : queue(),
      );
    },
  };
}
