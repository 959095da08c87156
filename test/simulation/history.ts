// What happened, in order: always as a running digest (two runs of one seed must agree byte for byte), and as lines
// when somebody wants to read it.

import { createHash } from 'node:crypto';

export type History = {
  note(line: string): void;
  /** Hex digest of everything so far. */
  digest(): string;
  readonly lines: readonly string[];
  readonly count: number;
};

export function createHistory(now: () => number, startMs: number, keep: boolean): History {
  const hash = createHash('sha256');
  const lines: string[] = [];
  let buffer = '';
  let count = 0;

  const flush = () => {
    hash.update(buffer);
    buffer = '';
  };

  return {
    note(text) {
      const line = `${((now() - startMs) / 1000).toFixed(3)} ${text}`;
      count += 1;
      buffer += `${line}\n`;
      if (buffer.length > 60_000) flush();
      if (keep) lines.push(line);
    },
    digest() {
      flush();
      return hash.copy().digest('hex');
    },
    lines,
    get count() {
      return count;
    },
  };
}
