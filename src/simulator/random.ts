// All chance comes from one seeded generator whose state is part of the world, so a saved world goes on alike.

export type Random = {
  /** 0 <= x < 1 */
  next(): number;
  below(limit: number): number;
  hex(length: number): string;
  uuid(): string;
  shuffled<T>(items: readonly T[]): T[];
};

const HEX_BYTES = Array.from({ length: 256 }, (_, byte) => byte.toString(16).padStart(2, '0'));

export function createRandom(holder: { random: number }): Random {
  // mulberry32
  const next = () => {
    holder.random = (holder.random + 0x6d2b79f5) | 0;
    let t = Math.imul(holder.random ^ (holder.random >>> 15), 1 | holder.random);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 4294967296;
  };
  const below = (limit: number) => Math.floor(next() * limit);
  const hex = (length: number) => {
    let text = '';
    while (text.length < length) {
      const number = below(0x10000);
      text += `${HEX_BYTES[number >>> 8]}${HEX_BYTES[number & 0xff]}`;
    }
    return text.slice(0, length);
  };
  const uuid = () => [hex(8), hex(4), `4${hex(3)}`, `a${hex(3)}`, hex(12)].join('-');
  const shuffled = <T>(items: readonly T[]): T[] =>
    items
      .map((item) => ({ item, key: next() }))
      .sort((a, b) => a.key - b.key)
      .map(({ item }) => item);
  return { next, below, hex, uuid, shuffled };
}
