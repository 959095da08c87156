// How much of something may go on at once and per second. What is beyond is refused, not queued: a flood costs
// little then, and what is refused in error is sent again.

import type { Clock } from '../clock.ts';

export type GateLimits = { atOnce: number; perSecond: number; burst: number };

export type Gate = {
  /** How to leave again; undefined: no entry. */
  enter(): (() => void) | undefined;
};

export function createGate(clock: Clock, { atOnce, perSecond, burst }: GateLimits): Gate {
  let inside = 0;
  let left = burst;
  let at = clock.elapsed();
  return {
    enter() {
      const now = clock.elapsed();
      left = Math.min(burst, left + ((now - at) / 1_000) * perSecond);
      at = now;
      if (inside >= atOnce || left < 1) return undefined;
      left -= 1;
      inside += 1;
      let isInside = true;
      return () => {
        if (isInside) inside -= 1;
        isInside = false;
      };
    },
  };
}
