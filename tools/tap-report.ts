// Reads tap's output as it comes and keeps the tally: one line per test file, what failed and what was skipped.
import { Parser, type Result } from 'tap-parser';
import { stringify } from 'yaml';
import { seconds, type Tally } from './tally.ts';

export type FileTime = { file: string; ms: number };
export type TapReport = {
  write(text: string): void;
  /** Call when tap has ended; `errors` is what it wrote to its standard error. */
  end(ended: { ok: boolean; output: string }): FileTime[];
};

// Of use to tap's own reporters, noise for a reader.
const NOISE = new Set(['source', 'stdio', 'cwd', 'externalID', 'command', 'args', 'env']);

function describe(diagnostics: unknown): string {
  if (typeof diagnostics !== 'object' || diagnostics === null) return '';
  const said = Object.entries(diagnostics).filter(([key]) => !NOISE.has(key));
  return said
    .map(([key, value]) =>
      (typeof value === 'string' ? `${key}: ${value}` : stringify({ [key]: value })).trim(),
    )
    .join('\n');
}

const reasonOf = ({ skip, todo }: Result): string => {
  const given = skip || todo;
  const reason = typeof given === 'string' && given !== '' ? given : 'no reason given';
  return skip ? reason : `to do: ${reason}`;
};

export function createTapReport(tally: Tally, print: (line: string) => void): TapReport {
  const parser = new Parser();
  const times: FileTime[] = [];
  const counts = () => [tally.passed, tally.failures.length, tally.skips.length] as const;
  const failuresAtStart = tally.failures.length;
  let before = counts();
  let file = 'tap';
  let closing: Result | undefined;

  // A file that failed as a whole (a crash, a time-out) says so only after its closing point.
  const closeFile = (): void => {
    if (!closing) return;
    const [passed = 0, failed = 0, skipped = 0] = counts().map(
      (count, index) => count - (before[index] ?? 0),
    );
    const notes = [`${passed} passed`];
    if (failed > 0) notes.push(`${failed} failed`);
    if (skipped > 0) notes.push(`${skipped} skipped`);
    print(`${failed > 0 ? 'FAIL' : 'ok  '} ${seconds(closing.time ?? 0)}  ${file}: ${notes.join(', ')}`);
    times.push({ file, ms: closing.time ?? 0 });
    before = counts();
    closing = undefined;
  };

  parser.on('child', (child: Parser) => {
    closeFile();
    file = child.name;
  });
  parser.on('assert', (result: Result) => {
    closeFile();
    file = result.name;
    closing = result;
  });
  parser.on('result', (result: Result) => {
    const what = result.fullname.replace(`${file} > `, '');
    if (result.skip || result.todo) tally.skips.push({ where: file, what, reason: reasonOf(result) });
    else if (result.ok) tally.passed += 1;
    else tally.failures.push({ where: file, what, detail: describe(result.diag) });
  });
  parser.on('bailout', (reason: string) => {
    tally.failures.push({ where: file, what: 'bailed out', detail: reason });
  });

  return {
    write: (text) => {
      parser.write(text);
    },
    end: ({ ok, output }) => {
      parser.end();
      closeFile();
      if (tally.failures.length === failuresAtStart && !(ok && parser.results?.ok)) {
        tally.failures.push({ where: 'tap', what: 'ended badly though no test failed', detail: output });
      }
      return times;
    },
  };
}
