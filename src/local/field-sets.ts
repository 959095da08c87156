// Who set which field, as the API server writes it down: a tree with `f:name`, `k:{key}` and `v:value`.

import { deepEqual } from '../rds/deep-equal.ts';
import { copyJson, deepFreeze, isRecord, type JsonRecord } from './json.ts';
import type { ListRule } from './resources.ts';

export type Fields = { [key: string]: Fields };
export type ListRules = Readonly<Record<string, ListRule>>;

/** `Update` entries also name the maps themselves (`.`), `Apply` entries only what was sent. */
type Style = 'Apply' | 'Update';

const systemFields = new Set([
  'name',
  'namespace',
  'uid',
  'resourceVersion',
  'generation',
  'generateName',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
  'managedFields',
  'selfLink',
]);

/** The part of an object that somebody can own. */
export const ownable = (object: JsonRecord): JsonRecord => {
  const { apiVersion: _apiVersion, kind: _kind, metadata, ...rest } = object;
  if (!isRecord(metadata)) return rest;
  const kept = Object.entries(metadata).filter(([key]) => !systemFields.has(key));
  return kept.length === 0 ? rest : { ...rest, metadata: Object.fromEntries(kept) };
};

export const isLeaf = (fields: Fields): boolean => {
  for (const _key in fields) return false;
  return true;
};

/** Most of a tree is leaves, and they are all the same. */
const LEAF: Fields = deepFreeze({});

const join = (path: string, key: string): string => (path === '' ? key : `${path}.${key}`);

const listKey = (rule: ListRule, item: unknown): string => {
  if (rule === 'set') return `v:${JSON.stringify(item)}`;
  const record = isRecord(item) ? item : {};
  const pairs = rule.keys.map((key) => [key, record[key] ?? (key === 'protocol' ? 'TCP' : null)]);
  return `k:${JSON.stringify(Object.fromEntries(pairs))}`;
};

const isTree = (rule: ListRule | undefined): rule is { keys: readonly string[] } =>
  rule !== undefined && rule !== 'set' && !rule.atomicItems;

export const fieldsOf = (value: unknown, rules: ListRules, style: Style, path = ''): Fields => {
  if (typeof value !== 'object' || value === null) return LEAF;
  if (!Array.isArray(value)) return fieldsOfMap(value as JsonRecord, rules, style, path);
  const rule = rules[path];
  if (rule === undefined || value.length === 0) return LEAF;
  const fields: Fields = style === 'Update' ? { '.': LEAF } : {};
  for (const item of value) {
    fields[listKey(rule, item)] = isTree(rule) ? { '.': LEAF, ...fieldsOf(item, rules, style, path) } : LEAF;
  }
  return fields;
};

const fieldsOfMap = (value: JsonRecord, rules: ListRules, style: Style, path: string): Fields => {
  const keys = Object.keys(value);
  if (keys.length === 0) return LEAF;
  const fields: Fields = style === 'Update' && path !== '' && path !== 'metadata' ? { '.': LEAF } : {};
  for (const key of keys) fields[`f:${key}`] = fieldsOf(value[key], rules, style, join(path, key));
  return fields;
};

/** What is new or different in `next`; undefined when nothing is. */
export const changedFields = (
  previous: unknown,
  next: unknown,
  rules: ListRules,
  path = '',
): Fields | undefined => {
  if (previous === next) return undefined;
  if (isRecord(previous) && isRecord(next)) {
    return collect(
      Object.keys(next).map((key) => [`f:${key}`, previous[key], next[key], join(path, key)]),
      rules,
    );
  }
  const rule = rules[path];
  if (rule !== undefined && Array.isArray(previous) && Array.isArray(next)) {
    const before = new Map(previous.map((item) => [listKey(rule, item), item]));
    return collect(
      next.map((item) => [listKey(rule, item), before.get(listKey(rule, item)), item, path]),
      rules,
    );
  }
  return deepEqual(previous, next) ? undefined : fieldsOf(next, rules, 'Update', path);
};

const collect = (
  entries: [key: string, before: unknown, after: unknown, path: string][],
  rules: ListRules,
): Fields | undefined => {
  const result: Fields = {};
  for (const [key, before, after, path] of entries) {
    const changed = changedFields(before, after, rules, path);
    if (changed) result[key] = changed;
  }
  return isLeaf(result) ? undefined : result;
};

