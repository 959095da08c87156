// Tells apart what several test files say that run in one process (together.ts): each is a subtest by its path.
import type { FileResult } from './tally.ts';
import { createTapReport, type Ending, type TapReport } from './tap-report.ts';

const BEGINS = /^# Subtest: (.*)$/;
const ENDS = /^(not )?ok \d+ - /;
const INDENT = '    ';

type Ended = Pick<Ending, 'ok' | 'how'>;

export type GroupReport = {
  write(text: string): void;
  onStandardError(text: string): void;
  /** Call when the process has ended; the files that still have to be run. */
  end(ended: Ended): readonly string[];
};

export function createGroupReport(
  files: readonly string[],
  onResult: (result: FileResult) => void,
): GroupReport {
  const waiting = [...files];
  let current: { file: string; report: TapReport; began: number; ended?: Ended & { ms: number } } | undefined;
  let hasFailed = false;
  let output = '';
  let rest = '';

  /** Only now: what it wrote to its standard error may come after all else. */
  function tell(ended: Ended): void {
    if (!current) return;
    const {
      file,
      report,
      began,
      ended: { ms, ...known } = { ...ended, ms: performance.now() - began },
    } = current;
    const tally = report.end({ ...known, output });
    hasFailed ||= tally.failures.length > 0;
    onResult({ file, ms, tally });
    current = undefined;
    output = '';
  }

  function begin(file: string): void {
    tell({ ok: false, how: 'it did not end' });
    waiting.shift();
    current = { file, report: createTapReport(file), began: performance.now() };
  }

  function line(text: string): void {
    const [, file] = BEGINS.exec(text) ?? [];
    if (file !== undefined && file === waiting[0]) begin(file);
    else if (text.startsWith(INDENT)) current?.report.write(`${text.slice(INDENT.length)}\n`);
    else if (ENDS.test(text) && current && !current.ended)
      current.ended = {
        ok: text.startsWith('ok'),
        how: 'a test failed',
        ms: performance.now() - current.began,
      };
  }

  return {
    write(text) {
      const lines = `${rest}${text}`.split('\n');
      rest = lines.pop() ?? '';
      for (const one of lines) line(one);
    },
    onStandardError(text) {
      output = `${output}${text}`;
    },
    end({ ok, how }) {
      // A process that ends badly is somebody's fault: of the last one that said something, if no other has failed.
      if (!current) begin(waiting[0] ?? files.at(-1) ?? '');
      if (current?.ended?.ok && !hasFailed && (!ok || waiting.length > 0))
        current.ended = { ...current.ended, ok: false, how };
      tell({ ok: false, how });
      return waiting;
    },
  };
}
