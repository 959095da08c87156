// How client-go slows down: doubling per key, and a token bucket over all keys (or over all events of an object).

import type { Clock } from '../clock.ts';

/** Milliseconds to wait for the next token; taking one may go into debt. */
export type Bucket = { reserve(): number; tryTake(): boolean };

export const createBucket = (clock: Clock, perSecond: number, burst: number): Bucket => {
  let tokens = burst;
  let last = clock.now();
  const refill = (): void => {
    const now = clock.now();
    tokens = Math.min(burst, tokens + ((now - last) / 1000) * perSecond);
    last = now;
  };
  return {
    reserve() {
      refill();
      tokens -= 1;
      return tokens >= 0 ? 0 : (-tokens / perSecond) * 1000;
    },
    tryTake() {
      refill();
      if (tokens < 1) return false;
      tokens -= 1;
      return true;
    },
  };
};

const baseMs = 5;
const maxMs = 1_000_000;

export type RateLimiter = { next(key: string): number; forget(key: string): void };

export const createRateLimiter = (clock: Clock): RateLimiter => {
  const failures = new Map<string, number>();
  const bucket = createBucket(clock, 10, 100);
  return {
    next(key) {
      const count = failures.get(key) ?? 0;
      failures.set(key, count + 1);
      return Math.max(Math.min(baseMs * 2 ** count, maxMs), bucket.reserve());
    },
    forget: (key) => void failures.delete(key),
  };
};
