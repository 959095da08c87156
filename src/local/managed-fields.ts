// `metadata.managedFields`: after each write, who owns what.

import type { KubeObject, ObjectMeta } from '../kube/api.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import {
  changedFields,
  type Fields,
  fieldsOf,
  intersect,
  isLeaf,
  mergeApplied,
  ownable,
  removedFields,
  removeFields,
  subtract,
  union,
} from './field-sets.ts';
import { copyJson, isRecord, type JsonRecord } from './json.ts';
import { apiVersionOf, type Resource } from './resources.ts';

type Entry = NonNullable<ObjectMeta['managedFields']>[number];
export type Writer = {
  manager: string;
  operation: 'Apply' | 'Update';
  subresource: string | undefined;
  time: string;
};

const isBy = (entry: Entry, writer: Writer): boolean =>
  entry.manager === writer.manager &&
  entry.operation === writer.operation &&
  entry.subresource === writer.subresource;

const fieldsIn = (entry: Entry | undefined): Fields => (entry?.fieldsV1 ?? {}) as Fields;

const newEntry = (resource: Resource, writer: Writer, fields: Fields): Entry & JsonRecord => ({
  manager: writer.manager,
  operation: writer.operation,
  apiVersion: apiVersionOf(resource),
  time: writer.time,
  fieldsType: 'FieldsV1',
  fieldsV1: fields,
  ...(writer.subresource ? { subresource: writer.subresource } : {}),
});

const replaceEntry = (
  resource: Resource,
  entries: readonly Entry[],
  writer: Writer,
  fields: Fields,
  lostByOthers: Fields,
): Entry[] => {
  const mine = entries.find((entry) => isBy(entry, writer));
  const others = entries
    .filter((entry) => entry !== mine)
    .map((entry) => ({ ...entry, fieldsV1: subtract(fieldsIn(entry), lostByOthers) }))
    .filter((entry) => !isLeaf(entry.fieldsV1));
  if (isLeaf(fields)) return others;
  // A write that changes nothing in the list of owned fields keeps its time, so that no-op writes stay no-ops.
  const same = mine && deepEqual(mine.fieldsV1, fields);
  return [...others, same ? mine : newEntry(resource, writer, fields)];
};

const withEntries = (object: KubeObject, entries: Entry[]): KubeObject => ({
  ...object,
  metadata: { ...object.metadata, managedFields: entries },
});

/** Status belongs to whoever writes it through its own path, never to the writer of the rest. */
const writtenPart = (resource: Resource, object: KubeObject, writer: Writer): JsonRecord => {
  const { status, ...rest } = ownable(object);
  return resource.hasStatus && writer.subresource !== 'status'
    ? rest
    : { ...rest, ...(status ? { status } : {}) };
};

/** Leaves out what is the same object on both sides: nothing in it was changed or removed. */
const withoutShared = (left: JsonRecord, right: JsonRecord): [JsonRecord, JsonRecord] => {
  const before = { ...left };
  const after = { ...right };
  for (const key of Object.keys(before)) {
    if (before[key] !== after[key]) continue;
    delete before[key];
    delete after[key];
  }
  return [before, after];
};

/** After a create, PUT or merge patch: the writer owns what changed. */
export const recordUpdate = (
  resource: Resource,
  previous: KubeObject | undefined,
  next: KubeObject,
  writer: Writer,
): KubeObject => {
  const part = (object: KubeObject): JsonRecord => writtenPart(resource, object, writer);
  if (!previous) {
    const fields = fieldsOf(part(next), resource.lists, 'Update');
    return withEntries(next, isLeaf(fields) ? [] : [newEntry(resource, writer, fields)]);
  }
  const [before, after] = withoutShared(part(previous), part(next));
  const changed = changedFields(before, after, resource.lists) ?? {};
  const removed = removedFields(before, after, resource.lists) ?? {};
  const entries = previous.metadata.managedFields ?? [];
  const mine = fieldsIn(entries.find((entry) => isBy(entry, writer)));
  return withEntries(
    next,
    replaceEntry(resource, entries, writer, union(subtract(mine, removed), changed), union(changed, removed)),
  );
};

/** An empty map that is applied owns nothing: what this manager had in it before goes. */
const withoutEmptyMaps = (value: JsonRecord): JsonRecord =>
  Object.fromEntries(
    Object.entries(value)
      .map(([key, field]) => [key, isRecord(field) ? withoutEmptyMaps(field) : field] as const)
      .filter(([, field]) => !isRecord(field) || Object.keys(field).length > 0),
  );

export type Applied = {
  object: JsonRecord;
  /** Nobody asks who applies by force. */
  conflicts(): { manager: string; fields: Fields }[];
};

/** Server-side apply before admission: merge what was sent, take away what this manager no longer sends. */
export const mergeForApply = (
  resource: Resource,
  previous: KubeObject | undefined,
  sent: JsonRecord,
  writer: Writer,
): Applied => {
  const rules = resource.lists;
  const applied = ownable(sent);
  const entries = previous?.metadata.managedFields ?? [];
  const mine = entries.find((entry) => isBy(entry, writer));
  const others = entries.filter((entry) => entry !== mine);
  const before = previous ? ownable(previous) : {};
  const wanted = fieldsOf(withoutEmptyMaps(applied), rules, 'Apply');
  const dropped = others.reduce(
    (fields, entry) => subtract(fields, fieldsIn(entry)),
    subtract(fieldsIn(mine), wanted),
  );
  const merged = mergeApplied(removeFields(before, dropped, rules), applied, rules);
  const conflicts = () => {
    const changed = intersect(changedFields(before, merged, rules) ?? {}, wanted);
    return others
      .map((entry) => ({ manager: entry.manager ?? '', fields: intersect(changed, fieldsIn(entry)) }))
      .filter((one) => !isLeaf(one.fields));
  };
  return { object: withSystemFields(isRecord(merged) ? merged : {}, previous ?? sent), conflicts };
};

const withSystemFields = (merged: JsonRecord, source: JsonRecord): JsonRecord => {
  const ownedMeta = ownable({ metadata: source.metadata }).metadata;
  const system = isRecord(source.metadata) ? { ...source.metadata } : {};
  for (const key of Object.keys(isRecord(ownedMeta) ? ownedMeta : {})) delete system[key];
  const metadata = { ...system, ...(isRecord(merged.metadata) ? merged.metadata : {}) };
  return copyJson({ ...merged, apiVersion: source.apiVersion, kind: source.kind, metadata });
};

/** After admission: the applier owns what it sent and was kept; forced changes take fields from others. */
export const recordApply = (
  resource: Resource,
  previous: KubeObject | undefined,
  next: KubeObject,
  sent: JsonRecord,
  writer: Writer,
): KubeObject => {
  const rules = resource.lists;
  const after = ownable(next);
  const before = previous ? ownable(previous) : {};
  const wanted = fieldsOf(ownable(sent), rules, 'Apply');
  const everything = fieldsOf(after, rules, 'Update');
  const kept = intersect(wanted, everything);
  const gone = removedFields(before, after, rules) ?? {};
  const taken = intersect(changedFields(before, after, rules) ?? {}, wanted);
  const entries = previous?.metadata.managedFields ?? [];
  return withEntries(next, replaceEntry(resource, entries, writer, kept, union(taken, gone)));
};
