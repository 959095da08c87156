// Whether two values say the same as JSON: `undefined` is as good as missing. What is one object on both sides is not
// looked into.

type Json = Record<string, unknown>;

export function deepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && sameItems(left, right);
  return !Array.isArray(right) && sameFields(left as Json, right as Json);
}

const sameItems = (left: readonly unknown[], right: readonly unknown[]): boolean =>
  left.length === right.length && left.every((item, index) => deepEqual(item, right[index]));

function sameFields(left: Json, right: Json): boolean {
  let missing = 0;
  for (const name in right) if (right[name] !== undefined) missing += 1;
  for (const name in left) {
    const field = left[name];
    if (field === undefined) continue;
    if (!deepEqual(field, right[name])) return false;
    missing -= 1;
  }
  return missing === 0;
}
