// The time of one hook call (design section 2): Metacontroller hangs up after 30 s, so calls to the cloud
// start only in the first 15 s, a create only in the first 10, and every answer is out before 24 s.

import type { Clock } from '../clock.ts';

export type CallBudget = {
  /** For the cloud client: what is left of the time in which calls may start. */
  remainingMs(): number;
  elapsedMs(): number;
};

export const LIMITS = { startCallsMs: 15_000, startCreateMs: 10_000, answerMs: 24_000 } as const;

/** A call that starts in time may take its own deadline on top. */
const CALL_DEADLINE_MS = 8_000;

/** Kept free for the record in the journal (one swap and, should its answer be lost, one read of 2.5 s each) and our own work. */
const RECORD_MS = 5_500;

export function createBudget(clock: Clock): CallBudget {
  const startedAt = clock.elapsed();
  const elapsedMs = () => clock.elapsed() - startedAt;
  return {
    elapsedMs,
    remainingMs: () =>
      elapsedMs() > LIMITS.startCallsMs
        ? 0
        : Math.min(CALL_DEADLINE_MS, LIMITS.answerMs - RECORD_MS - elapsedMs()),
  };
}
