// Bounded memory for things made on first use; the one not asked for longest goes first.

export type Lru<V> = { get(key: string, make: () => V): V };

export function createLru<V>(max: number): Lru<V> {
  const entries = new Map<string, { value: V }>();
  return {
    get(key, make) {
      const entry = entries.get(key) ?? { value: make() };
      entries.delete(key);
      entries.set(key, entry);
      const oldest = entries.keys().next();
      if (entries.size > max && !oldest.done) entries.delete(oldest.value);
      return entry.value;
    },
  };
}