/** What is gone from `previous`; undefined when nothing is. */
export const removedFields = (
  previous: unknown,
  next: unknown,
  rules: ListRules,
  path = '',
): Fields | undefined => {
  if (previous === next) return undefined;
  if (isRecord(previous) && isRecord(next)) {
    // A map that became empty is owned as such.
    if (path !== '' && isLeaf(next as Fields)) return undefined;
    const result: Fields = {};
    for (const key in previous) {
      const at = join(path, key);
      const gone = Object.hasOwn(next, key)
        ? removedFields(previous[key], next[key], rules, at)
        : fieldsOf(previous[key], rules, 'Update', at);
      if (gone) result[`f:${key}`] = gone;
    }
    return isLeaf(result) ? undefined : result;
  }
  const gone = subtract(fieldsOf(previous, rules, 'Update', path), fieldsOf(next, rules, 'Update', path));
  return isLeaf(gone) || isLeaf(fieldsOf(next, rules, 'Update', path)) ? undefined : gone;
};

export const union = (left: Fields, right: Fields): Fields => {
  if (isLeaf(right)) return left;
  if (isLeaf(left)) return right;
  const result: Fields = { ...left };
  for (const [key, sub] of Object.entries(right)) result[key] = union(result[key] ?? {}, sub);
  return result;
};

export const subtract = (left: Fields, right: Fields): Fields => {
  if (isLeaf(right)) return left;
  const result: Fields = {};
  for (const [key, sub] of Object.entries(left)) {
    const other = right[key];
    if (other === undefined) result[key] = sub;
    else if (!isLeaf(sub) && !isLeaf(other)) {
      const rest = subtract(sub, other);
      if (!isLeaf(rest)) result[key] = rest;
    }
  }
  return result;
};

export const intersect = (left: Fields, right: Fields): Fields => {
  const result: Fields = {};
  for (const [key, sub] of Object.entries(left)) {
    const other = right[key];
    if (other === undefined) continue;
    const both = intersect(sub, other);
    if (isLeaf(sub) || isLeaf(other) || !isLeaf(both)) result[key] = both;
  }
  return result;
};

/** Removes exactly these fields, and maps and lists that become empty by it. */
export const removeFields = (value: unknown, fields: Fields, rules: ListRules, path = ''): unknown => {
  if (isRecord(value)) return removeFromMap(value, fields, rules, path);
  const rule = rules[path];
  return Array.isArray(value) && rule ? removeFromList(value, fields, rules, path, rule) : value;
};

const removeFromMap = (value: JsonRecord, fields: Fields, rules: ListRules, path: string): unknown => {
  const result = { ...value };
  for (const [key, sub] of Object.entries(fields)) {
    const name = key.slice(2);
    if (!key.startsWith('f:') || !Object.hasOwn(result, name)) continue;
    const rest = isLeaf(sub) ? undefined : removeFields(result[name], sub, rules, join(path, name));
    if (rest === undefined) delete result[name];
    else result[name] = rest;
  }
  return Object.keys(result).length === 0 && path !== '' ? undefined : result;
};

const removeFromList = (
  value: readonly unknown[],
  fields: Fields,
  rules: ListRules,
  path: string,
  rule: ListRule,
): unknown => {
  const rest = value.flatMap((item) => {
    const sub = fields[listKey(rule, item)];
    if (sub === undefined) return [item];
    return isLeaf(sub) || sub['.'] ? [] : [removeFields(item, sub, rules, path)];
  });
  return rest.length === 0 ? undefined : rest;
};

/** Lays what was applied over what is stored: maps and keyed lists merge, the rest is replaced. */
export const mergeApplied = (stored: unknown, applied: unknown, rules: ListRules, path = ''): unknown => {
  if (isRecord(stored) && isRecord(applied)) {
    const result: JsonRecord = { ...stored };
    for (const [key, value] of Object.entries(applied)) {
      result[key] = mergeApplied(stored[key], value, rules, join(path, key));
    }
    return result;
  }
  const rule = rules[path];
  if (rule === undefined || !Array.isArray(stored) || !Array.isArray(applied)) return copyJson(applied);
  const byKey = new Map(stored.map((item) => [listKey(rule, item), item]));
  for (const item of applied) {
    const key = listKey(rule, item);
    const before = byKey.get(key);
    byKey.set(key, isTree(rule) && before ? mergeApplied(before, item, rules, path) : item);
  }
  return [...byKey.values()];
};
