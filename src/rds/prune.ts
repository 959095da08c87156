// Unknown fields vanish without a word, as a structural schema makes them.

type Schema = { properties?: Record<string, Schema>; items?: Schema };

export function pruned(value: unknown, schema: unknown): unknown {
  const { items, properties } = schema as Schema;
  if (Array.isArray(value)) return items ? value.map((item) => pruned(item, items)) : value;
  if (typeof value !== 'object' || value === null || !properties) return value;
  const kept = Object.entries(value).filter(([name]) => properties[name] !== undefined);
  return Object.fromEntries(kept.map(([name, field]) => [name, pruned(field, properties[name] ?? {})]));
}

/** Nothing would be pruned. */
export function isAllKnown(value: unknown, schema: unknown): boolean {
  if (typeof value !== 'object' || value === null) return true;
  const { items, properties } = schema as Schema;
  if (Array.isArray(value)) return !items || value.every((item) => isAllKnown(item, items));
  if (!properties) return true;
  for (const name in value) {
    const property = properties[name];
    if (property === undefined) return false;
    // Most are leaves, and need no look.
    if (!isLeaf(property) && !isAllKnown((value as Record<string, unknown>)[name], property)) return false;
  }
  return true;
}

const isLeaf = ({ properties, items }: Schema): boolean => properties === undefined && items === undefined;
