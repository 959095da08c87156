// Objects of the cluster are plain JSON. These few functions are all the loop and the store need to handle it.

export type JsonRecord = { [key: string]: unknown };

export const isRecord = (value: unknown): value is JsonRecord =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** A copy as a wire would make it: own values, `undefined` gone. What is frozen is as good as copied. */
export const copyJson = <T>(value: T): T => copy(value, true) as T;

/** A copy that may be edited, whatever it was made of. */
export const editableCopy = <T>(value: T): T => copy(value, false) as T;

const copy = (value: unknown, sharesFrozen: boolean): unknown => {
  if (typeof value !== 'object' || value === null) return value;
  if (sharesFrozen && Object.isFrozen(value)) return value;
  if (Array.isArray(value))
    return value.map((item) => (item === undefined ? null : copy(item, sharesFrozen)));
  const result: JsonRecord = {};
  for (const key in value) {
    const item = (value as JsonRecord)[key];
    if (item !== undefined) result[key] = copy(item, sharesFrozen);
  }
  return result;
};

export const deepEqual = (left: unknown, right: unknown): boolean => {
  if (Object.is(left, right)) return true;
  if (Array.isArray(left)) {
    return (
      Array.isArray(right) &&
      left.length === right.length &&
      left.every((item, index) => deepEqual(item, right[index]))
    );
  }
  if (!isRecord(left) || !isRecord(right)) return false;
  let missing = 0;
  for (const _key in right) missing += 1;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
    missing -= 1;
  }
  return missing === 0;
};

/**
 * Stored objects are shared by cache and listeners: nobody may edit one. Nothing else here freezes, so what is frozen
 * is so down to the last leaf, and without `undefined`.
 */
export const deepFreeze = <T>(value: T): T => {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    for (const key in value) deepFreeze(value[key]);
    Object.freeze(value);
  }
  return value;
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
