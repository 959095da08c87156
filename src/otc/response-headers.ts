// The two headers of an answer that steer us: how long to stay away, and what time it is in the cloud.

import type { OtcResponse } from './send.ts';

/** A longer wait than this would be a mistake of the sender. */
const longestSeconds = 600;

/** Retry-After comes as seconds or as a date. */
export function retryAfterSeconds({ headers }: OtcResponse, nowMs: number): number | undefined {
  const value = headers['retry-after']?.trim();
  if (value === undefined) return undefined;
  const seconds = /^\d+$/.test(value) ? Number(value) : Math.ceil((Date.parse(value) - nowMs) / 1_000);
  return Number.isNaN(seconds) ? undefined : Math.min(Math.max(seconds, 0), longestSeconds);
}

/** The cloud's clock in ms, or the given time if it did not say. */
export function dateOf({ headers }: OtcResponse, otherwiseMs: number): number {
  const ms = Date.parse(headers.date ?? '');
  return Number.isNaN(ms) ? otherwiseMs : ms;
}
