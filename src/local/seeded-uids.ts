// UIDs that look real and repeat with the seed.

import { hex32 } from '../rds/hash.ts';

export const seededUids = (seed: number): (() => string) => {
  let state = seed >>> 0;
  const next32 = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
  return () => {
    const first = hex32(next32());
    const second = hex32(next32());
    const third = hex32(next32());
    const fourth = hex32(next32());
    return `${first}-${second.slice(0, 4)}-4${second.slice(5)}-a${third.slice(1, 4)}-${third.slice(4)}${fourth}`;
  };
};
