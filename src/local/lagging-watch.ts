// Faults of an informer, for simulations: a watch that lags, or shows the past again as after a relist from an
// API server that is behind.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import type { ResourceRef } from './resources.ts';
import { keyOf } from './store.ts';
import type { Watch, WatchEvent } from './watch.ts';

export type LaggingWatch = {
  watch: Watch;
  /** Shows an earlier version of an object (1 = the one before the latest); false when there is none. */
  goBack(ref: ResourceRef, key: string, versions?: number): boolean;
};

export type LaggingWatchOptions = {
  watch: Watch;
  clock: Clock;
  /** How late this event arrives. Order is kept: one late event holds up those behind it. */
  delayMs: (ref: ResourceRef, event: WatchEvent) => number;
};

const remembered = 20;

export const createLaggingWatch = ({ watch, clock, delayMs }: LaggingWatchOptions): LaggingWatch => {
  const listeners = new Map<string, Set<(event: WatchEvent) => void>>();
  const history = new Map<string, KubeObject[]>();
  const nameOf = (ref: ResourceRef): string => `${ref.apiVersion}/${ref.resource}`;

  const remember = (ref: ResourceRef, { type, object }: WatchEvent): void => {
    const name = `${nameOf(ref)} ${keyOf(object.metadata)}`;
    if (type === 'DELETED') {
      history.delete(name);
      return;
    }
    const versions = history.get(name) ?? [];
    versions.push(object);
    if (versions.length > remembered) versions.shift();
    history.set(name, versions);
  };

  const lagging: Watch = (ref, listener) => {
    let isStopped = false;
    let isInitial = true;
    let lastAt = 0;
    const deliver = (event: WatchEvent): void => {
      if (isStopped) return;
      remember(ref, event);
      listener(event);
    };
    const known = listeners.get(nameOf(ref)) ?? new Set();
    listeners.set(nameOf(ref), known.add(listener));
    const inner = watch(ref, (event) => {
      const now = clock.now();
      const at = Math.max(lastAt, now + (isInitial ? 0 : delayMs(ref, event)));
      if (at <= now) {
        deliver(event);
        return;
      }
      lastAt = at;
      void clock.sleep(at - now).then(() => deliver(event));
    });
    isInitial = false;
    return {
      synced: inner.synced,
      stop() {
        isStopped = true;
        known.delete(listener);
        inner.stop();
      },
    };
  };

  return {
    watch: lagging,
    goBack(ref, key, versions = 1) {
      const object = history.get(`${nameOf(ref)} ${key}`)?.at(-1 - versions);
      if (!object) return false;
      for (const listener of listeners.get(nameOf(ref)) ?? []) listener({ type: 'MODIFIED', object });
      return true;
    },
  };
};
