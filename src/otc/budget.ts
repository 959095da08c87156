// No call starts when its caller has no time left, and no caller waits longer than it has for shared work.

import type { Clock } from '../clock.ts';
import { RetryableError } from '../errors.ts';
import type { Budget } from './cloud.ts';
import type { OtcRequest, Send } from './send.ts';

export const callDeadlineMs = 8_000;

/** A write sent with hardly any time left would only end with an unknown outcome. */
const leastWriteMs = 500;

/** Shared work (token, snapshot, lists) has its own budget: the first caller's may be nearly used up. */
export function budgetOf(clock: Clock, ms: number): Budget {
  const end = clock.elapsed() + ms;
  return { remainingMs: () => end - clock.elapsed() };
}

function outOfTime(waitingFor: string): RetryableError {
  return new RetryableError(`BUDGET: no time left for ${waitingFor}`, { code: 'BUDGET', outcome: 'refused' });
}

export function withBudget(send: Send, budget: Budget): Send {
  return async (request) => {
    const left = Math.floor(budget.remainingMs());
    if (left < leastMs(request)) throw outOfTime(`${request.method} ${request.route}`);
    return send({ ...request, deadlineMs: Math.min(callDeadlineMs, left) });
  };
}

function leastMs({ method, service }: OtcRequest): number {
  return method === 'GET' || method === 'HEAD' || service === 'iam' ? 1 : leastWriteMs;
}

/** Waits for shared work at most so long; the work itself goes on for the others. */
export async function within<T>(
  clock: Clock,
  waitMs: number,
  name: string,
  start: () => Promise<T>,
): Promise<T> {
  if (waitMs <= 0) throw outOfTime(name);
  const work = start();
  // Whoever left early must not turn a later failure into an unhandled rejection.
  work.catch(() => {});
  const late = clock.sleep(waitMs).then(() => {
    throw outOfTime(name);
  });
  late.catch(() => {});
  return Promise.race([work, late]);
}
