// One login per credential set: shared, renewed early in the background, and not repeated while it is refused.

import type { Clock } from '../clock.ts';
import { TerminalError } from '../errors.ts';
import { within } from './budget.ts';
import type { Bases } from './catalog.ts';
import type { OtcRequest } from './send.ts';

export type Session = {
  projectId: string;
  bases: Bases;
  region: string;
  authorize(request: OtcRequest): OtcRequest;
  /** Whether a new login could help when the cloud says 401. */
  isRenewable: boolean;
  renewAt: number;
  expiresAt: number;
  secrets: readonly string[];
  /** Of a login by password or token. */
  token?: string;
};

export type Sessions = {
  get(waitMs: number): Promise<Session>;
  /** After a 401: a session that is not the refused one. */
  renew(refused: Session, waitMs: number): Promise<Session>;
};

/** OTC locks a user after some wrong passwords in 15 minutes; new credentials get a new `Sessions` anyway. */
const refusedForMs = 5 * 60_000;
const lastMinuteMs = 60_000;
/** Pause between background renewals when IAM is down. */
const renewalGapMs = 30_000;

export function createSessions(clock: Clock, logIn: () => Promise<Session>): Sessions {
  let current: Session | undefined;
  let flight: Promise<Session> | undefined;
  let refusal: { error: TerminalError; until: number } | undefined;
  let lastStart = Number.NEGATIVE_INFINITY;

  async function run(): Promise<Session> {
    try {
      current = await logIn();
      refusal = undefined;
      return current;
    } catch (error) {
      if (error instanceof TerminalError) refusal = { error, until: clock.elapsed() + refusedForMs };
      throw error;
    } finally {
      flight = undefined;
    }
  }

  function start(): Promise<Session> {
    if (refusal && clock.elapsed() < refusal.until) return Promise.reject(refusal.error);
    if (!flight) {
      lastStart = clock.elapsed();
      flight = run();
    }
    return flight;
  }

  function renewEarly(session: Session): void {
    if (clock.elapsed() < session.renewAt || clock.elapsed() < lastStart + renewalGapMs) return;
    start().catch(() => {}); // the old token still works, the next call tries again
  }

  return {
    async get(waitMs) {
      if (
        !current ||
        clock.elapsed() >= current.expiresAt - Math.min(lastMinuteMs, current.expiresAt - current.renewAt)
      ) {
        return within(clock, waitMs, 'the login', start);
      }
      renewEarly(current);
      return current;
    },
    async renew(refused, waitMs) {
      if (current === refused) current = undefined;
      return this.get(waitMs);
    },
  };
}
