// A cache of one kind, fed by a watch. What the loop knows comes from here, and it may be old.

import type { KubeObject } from '../kube/api.ts';
import { controllerOf } from './owners.ts';
import type { ResourceRef } from './resources.ts';
import { keyOf } from './store.ts';
import type { Watch, WatchEvent } from './watch.ts';

export type Handlers = {
  onAdd(object: KubeObject): void;
  onUpdate(previous: KubeObject, object: KubeObject): void;
  onDelete(object: KubeObject): void;
};

export type Informer = {
  synced: Promise<void>;
  hasSynced(): boolean;
  get(key: string): KubeObject | undefined;
  list(): KubeObject[];
  /**
   * Objects whose controller has this UID; undefined means objects without a controller. The same list as before as
   * long as nothing of this kind has changed.
   */
  listOwnedBy(uid: string | undefined, namespace: string | undefined): readonly KubeObject[];
  /** Goes up with every change. */
  version(): number;
  /** What is cached already is handed over as added. */
  subscribe(handlers: Handlers): void;
};

export type Informers = { open(ref: ResourceRef): Informer; stop(): void };

const orphans = '';

const createInformer = (watch: Watch, ref: ResourceRef) => {
  const cache = new Map<string, KubeObject>();
  const byOwner = new Map<string, Set<string>>();
  const subscribers: Handlers[] = [];
  const lists = new Map<string, readonly KubeObject[]>();
  let changes = 0;
  let isSynced = false;

  const ownerOf = (object: KubeObject): string => controllerOf(object)?.uid ?? orphans;

  const replace = (key: string, object: KubeObject | undefined): KubeObject | undefined => {
    changes += 1;
    lists.clear();
    const previous = cache.get(key);
    if (previous) byOwner.get(ownerOf(previous))?.delete(key);
    if (!object) cache.delete(key);
    else {
      cache.set(key, object);
      const owned = byOwner.get(ownerOf(object)) ?? new Set<string>();
      byOwner.set(ownerOf(object), owned.add(key));
    }
    return previous;
  };

  const receive = ({ type, object }: WatchEvent): void => {
    const previous = replace(keyOf(object.metadata), type === 'DELETED' ? undefined : object);
    for (const one of subscribers) {
      if (type === 'DELETED') one.onDelete(object);
      else if (previous) one.onUpdate(previous, object);
      else one.onAdd(object);
    }
  };

  const watching = watch(ref, receive);
  const synced = watching.synced.then(() => {
    isSynced = true;
  });

  const informer: Informer = {
    synced,
    hasSynced: () => isSynced,
    get: (key) => cache.get(key),
    list: () => [...cache.values()],
    listOwnedBy(uid, namespace) {
      const name = `${namespace ?? ''} ${uid ?? orphans}`;
      const known = lists.get(name);
      if (known) return known;
      const owned: KubeObject[] = [];
      for (const key of byOwner.get(uid ?? orphans) ?? []) {
        const object = cache.get(key);
        if (object && (namespace === undefined || object.metadata.namespace === namespace))
          owned.push(object);
      }
      lists.set(name, owned);
      return owned;
    },
    version: () => changes,
    subscribe(handlers) {
      for (const object of cache.values()) handlers.onAdd(object);
      subscribers.push(handlers);
    },
  };
  return { informer, stop: watching.stop };
};

/** True as long as none of these caches has changed since. */
export const unchangedSince = (informers: readonly Informer[]): (() => boolean) => {
  const versions = informers.map((informer) => informer.version());
  return () => informers.every((informer, index) => informer.version() === versions[index]);
};

/** One informer per kind, shared by all who ask for it. */
export const createInformers = (watch: Watch): Informers => {
  const open = new Map<string, ReturnType<typeof createInformer>>();
  const byRef = new WeakMap<ResourceRef, Informer>();
  return {
    open(ref) {
      const known = byRef.get(ref);
      if (known) return known;
      const name = `${ref.apiVersion}/${ref.resource}`;
      const found = open.get(name) ?? createInformer(watch, ref);
      open.set(name, found);
      byRef.set(ref, found.informer);
      return found.informer;
    },
    stop() {
      for (const one of open.values()) one.stop();
    },
  };
};
