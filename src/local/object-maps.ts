// The maps of hook bodies: outer key `Kind.version` or `Kind.group/version`, inner key `namespace/name`.

import type { KubeObject } from '../kube/api.ts';
import { groupKey, type Resource, splitApiVersion } from './resources.ts';
import { keyOf } from './store.ts';

export type ObjectMap = Record<string, Record<string, KubeObject>>;

/** A group is there even when empty; keys are sorted, as Go's encoder does it. */
export const addObjects = (map: ObjectMap, resource: Resource, objects: readonly KubeObject[]): void => {
  const key = groupKey(resource);
  const group = map[key] ?? {};
  map[key] = group;
  for (const object of objects) group[keyOf(object.metadata)] = object;
};

const isSorted = (record: Record<string, unknown>): boolean => {
  let last = '';
  for (const key in record) {
    if (key < last) return false;
    last = key;
  }
  return true;
};

const sortedRecord = <T>(record: Record<string, T>): Record<string, T> =>
  isSorted(record)
    ? record
    : Object.fromEntries(Object.entries(record).sort(([left], [right]) => (left < right ? -1 : 1)));

export const sortMap = (map: ObjectMap): ObjectMap => {
  const sorted = sortedRecord(map);
  for (const key in sorted) sorted[key] = sortedRecord(sorted[key] ?? {});
  return sorted;
};

const kindKeys = new Map<string, string>();

const kindKey = (apiVersion: string, kind: string): string => {
  const text = `${apiVersion} ${kind}`;
  const known = kindKeys.get(text) ?? JSON.stringify([...splitApiVersion(apiVersion), kind]);
  kindKeys.set(text, known);
  return known;
};

/** Desired children by kind, kinds sorted by group, version and name; the last of two equal names wins. */
export const groupByKind = (
  objects: readonly KubeObject[],
): { apiVersion: string; kind: string; objects: Map<string, KubeObject> }[] => {
  const groups = new Map<string, { apiVersion: string; kind: string; objects: Map<string, KubeObject> }>();
  for (const object of objects) {
    const { apiVersion, kind } = object;
    const name = kindKey(apiVersion, kind);
    const group = groups.get(name) ?? { apiVersion, kind, objects: new Map<string, KubeObject>() };
    groups.set(name, group);
    group.objects.set(keyOf(object.metadata), object);
  }
  return [...groups.entries()].sort(([left], [right]) => (left < right ? -1 : 1)).map(([, group]) => group);
};
