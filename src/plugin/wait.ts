// Waiting for the operator: it works by itself, so this only looks, soon at first and then every two seconds.

import type { World } from './command.ts';
import { EXIT, Failure, usage } from './failure.ts';

const FIRST_MS = 200;
const LONGEST_MS = 2_000;

export type Waiting<T> = {
  what: string;
  timeoutMs: number;
  read(): Promise<T>;
  /** The answer, once there is one. */
  isOver(seen: T): boolean;
  /** A sentence about what is seen; told when it changes. */
  describe(seen: T): string | undefined;
};

export async function waitFor<T>(world: World, waiting: Waiting<T>): Promise<T> {
  const { clock } = world;
  const began = clock.elapsed();
  let pauseMs = FIRST_MS;
  let told: string | undefined;
  for (;;) {
    const seen = await waiting.read();
    if (waiting.isOver(seen)) return seen;
    const sentence = waiting.describe(seen);
    if (sentence !== undefined && sentence !== told) world.tell(sentence);
    told = sentence;
    if (clock.elapsed() - began > waiting.timeoutMs) {
      throw new Failure(
        EXIT.timedOut,
        `${waiting.what} is not there after ${Math.round(waiting.timeoutMs / 1000)} seconds.`,
        'The operator goes on by itself; look with: kubectl rds status. Longer: --timeout 30m.',
      );
    }
    await clock.sleep(pauseMs);
    pauseMs = Math.min(pauseMs * 1.5, LONGEST_MS);
  }
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 } as const;

/** `90s`, `10m`, `1h30m`. */
export function durationMs(text: string, flag: string): number {
  const parts = [...text.matchAll(/(\d{1,6})([smhd])/g)];
  if (parts.length === 0 || parts.map(([whole]) => whole).join('') !== text)
    throw usage(`--${flag} ${text} is not a duration.`, 'Write it as in 90s, 10m, 2h or 1d.');
  return parts.reduce((sum, [, count, unit]) => sum + Number(count) * UNITS[unit as keyof typeof UNITS], 0);
}

export const timeoutOf = (flag: string | boolean | undefined, otherwiseMs: number): number =>
  typeof flag === 'string' ? durationMs(flag, 'timeout') : otherwiseMs;
