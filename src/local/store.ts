// The shelves of the local API server: objects by kind and name, one counter of versions, listeners.

import type { KubeObject } from '../kube/api.ts';
import { deepFreeze } from './json.ts';
import type { Resource } from './resources.ts';
import type { WatchEvent } from './watch.ts';

export type Stored = { resource: Resource; object: KubeObject };
type Listener = (event: WatchEvent, resource: Resource) => void;

export const keyOf = (metadata: { namespace?: string | undefined; name: string }): string =>
  metadata.namespace ? `${metadata.namespace}/${metadata.name}` : metadata.name;

export type Store = ReturnType<typeof createStore>;

export const createStore = () => {
  const shelves = new Map<Resource, Map<string, KubeObject>>();
  let namespaces: Map<string, KubeObject> | undefined;
  const byUid = new Map<string, Stored>();
  const dependents = new Map<string, Set<string>>();
  const listeners = new Set<Listener>();
  let version = 0;

  const shelf = (resource: Resource): Map<string, KubeObject> => {
    const known = shelves.get(resource);
    if (known) return known;
    const empty = new Map<string, KubeObject>();
    shelves.set(resource, empty);
    if (resource.kind === 'Namespace' && resource.group === '') namespaces = empty;
    return empty;
  };

  const tell = (event: WatchEvent, resource: Resource): void => {
    for (const listener of [...listeners]) listener(event, resource);
  };

  const unlink = (object: KubeObject): void => {
    const uid = object.metadata.uid ?? '';
    for (const owner of object.metadata.ownerReferences ?? []) dependents.get(owner.uid)?.delete(uid);
  };

  const link = (object: KubeObject): void => {
    const uid = object.metadata.uid ?? '';
    for (const owner of object.metadata.ownerReferences ?? []) {
      const owned = dependents.get(owner.uid) ?? new Set<string>();
      dependents.set(owner.uid, owned.add(uid));
    }
  };

  return {
    get: (resource: Resource, namespace: string | undefined, name: string): KubeObject | undefined =>
      shelf(resource).get(keyOf({ namespace, name })),

    /** Sorted by key, as etcd would. */
    list: (resource: Resource, namespace?: string): KubeObject[] =>
      [...shelf(resource).entries()]
        .filter(([, object]) => namespace === undefined || object.metadata.namespace === namespace)
        .sort(([left], [right]) => (left < right ? -1 : 1))
        .map(([, object]) => object),

    findNamespace: (name: string): KubeObject | undefined => namespaces?.get(name),

    findByUid: (uid: string): Stored | undefined => byUid.get(uid),

    dependentsOf: (uid: string): Stored[] =>
      [...(dependents.get(uid) ?? [])].flatMap((one) => byUid.get(one) ?? []),

    version: (): string => String(version),

    put(resource: Resource, object: KubeObject): KubeObject {
      version += 1;
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      const stored = deepFreeze({ ...object, metadata });
      const previous = shelf(resource).get(keyOf(metadata));
      if (previous) unlink(previous);
      shelf(resource).set(keyOf(metadata), stored);
      byUid.set(metadata.uid ?? '', { resource, object: stored });
      link(stored);
      tell({ type: previous ? 'MODIFIED' : 'ADDED', object: stored }, resource);
      return stored;
    },

    remove(resource: Resource, object: KubeObject): KubeObject {
      version += 1;
      const metadata = { ...object.metadata, resourceVersion: String(version) };
      const last = deepFreeze({ ...object, metadata });
      shelf(resource).delete(keyOf(metadata));
      byUid.delete(metadata.uid ?? '');
      unlink(last);
      tell({ type: 'DELETED', object: last }, resource);
      return last;
    },

    listen(listener: Listener): () => void {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
};
