// The work queue: a key waits at most once, is never worked on twice at the same time, and can be delayed.

import type { Clock } from '../clock.ts';
import type { Timers } from './timers.ts';

export type WorkQueue = {
  start(): void;
  stop(): void;
  add(key: string): void;
  /** If a delay is already pending for the key, the earlier one wins. */
  addAfter(key: string, ms: number): void;
  isIdle(): boolean;
};

export type WorkQueueOptions = {
  clock: Clock;
  timers: Timers;
  workers: number;
  /**
   * Time a worker needs to pick up a key. It is never zero: a hot loop (429 without Retry-After) would
   * otherwise spin inside one instant of a virtual clock.
   */
  dispatchMs: number;
  /** Must not reject. */
  work: (key: string) => Promise<void>;
};

export const createWorkQueue = ({
  clock,
  timers,
  workers,
  dispatchMs,
  work,
}: WorkQueueOptions): WorkQueue => {
  const ready: string[] = [];
  const dirty = new Set<string>();
  const active = new Set<string>();
  const delayed = new Map<string, { at: number; cancel: () => void }>();
  let running = 0;
  let state: 'new' | 'running' | 'stopped' = 'new';

  const pump = (): void => {
    while (state === 'running' && running < workers && running < ready.length + active.size) {
      running += 1;
      void runWorker();
    }
  };

  const runWorker = async (): Promise<void> => {
    while (ready.length > 0) {
      await clock.sleep(dispatchMs);
      const key = state === 'running' ? ready.shift() : undefined;
      if (key === undefined) break;
      dirty.delete(key);
      active.add(key);
      await work(key);
      active.delete(key);
      if (dirty.has(key)) ready.push(key);
    }
    running -= 1;
  };

  const add = (key: string): void => {
    if (state === 'stopped' || dirty.has(key)) return;
    dirty.add(key);
    if (!active.has(key)) ready.push(key);
    pump();
  };

  const addAfter = (key: string, ms: number): void => {
    if (state === 'stopped') return;
    if (ms <= 0) {
      add(key);
      return;
    }
    const at = clock.now() + ms;
    const pending = delayed.get(key);
    if (pending && pending.at <= at) return;
    pending?.cancel();
    const cancel = timers.after(ms, () => {
      delayed.delete(key);
      add(key);
    });
    delayed.set(key, { at, cancel });
  };

  return {
    start() {
      state = 'running';
      pump();
    },
    stop() {
      state = 'stopped';
      ready.length = 0;
      for (const pending of delayed.values()) pending.cancel();
    },
    add,
    addAfter,
    isIdle: () => ready.length === 0 && active.size === 0,
  };
};
