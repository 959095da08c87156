// All chance of a schedule comes from its seed. Most of it is stateless (seed + name -> number), so that taking one
// decision out of a schedule leaves all the others as they were.

export type Chance = {
  /** 0 <= x < 1, always the same for the same name. */
  of(name: string): number;
  below(name: string, limit: number): number;
  pick<T>(name: string, items: readonly T[]): T;
};

/** FNV-1a with a final mix: neighbouring names must not give neighbouring numbers. */
export function mixed(seed: number, name: string): number {
  let hash = (0x811c9dc5 ^ Math.imul(seed, 0x9e3779b1)) >>> 0;
  for (let index = 0; index < name.length; index += 1) {
    hash ^= name.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  hash ^= hash >>> 16;
  hash = Math.imul(hash, 0x85ebca6b);
  hash ^= hash >>> 13;
  hash = Math.imul(hash, 0xc2b2ae35);
  return (hash ^ (hash >>> 16)) >>> 0;
}

export function createChance(seed: number): Chance {
  const of = (name: string) => mixed(seed, name) / 4_294_967_296;
  const below = (name: string, limit: number) => Math.floor(of(name) * limit);
  return {
    of,
    below,
    pick(name, items) {
      const item = items[below(name, items.length)];
      if (item === undefined) throw new Error(`nothing to pick for ${name}`);
      return item;
    },
  };
}

/** A sequence of numbers, for code that wants a generator. */
export function createSequence(seed: number): () => number {
  let count = 0;
  return () => {
    count += 1;
    return mixed(seed, `#${count}`) / 4_294_967_296;
  };
}
