// A failing schedule as a story that a person can follow: what struck when, what was done, and what broke.

import { START } from './clock.ts';
import type { Result } from './schedule.ts';
import { INVARIANTS } from './violation.ts';

const LINES = 60;

export function tellStory(found: Result, shrunk: Result): string {
  const { violation } = shrunk;
  if (!violation) return `seed ${found.seed}: no violation`;
  const seconds = (at: number) => `${((at - START) / 1000).toFixed(1).padStart(8)} s`;
  const decisions = shrunk.fired.map(
    ({ at, key, kind, about }) => `  ${seconds(at)}  ${key}: ${about ?? kind}`,
  );
  return [
    `seed ${found.seed} breaks "${violation.invariant}" (${INVARIANTS[violation.invariant]})`,
    `  ${violation.message}`,
    `what people did and what went wrong (${shrunk.fired.length} of ${found.fired.length} decisions are needed):`,
    ...decisions,
    `${seconds(violation.at)}  VIOLATION`,
    `replay: npm run simulate -- --seeds 1 --first ${found.seed} --story`,
  ].join('\n');
}

/** The last lines of the history, without the calm parts. */
export function lastLines(result: Result): string {
  const isAnswer = / -> 200 \d+ Ready .*Ready=True\/Available Synced=True/;
  return result.lines
    .filter((line) => !isAnswer.test(line) || line.includes('VIOLATION'))
    .slice(-LINES)
    .join('\n');
}
