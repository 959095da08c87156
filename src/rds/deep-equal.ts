// Whether two values say the same as JSON: `undefined` is as good as missing. What is one object on both sides is not
// looked into.

type Json = Record<string, unknown>;

export function deepEqual(left: unknown, right: unknown): boolean {
  if (Object.is(left, right)) return true;
  if (typeof left !== 'object' || typeof right !== 'object' || left === null || right === null) return false;
  if (Array.isArray(left)) return Array.isArray(right) && sameItems(left, right);
  return !Array.isArray(right) && sameFields(left as Json, right as Json);
}

function sameItems(left: readonly unknown[], right: readonly unknown[]): boolean {
  if (left.length !== right.length) return false;
  for (let index = 0; index < left.length; index += 1)
    if (!deepEqual(left[index], right[index])) return false;
  return true;
}

/** Most comparisons end at a field that is the same value on both sides. */
function sameFields(left: Json, right: Json): boolean {
  let told = 0;
  for (const name in left) {
    const field = left[name];
    if (field === undefined) continue;
    const other = right[name];
    if (field !== other && !deepEqual(field, other)) return false;
    told += 1;
  }
  for (const name in right) if (right[name] !== undefined) told -= 1;
  return told === 0;
}
