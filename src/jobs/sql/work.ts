// One run's bookkeeping: what was done, what failed and why, and how much time is left. No secret gets
// through: every known password is blotted out of whatever a server says.

import type { SqlFailure } from '../../rds/sql-wish.ts';

/** The run as a whole cannot go on. */
export class Fatal extends Error {}

export type Work = {
  remainingMs(): number;
  /** Says what was changed. */
  did(statement: string, database?: string): void;
  /** One user or database: what goes wrong with it is told, and the others go on. */
  attempt(what: string, run: () => Promise<void>): Promise<boolean>;
  readonly changed: number;
  readonly failures: readonly SqlFailure[];
  withoutSecrets(text: string): string;
};

export type WorkOptions = {
  deadlineMs: number;
  now(): number;
  secrets: readonly string[];
  print(line: Record<string, unknown>): void;
};

/** Errors after which nothing more can be asked of the server. */
const CONNECTION_LOST =
  /ECONNRESET|EPIPE|ECONNREFUSED|ETIMEDOUT|PROTOCOL_CONNECTION_LOST|57P01|57P02|57P03|Connection terminated|closed state|not queryable/;

export function createWork({ deadlineMs, now, secrets, print }: WorkOptions): Work {
  const endAt = now() + deadlineMs;
  const failures: SqlFailure[] = [];
  let changed = 0;
  // Longest first: a password may be part of another.
  const blots = [...new Set(secrets)].filter((secret) => secret !== '').sort((a, b) => b.length - a.length);
  const withoutSecrets = (text: string) =>
    blots.reduce((rest, secret) => rest.replaceAll(secret, '***'), text);

  return {
    remainingMs: () => endAt - now(),
    get changed() {
      return changed;
    },
    failures,
    withoutSecrets,
    did(statement, database) {
      changed += 1;
      print({ did: withoutSecrets(statement), ...(database === undefined ? {} : { in: database }) });
    },
    async attempt(what, run) {
      if (endAt - now() <= 0) throw new Fatal(`the time was over before ${what} came up`);
      try {
        await run();
        return true;
      } catch (error) {
        const text = errorText(error);
        if (error instanceof Fatal || CONNECTION_LOST.test(text))
          throw new Fatal(`${what}: ${withoutSecrets(text)}`);
        const why = withoutSecrets(text);
        failures.push({ what, why });
        print({ failed: what, why });
        return false;
      }
    },
  };
}

export function errorText(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  const code = (error as { code?: unknown }).code;
  return typeof code === 'string' ? `${error.message} (${code})` : error.message;
}
