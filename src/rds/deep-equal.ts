// Whether two values of plain JSON say the same. What is one object on both sides is not looked into.

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
  for (const _name in right) missing += 1;
  for (const name in left) {
    const other = right[name];
    if (!deepEqual(left[name], other) || (other === undefined && !Object.hasOwn(right, name))) return false;
    missing -= 1;
  }
  return missing === 0;
}
