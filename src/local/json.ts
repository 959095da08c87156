// Objects of the cluster are plain JSON. These few functions are all the loop and the store need to handle it.

import { deepEqual } from '../rds/deep-equal.ts';

export type JsonRecord = { [key: string]: unknown };

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy as a wire would make it: own values, `undefined` gone. What is frozen is as good as copied. */
export const copyJson = <T>(value: T): T => copy(value, true) as T;

/** A copy that may be edited, whatever it was made of. */
export const editableCopy = <T>(value: T): T => copy(value, false) as T;

const copy = (value: unknown, sharesFrozen: boolean): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value))
    return value.map((item) => (item === undefined ? null : copy(item, sharesFrozen)));
  if (sharesFrozen && Object.isFrozen(value)) return value;
  const result: JsonRecord = {};
  for (const key in value) {
    const item = (value as JsonRecord)[key];
    if (item !== undefined) result[key] = copy(item, sharesFrozen);
  }
  return result;
};

/**
 * Stored objects are shared by cache and listeners: nobody may edit one. Nothing else here freezes, so what is frozen
 * is so down to the last leaf, and without `undefined`. Lists stay open, since V8 takes up to twenty times as long to
 * search a frozen one; what is in them is frozen.
 */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) for (const item of value) deepFreeze(item);
  else if (!Object.isFrozen(value)) {
    for (const key in value) deepFreeze(value[key]);
    Object.freeze(value);
  }
  return value;
};

/** Both in one pass: a copy of its own, and nobody may edit it. */
export const frozenCopy = <T>(value: T): T => freshlyFrozen(value) as T;

const freshlyFrozen = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (Array.isArray(value)) return value.map((item) => (item === undefined ? null : freshlyFrozen(item)));
  if (Object.isFrozen(value)) return value;
  const result: JsonRecord = {};
  for (const key in value) {
    const item = (value as JsonRecord)[key];
    if (item !== undefined) result[key] = freshlyFrozen(item);
  }
  return Object.freeze(result);
};

/**
 * A frozen copy of `now` in which whatever says the same as in `before` is the object of before: who remembers what was
 * made of that need not make it again.
 */
export const sharing = (before: unknown, now: unknown): unknown => {
  if (typeof now !== 'object' || now === null) return now;
  if (deepEqual(before, now)) return before;
  if (Array.isArray(now)) {
    const old: readonly unknown[] = Array.isArray(before) ? before : [];
    return now.map((item, index) => sharing(old[index], item ?? null));
  }
  if (Object.isFrozen(now)) return now;
  const old = isRecord(before) ? before : {};
  const fields: JsonRecord = {};
  for (const key in now) {
    const field = (now as JsonRecord)[key];
    if (field !== undefined) fields[key] = sharing(old[key], field);
  }
  return Object.freeze(fields);
};

/** RFC 7396: null removes, objects merge, everything else replaces. */
export const mergePatch = (target: unknown, patch: unknown): unknown => {
  if (!isRecord(patch)) return patch;
  const result: JsonRecord = isRecord(target) ? { ...target } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete result[key];
    else result[key] = mergePatch(result[key], value);
  }
  return result;
};
