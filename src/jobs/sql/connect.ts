// A server that was made a minute ago may not listen yet, and a new password may be on its way: wait for both.

import { setTimeout as sleep } from 'node:timers/promises';
import { errorText, Fatal, type Work } from './work.ts';

export type Login = {
  host: string;
  port: number;
  username: string;
  password: string;
  /** Known from an earlier connection: whether the server offers TLS. */
  tls?: boolean;
};

const FIRST_PAUSE_MS = 500;
const LONGEST_PAUSE_MS = 5_000;
/** How long a refused login may be one that is being changed. */
const DENIED_MS = 20_000;

export type Verdicts = {
  /** The login is refused. */
  isDenied(error: unknown): boolean;
  /** Waiting would not help; only what needs this connection fails. */
  isFinal?(error: unknown): boolean;
};

export async function connected<Session>(
  connect: (timeoutMs: number) => Promise<Session>,
  { isDenied, isFinal }: Verdicts,
  work: Work,
): Promise<Session> {
  const startedWith = work.remainingMs();
  for (let pause = FIRST_PAUSE_MS; ; pause = Math.min(pause * 2, LONGEST_PAUSE_MS)) {
    try {
      return await connect(Math.max(1_000, Math.min(10_000, work.remainingMs())));
    } catch (error) {
      if (isFinal?.(error)) throw error;
      const waitedMs = startedWith - work.remainingMs();
      const because = work.withoutSecrets(errorText(error));
      if (isDenied(error) && waitedMs >= Math.min(DENIED_MS, startedWith / 4))
        throw new Fatal(`the server refuses the login of the administrator: ${because}`);
      if (work.remainingMs() <= pause) throw new Fatal(`the server does not answer: ${because}`);
    }
    await sleep(pause);
  }
}
