// Polling until it is so: the error says what was awaited and what was seen last.
import { setTimeout as sleep } from 'node:timers/promises';

/** Only for what never happens: a busy machine is slow, and a wait that succeeds costs no more for it. */
const PATIENCE_MS = 300_000;

export type WaitOptions = { everyMs?: number };

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 2000);

/** Calls `look` until it gives something truthy, and returns that. An error thrown by `look` counts as "not yet". */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { everyMs = 100 }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + PATIENCE_MS;
  let last: unknown;
  for (;;) {
    try {
      const seen = await look();
      if (seen) return seen;
      last = seen;
    } catch (error) {
      last = error instanceof Error ? error.message : error;
    }
    if (Date.now() > deadline)
      throw new Error(`waited ${PATIENCE_MS} ms for: ${what}; last seen: ${shown(last)}`);
    await sleep(everyMs);
  }
}
