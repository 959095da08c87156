// How long a container may go on: until its deadline, until its credential ends, or until the pod is stopped.

import type { Clock } from '../../clock.ts';
import { type CloudError, RetryableError } from '../../errors.ts';
import type { Budget } from '../../otc/cloud.ts';

export class OutOfTime extends Error {}

export type Patience = Budget & {
  /** From now on no call starts and nobody waits. */
  stop(because: string): void;
  /** Why no more time is left; undefined while there is some. */
  isOver(): string | undefined;
  /** Repeats a read that the cloud could not answer now, for as long as there is time. */
  insist<T>(read: () => Promise<T>): Promise<T>;
};

type Options = { clock: Clock; ms: number; because: string; tell: (line: string) => void };

const FIRST_PAUSE_MS = 1_000;
const LONGEST_PAUSE_MS = 30_000;

export function createPatience({ clock, ms, because, tell }: Options): Patience {
  const end = clock.elapsed() + ms;
  let stopped: string | undefined;
  let wake = () => {};
  const whenStopped = new Promise<void>((resolve) => {
    wake = resolve;
  });
  const remainingMs = () => (stopped === undefined ? Math.max(0, end - clock.elapsed()) : 0);
  const isOver = () => stopped ?? (remainingMs() === 0 ? because : undefined);

  async function pause(pauseMs: number, error: RetryableError): Promise<void> {
    if (pauseMs >= remainingMs()) throw new OutOfTime(isOver() ?? because, { cause: error });
    tell(`${error.message}; next try in ${Math.ceil(pauseMs / 1_000)} s`);
    await Promise.race([clock.sleep(pauseMs), whenStopped]);
  }

  return {
    remainingMs,
    isOver,
    stop(reason) {
      stopped ??= reason;
      wake();
    },
    async insist(read) {
      for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
        const over = isOver();
        if (over !== undefined) throw new OutOfTime(over);
        try {
          return await read();
        } catch (error) {
          if (!(error instanceof RetryableError)) throw error;
          await pause(Math.max(pauseMs, (error.retryAfterSeconds ?? 0) * 1_000), error);
        }
      }
    },
  };
}

/** Codes with which the cloud says that it does not know the credential (any more). */
const REFUSED = /^(APIGW\.030\d|IAM\.006\d|HTTP_401|DBS\.280056)$/;

export function isCredentialRefused(error: CloudError): boolean {
  return REFUSED.test(error.code);
}
