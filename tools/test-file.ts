// One test file is one process: `node <file>`, which speaks TAP. Compiled code is kept between the processes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { childEnv, REPOSITORY } from './command.ts';
import type { Tally } from './tally.ts';
import { createTapReport } from './tap-report.ts';

const COMPILED = join(REPOSITORY, '.tap/compiled');
/** Of one test, unless it asks for another, and of a file. */
const TEST_SECONDS = 1_500;
const FILE_SECONDS = 1_800;
const KEPT_OUTPUT = 20_000;

export type FileResult = { file: string; ms: number; tally: Tally };
export type TestFileOptions = {
  /** Where V8 writes what was reached; code that was kept is not seen by it. */
  coverage?: string | undefined;
};

const variables = ({ coverage }: TestFileOptions): NodeJS.ProcessEnv => ({
  ...childEnv,
  TAP_TIMEOUT: `${TEST_SECONDS}`,
  ...(coverage === undefined ? { NODE_COMPILE_CACHE: COMPILED } : { NODE_V8_COVERAGE: coverage }),
});

export function runTestFile(file: string, options: TestFileOptions = {}): Promise<FileResult> {
  const began = performance.now();
  const report = createTapReport(file);
  return new Promise((resolve) => {
    const child = spawn(process.execPath, ['--import', './tools/without-domains.ts', file], {
      cwd: REPOSITORY,
      env: variables(options),
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let output = '';
    let how = '';
    child.stdout.setEncoding('utf8').on('data', report.write);
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(-KEPT_OUTPUT);
    });
    const deadline = setTimeout(() => {
      how = `not done after ${FILE_SECONDS} s`;
      child.kill('SIGKILL');
    }, FILE_SECONDS * 1_000);
    child.once('error', (error) => {
      how = error.message;
    });
    child.once('close', (code, signal) => {
      clearTimeout(deadline);
      how ||= signal ?? `code ${code}`;
      resolve({ file, ms: performance.now() - began, tally: report.end({ ok: code === 0, how, output }) });
    });
  });
}
