// Reads the output of one test file as it comes: what passed, what failed and what was skipped.
import { Parser, type Result } from 'tap-parser';
import { stringify } from 'yaml';
import { emptyTally, type Tally } from './tally.ts';

export type Ending = {
  ok: boolean;
  /** How the process ended, in words. */
  how: string;
  /** What it wrote to its standard error. */
  output: string;
};
export type TapReport = {
  write(text: string): void;
  /** Call when the process has ended. */
  end(ending: Ending): Tally;
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

export function createTapReport(file: string): TapReport {
  const parser = new Parser();
  const tally = emptyTally();
  const fail = (what: string, detail: string): void => {
    tally.failures.push({ where: file, what, detail });
  };

  parser.on('result', (result: Result) => {
    const what = result.fullname;
    if (result.skip || result.todo) tally.skips.push({ where: file, what, reason: reasonOf(result) });
    else if (result.ok) tally.passed += 1;
    else fail(what, describe(result.diag));
  });
  parser.on('bailout', (reason: string) => fail('bailed out', reason));
  // `1..0 # reason`: the file says that there is nothing to test here.
  parser.on('plan', ({ end, comment }: { end: number; comment: string }) => {
    if (end === 0) tally.skips.push({ where: file, what: 'the whole file', reason: comment || 'no tests' });
  });

  return {
    write: (text) => {
      parser.write(text);
    },
    end: ({ ok, how, output }) => {
      parser.end();
      // A crash, a test that never ended, a plan that was not kept.
      const broken = parser.results?.failures.filter(({ tapError }) => tapError) ?? [];
      const isExplained = tally.failures.length > 0 || (ok && parser.results?.ok);
      if (broken.length > 0 || !isExplained) {
        const said = broken.map(({ tapError }) => tapError).join(', ');
        fail(`the file ended badly: ${[how, said].filter(Boolean).join('; ')}`, '');
      }
      const last = tally.failures.at(-1);
      if (last && output) last.detail = `${last.detail}\n${output}`.trim();
      return tally;
    },
  };
}
