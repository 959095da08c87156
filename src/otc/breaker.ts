// A cloud that hangs would hold each caller until its deadline, and with them Metacontroller's few workers, which the
// other tenants need too. After some calls in a row without a useful answer the next ones fail at once, except one now and then.

import type { Clock } from '../clock.ts';
import { RetryableError } from '../errors.ts';
import { callDeadlineMs } from './budget.ts';
import { type Send, SendError, type Service } from './send.ts';

/** As many as the attempts of one read: a stumble on a good day closes nothing. */
const STRIKES = 4;
/** Longer than a call may take, so that one at a time finds out whether the cloud is back. */
const REST_MS = callDeadlineMs + 2_000;

/** A gateway in front of a service that is down. */
const notNow: ReadonlySet<number> = new Set([502, 503, 504]);

type Line = { unanswered: number; closedUntil: number };

export type Breaker = {
  guard(send: Send): Send;
  /** Throws while a service does not answer: whoever waited for the one call that finds out would be held up, too. */
  refuse(service: Service): void;
};

/** Each service by itself: without metrics a database can still be managed. */
export function createBreaker(clock: Clock): Breaker {
  const lines = new Map<Service, Line>();
  const lineOf = (service: Service): Line => {
    const line = lines.get(service) ?? { unanswered: 0, closedUntil: 0 };
    lines.set(service, line);
    return line;
  };

  function refuse(service: Service): void {
    const line = lineOf(service);
    const waitMs = line.unanswered < STRIKES ? 0 : line.closedUntil - clock.elapsed();
    if (waitMs > 0) throw unanswered(service, waitMs);
  }

  const guard =
    (send: Send): Send =>
    async (request) => {
      refuse(request.service);
      const line = lineOf(request.service);
      const rest = () => {
        line.closedUntil = clock.elapsed() + REST_MS;
      };
      const strike = () => {
        line.unanswered += 1;
        rest();
      };
      if (line.unanswered >= STRIKES) rest();
      try {
        const response = await send(request);
        if (notNow.has(response.status)) strike();
        else line.unanswered = 0;
        return response;
      } catch (error) {
        if (error instanceof SendError) strike();
        throw error;
      }
    };
  return { guard, refuse };
}

function unanswered(service: Service, waitMs: number): RetryableError {
  return new RetryableError(`NO_ANSWER: the last calls of ${service} had no answer, nothing was sent`, {
    code: 'NO_ANSWER',
    outcome: 'refused',
    retryAfterSeconds: Math.ceil(waitMs / 1_000),
  });
}
