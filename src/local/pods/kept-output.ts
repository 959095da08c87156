// What the containers of one Job printed, line by line: the last of it, in order, with what is secret taken out.

import { StringDecoder } from 'node:string_decoder';
import type { StreamName } from './container-process.ts';

export type OutputLine = { container: string; stream: StreamName; text: string };

export type KeptOutput = {
  add(container: string, stream: StreamName, chunk: Buffer): void;
  /** A last line without an end counts too. */
  close(): void;
  /** Lines from that number on, and the number of the next one. */
  since(line: number): { next: number; dropped: number; lines: OutputLine[] };
};

const KEPT_LINES = 1_000;
const LONGEST_LINE = 4_000;
const HIDDEN = '(hidden)';

/** `secrets`, which may grow, are never kept, wherever they stand. */
export function createKeptOutput(secrets: ReadonlySet<string>): KeptOutput {
  const lines: OutputLine[] = [];
  const open = new Map<
    string,
    { container: string; stream: StreamName; text: string; decoder: StringDecoder }
  >();
  let dropped = 0;

  const hide = (text: string): string =>
    // The longest first: a short one may be a part of it.
    [...secrets]
      .sort((one, other) => other.length - one.length)
      .reduce((shown, secret) => shown.replaceAll(secret, HIDDEN), text);

  function keep(container: string, stream: StreamName, text: string): void {
    // Hidden before it is cut: half a secret would not be recognized.
    lines.push({ container, stream, text: hide(text).slice(0, LONGEST_LINE) });
    if (lines.length <= KEPT_LINES) return;
    lines.shift();
    dropped += 1;
  }

  return {
    add(container, stream, chunk) {
      const key = `${container} ${stream}`;
      const rest = open.get(key) ?? { container, stream, text: '', decoder: new StringDecoder('utf8') };
      open.set(key, rest);
      const whole = (rest.text + rest.decoder.write(chunk)).split('\n');
      rest.text = whole.pop() ?? '';
      for (const text of whole) keep(container, stream, text);
    },
    close() {
      for (const { container, stream, text } of open.values()) if (text) keep(container, stream, text);
      open.clear();
    },
    since: (line) => ({
      next: dropped + lines.length,
      dropped,
      lines: lines.slice(Math.max(0, line - dropped)),
    }),
  };
}
