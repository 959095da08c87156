// Reads are repeated when the cloud stumbles; writes never, because a lost answer may hide a paid database.

import type { Clock } from '../clock.ts';
import type { Budget } from './cloud.ts';
import { retryAfterSeconds } from './response-headers.ts';
import { type OtcRequest, type OtcResponse, type Send, SendError } from './send.ts';

const maxAttempts = 4;
const firstDelayMs = 250;
const longestDelayMs = 4_000;
/** Less than this after the pause is not worth another attempt. */
const leastAttemptMs = 250;

/** A hook call that waits holds a worker of Metacontroller, which other tenants need: what asks for more comes back later. */
export const longestWaitMs = 2_000;

const passingStatus = new Set([429, 502, 503, 504]);

export type RetryDeps = { clock: Clock; random: () => number; budget: Budget };

export function withReadRetry(send: Send, { clock, random, budget }: RetryDeps): Send {
  const pauseMs = (attempt: number, atLeastSeconds: number) =>
    Math.max(random() * Math.min(longestDelayMs, firstDelayMs * 2 ** attempt), atLeastSeconds * 1_000);

  return async (request) => {
    if (!isRepeatable(request)) return send(request);
    for (let attempt = 1; ; attempt++) {
      const result = await attemptOnce(send, request);
      if (attempt === maxAttempts || !isPassing(result)) return unwrap(result);
      const asked = result instanceof SendError ? undefined : retryAfterSeconds(result, clock.now());
      const delayMs = pauseMs(attempt, asked ?? 0);
      if ((asked ?? 0) * 1_000 > longestWaitMs || budget.remainingMs() - delayMs < leastAttemptMs)
        return unwrap(result);
      await clock.sleep(delayMs);
    }
  };
}

/** Asking for a token is a POST, but a second token does no harm; asking for metrics only looks like a write. */
const repeatablePosts = ['iam /v3/auth/tokens', 'ces /V1.0/{project}/batch-query-metric-data'];

function isRepeatable({ method, service, route }: OtcRequest): boolean {
  if (method === 'POST') return repeatablePosts.includes(`${service} ${route}`);
  return method === 'GET' || method === 'HEAD';
}

async function attemptOnce(send: Send, request: OtcRequest): Promise<OtcResponse | SendError> {
  try {
    return await send(request);
  } catch (error) {
    if (error instanceof SendError) return error;
    throw error;
  }
}

function isPassing(result: OtcResponse | SendError): boolean {
  return result instanceof SendError || passingStatus.has(result.status);
}

function unwrap(result: OtcResponse | SendError): OtcResponse {
  if (result instanceof SendError) throw result;
  return result;
}
