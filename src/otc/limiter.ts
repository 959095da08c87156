// A credential set shares one rate: OTC throttles per user, so one busy tenant loop must not starve itself
// into 429s, and a 429 that did come holds back every call of that user.

import type { Clock } from '../clock.ts';
import { RetryableError } from '../errors.ts';
import type { Budget } from './cloud.ts';
import type { Usage } from './observe.ts';
import { retryAfterSeconds } from './response-headers.ts';
import { longestWaitMs } from './retry.ts';
import type { Send } from './send.ts';

export type Limiter = {
  /** Waits for a slot, or fails at once when the wait would be longer than allowed. */
  take(maxWaitMs: number): Promise<void>;
  pause(ms: number): void;
};

export const defaultLimits = { callsPerSecond: 10, burst: 20 };

export function createLimiter(clock: Clock, { callsPerSecond, burst } = defaultLimits): Limiter {
  const intervalMs = 1_000 / callsPerSecond;
  /** When the bucket would be full again: each call moves it one interval further. */
  let fullAt = 0;
  let pausedUntil = 0;

  function refuseLongWaits(startAt: number, end: number): void {
    const now = clock.elapsed();
    if (startAt > end || pausedUntil - now > longestWaitMs) throw throttled(startAt - now);
  }

  return {
    async take(maxWaitMs) {
      const now = clock.elapsed();
      const end = now + maxWaitMs;
      const slot = Math.max(now, fullAt) + intervalMs - burst * intervalMs;
      let startAt = Math.max(slot, pausedUntil);
      refuseLongWaits(startAt, end);
      fullAt = Math.max(now, fullAt) + intervalMs;
      // A pause may begin while we wait.
      while (startAt > clock.elapsed()) {
        await clock.sleep(startAt - clock.elapsed());
        startAt = Math.max(startAt, pausedUntil);
        refuseLongWaits(startAt, end);
      }
    },
    pause(ms) {
      pausedUntil = Math.max(pausedUntil, clock.elapsed() + ms);
      // No burst after a pause: the cloud has just said that it is too much.
      fullAt = Math.max(fullAt, pausedUntil + (burst - 1) * intervalMs);
    },
  };
}

export function watchLimiter(limiter: Limiter, clock: Clock, usage: Usage): Limiter {
  return {
    ...limiter,
    async take(maxWaitMs) {
      const startedAt = clock.elapsed();
      try {
        await limiter.take(maxWaitMs);
      } catch (error) {
        usage.limiter(clock.elapsed() - startedAt, 'refused');
        throw error;
      }
      usage.limiter(clock.elapsed() - startedAt, 'sent');
    },
  };
}

function throttled(waitMs: number): RetryableError {
  return new RetryableError('THROTTLED: held back by our own rate limit or by the cloud, nothing was sent', {
    code: 'THROTTLED',
    outcome: 'refused',
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}

export function withLimiter(send: Send, limiter: Limiter, budget: Budget, clock: Clock): Send {
  return async (request) => {
    await limiter.take(budget.remainingMs());
    const response = await send(request);
    if (response.status === 429) limiter.pause((retryAfterSeconds(response, clock.now()) ?? 0) * 1_000);
    return response;
  };
}
