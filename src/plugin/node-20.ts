// What the shared code uses and Node 20 does not have yet. The tests run the plugin on the oldest Node at hand.

const groupBy = <Key, Item>(
  items: Iterable<Item>,
  keyOf: (item: Item, index: number) => Key,
): Map<Key, Item[]> => {
  const groups = new Map<Key, Item[]>();
  let index = 0;
  for (const item of items) {
    const key = keyOf(item, index);
    groups.set(key, [...(groups.get(key) ?? []), item]);
    index += 1;
  }
  return groups;
};

/** Called before anything else. */
export function fillIn(): void {
  Map.groupBy ??= groupBy;
}
