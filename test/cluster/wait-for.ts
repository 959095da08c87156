// Polling with a deadline: the error says what was awaited and what was seen last.
import { setTimeout as sleep } from 'node:timers/promises';

export type WaitOptions = { timeoutMs?: number; everyMs?: number };

const shown = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 2000);

/** Calls `look` until it gives something truthy, and returns that. An error thrown by `look` counts as "not yet". */
export async function waitFor<T>(
  what: string,
  look: () => Promise<T | undefined | null | false> | T | undefined | null | false,
  { timeoutMs = 30_000, everyMs = 100 }: WaitOptions = {},
): Promise<T> {
  const deadline = Date.now() + timeoutMs;
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
      throw new Error(`waited ${timeoutMs} ms for: ${what}; last seen: ${shown(last)}`);
    await sleep(everyMs);
  }
}
