// What happened, in order: as lines for a story, and as a digest, since two runs of one seed must agree byte for byte.
// Only made when somebody wants to read it: a failing schedule is run again for its story.

import { createHash } from 'node:crypto';

export type History = {
  note(line: string): void;
  /** Hex digest of everything so far. */
  digest(): string;
  readonly lines: readonly string[];
};

export function createHistory(now: () => number, startMs: number): History {
  const lines: string[] = [];
  return {
    note: (text) => void lines.push(`${((now() - startMs) / 1000).toFixed(3)} ${text}`),
    digest: () => createHash('sha256').update(lines.join('\n')).digest('hex'),
    lines,
  };
}
