// Finding and running the programs of the databases: servers, clients, dumps.
import { type ChildProcess, spawn } from 'node:child_process';
import { createReadStream, createWriteStream, existsSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';

const POSTGRESQL_HOME = '/usr/lib/postgresql';
const USUAL_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin';

/** Debian keeps each PostgreSQL in a folder of its own, off the path; the newest comes first. */
function folders(): string[] {
  const versions = existsSync(POSTGRESQL_HOME) ? readdirSync(POSTGRESQL_HOME) : [];
  return [
    ...versions.sort((a, b) => Number(b) - Number(a)).map((version) => join(POSTGRESQL_HOME, version, 'bin')),
    ...USUAL_PATH.split(':'),
  ];
}

const fileOf = (program: string): string | undefined =>
  folders()
    .map((folder) => join(folder, program))
    .find((file) => existsSync(file));

export const missingPrograms = (programs: readonly string[]): string[] =>
  programs.filter((program) => !fileOf(program));

export type RunAs = { uid?: number; gid?: number };

type Run = {
  /** Beside a fixed path and locale; nothing is inherited. */
  env?: Record<string, string>;
  input?: string;
  inputFile?: string;
  outputFile?: string;
  runAs?: RunAs;
};

const environment = (env: Record<string, string> = {}) => ({ PATH: USUAL_PATH, LC_ALL: 'C.UTF-8', ...env });

function located(program: string): string {
  const file = fileOf(program);
  if (!file) throw new Error(`The program ${program} is not installed.`);
  return file;
}

/** Runs to the end and gives what it printed; throws with its complaint when it fails. */
export async function run(program: string, args: readonly string[], options: Run = {}): Promise<string> {
  const child = spawn(located(program), args, {
    env: environment(options.env),
    cwd: '/',
    ...options.runAs,
  });
  let complaint = '';
  let printed = '';
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    complaint += text;
  });
  if (!options.outputFile)
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      printed += text;
    });
  const ended = new Promise<number | null>((resolve, reject) => {
    child.once('error', reject);
    child.once('close', resolve);
  });
  // A program that ends early closes its input: its exit tells what went wrong, not the broken pipe.
  child.stdin.on('error', () => {});
  const fed = options.inputFile
    ? pipeline(createReadStream(options.inputFile), child.stdin).catch(() => {})
    : child.stdin.end(options.input ?? '');
  const kept = options.outputFile && pipeline(child.stdout, createWriteStream(options.outputFile));
  const [code] = await Promise.all([ended, fed, kept]);
  if (code !== 0) throw new Error(`${program} failed: ${complaint.trim() || `exit code ${code}`}`);
  return printed;
}

/** Runs on; asked to end when this process dies, however it dies. */
export function launch(
  program: string,
  args: readonly string[],
  { runAs, endsOn }: { runAs: RunAs; endsOn: 'TERM' | 'INT' },
): ChildProcess {
  const bound = fileOf('setpriv');
  const command = [located(program), ...args];
  const [file = '', ...rest] = bound ? [bound, '--pdeathsig', endsOn, '--', ...command] : command;
  return spawn(file, rest, { env: environment(), cwd: '/', stdio: ['ignore', 'ignore', 'pipe'], ...runAs });
}
