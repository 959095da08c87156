// Refusals in the log: one line per reason and minute with how many there were, since strangers decide how many come.

import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { Refusal } from './outcome.ts';

const PAUSE_MS = 60_000;

export type NoteRefusal = (reason: Refusal, error?: unknown) => void;

export function createRefusalLog(log: Logger, clock: Clock): NoteRefusal {
  const told = new Map<Refusal, { at: number; since: number }>();
  return (reason, error) => {
    const last = told.get(reason);
    if (last && clock.elapsed() - last.at < PAUSE_MS) {
      last.since += 1;
      return;
    }
    // The cause is ours (a failed fetch, an API server); nothing of the message is written.
    log.warn(
      { reason, alike: last?.since ?? 0, cause: causeOf(error) },
      'a message to the alarm port was refused',
    );
    told.set(reason, { at: clock.elapsed(), since: 0 });
  };
}

function causeOf(error: unknown): string | undefined {
  const cause = error instanceof Error ? error.cause : undefined;
  return cause instanceof Error ? cause.message.slice(0, 200) : undefined;
}
