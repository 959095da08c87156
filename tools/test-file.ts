// One test file is one process: `node <file>`, which speaks TAP; those that need nothing but the processor share one.
// Compiled code is kept between the processes.
import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { childEnv, REPOSITORY } from './command.ts';
import { createGroupReport } from './group-report.ts';
import { packTypebox, USE_PACKED } from './packed.ts';
import type { FileResult } from './tally.ts';
import { createTapReport, type Ending } from './tap-report.ts';

const COMPILED = join(REPOSITORY, '.tap/compiled');
/** Of one test, unless it asks for another, and of a file. */
const TEST_SECONDS = 1_500;
const FILE_SECONDS = 1_800;
const KEPT_OUTPUT = 20_000;

export type TestFileOptions = {
  /** Where V8 writes what was reached; code that was kept is not seen by it. */
  coverage?: string | undefined;
};

const packed = packTypebox();
const IMPORTS = ['./tools/without-domains.ts', USE_PACKED].flatMap((module) => ['--import', module]);

const variables = async ({ coverage }: TestFileOptions): Promise<NodeJS.ProcessEnv> => ({
  ...childEnv,
  TAP_TIMEOUT: `${TEST_SECONDS}`,
  PACKED_TYPEBOX: await packed,
  ...(coverage === undefined ? { NODE_COMPILE_CACHE: COMPILED } : { NODE_V8_COVERAGE: coverage }),
});

type Listeners = { onOutput: (text: string) => void; onStandardError: (text: string) => void };

async function runProcess(
  file: string,
  { env: more, ...options }: TestFileOptions & { env?: Record<string, string> },
  { onOutput, onStandardError }: Listeners,
): Promise<Pick<Ending, 'ok' | 'how'>> {
  const env = { ...(await variables(options)), ...more };
  return new Promise((resolve) => {
    const child = spawn(process.execPath, [...IMPORTS, file], {
      cwd: REPOSITORY,
      env,
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    let how = '';
    child.stdout.setEncoding('utf8').on('data', onOutput);
    child.stderr.setEncoding('utf8').on('data', onStandardError);
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
      resolve({ ok: code === 0, how });
    });
  });
}

export async function runTestFile(file: string, options: TestFileOptions = {}): Promise<FileResult> {
  const began = performance.now();
  const report = createTapReport(file);
  let output = '';
  const ended = await runProcess(file, options, {
    onOutput: report.write,
    onStandardError: (text) => {
      output = `${output}${text}`.slice(-KEPT_OUTPUT);
    },
  });
  return { file, ms: performance.now() - began, tally: report.end({ ...ended, output }) };
}

/** In one process, one after the other; those behind one that ends it go on in another. */
export async function runTestFiles(
  files: readonly string[],
  options: TestFileOptions,
  onResult: (result: FileResult) => void,
): Promise<void> {
  for (let left = files; left.length > 0; ) {
    const report = createGroupReport(left, onResult);
    const env = { TEST_FILES: JSON.stringify(left) };
    const ended = await runProcess(
      'tools/together.ts',
      { ...options, env },
      {
        onOutput: report.write,
        onStandardError: report.onStandardError,
      },
    );
    left = report.end(ended);
  }
}
