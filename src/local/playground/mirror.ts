// The objects of the local API server as they are now, kept by watching: asking for a dump every half second
// would sort thousands of them each time.

import type { KubeObject } from '../../kube/api.ts';
import type { WatchEvent } from '../watch.ts';

export type Mirror = {
  list(kind: string): KubeObject[];
  find(kind: string, namespace: string | undefined, name: string): KubeObject | undefined;
  ownedBy(uid: string): KubeObject[];
};

export type WatchAll = (listener: (event: WatchEvent) => void) => () => void;

const keyOf = (namespace: string | undefined, name: string): string => `${namespace ?? ''}/${name}`;

export function createMirror(watch: WatchAll): Mirror {
  const kinds = new Map<string, Map<string, KubeObject>>();
  watch(({ type, object }) => {
    const objects = kinds.get(object.kind) ?? new Map<string, KubeObject>();
    kinds.set(object.kind, objects);
    const key = keyOf(object.metadata.namespace, object.metadata.name);
    if (type === 'DELETED') objects.delete(key);
    else objects.set(key, object);
  });
  return {
    list: (kind) => [...(kinds.get(kind)?.values() ?? [])],
    find: (kind, namespace, name) => kinds.get(kind)?.get(keyOf(namespace, name)),
    ownedBy: (uid) =>
      [...kinds.values()]
        .flatMap((objects) => [...objects.values()])
        .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid)),
  };
}
