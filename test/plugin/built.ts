// The real command, built once per test file, run as a process with the Node that people have.

import { execFileSync, spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { buildPlugin } from '../../deploy/plugin.ts';

export type Ran = { code: number | null; stdout: string; stderr: string };

export type Plugin = {
  file: string;
  /** The version of Node that runs it. */
  node: string;
  run(words: readonly string[], options?: { env?: Record<string, string>; input?: string }): Promise<Ran>;
  /** In a terminal, where it may ask and colour. */
  inTerminal(
    words: readonly string[],
    options?: { env?: Record<string, string>; input?: string },
  ): Promise<Ran>;
};

/** npm puts its own Node first; a user's is further behind. */
function nodeOfUsers(): string {
  const folders = (process.env.PATH ?? '')
    .split(delimiter)
    .filter((folder) => !folder.includes('node_modules'));
  for (const folder of folders) {
    try {
      const version = execFileSync(join(folder, 'node'), ['--version'], { encoding: 'utf8', stdio: 'pipe' });
      if (Number(/^v(\d+)/.exec(version)?.[1]) >= 20) return join(folder, 'node');
    } catch {
      // none there
    }
  }
  return process.execPath;
}

let built: { folder: string; file: string; node: string } | undefined;

/** Building blocks the process for a moment, which an app in it would take for overload: build before anything runs. */
function buildOnce(): NonNullable<typeof built> {
  if (built) return built;
  const folder = mkdtempSync(join(tmpdir(), 'kubectl-rds-'));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true }));
  built = { folder, file: buildPlugin(folder), node: nodeOfUsers() };
  return built;
}

export function builtPlugin(): Plugin {
  const { folder, file, node } = buildOnce();
  const start = (command: string, args: string[], env: Record<string, string>, input: string) =>
    new Promise<Ran>((resolve, reject) => {
      const child = spawn(command, args, {
        env: { PATH: process.env.PATH, HOME: folder, ...env },
        stdio: 'pipe',
      });
      let [stdout, stderr] = ['', ''];
      child.stdout.on('data', (chunk: Buffer) => {
        stdout += chunk;
      });
      child.stderr.on('data', (chunk: Buffer) => {
        stderr += chunk;
      });
      child.on('error', reject);
      child.on('close', (code) => resolve({ code, stdout, stderr }));
      child.stdin.end(input);
    });
  return {
    file,
    node: execFileSync(node, ['--version'], { encoding: 'utf8' }).trim(),
    // Through `env`: tap puts its own loader before every Node that is started from a test.
    run: (words, { env = {}, input = '' } = {}) =>
      start('env', ['-u', 'NODE_OPTIONS', node, file, ...words], env, input),
    inTerminal(words, { env = {}, input = '' } = {}) {
      const line = ['env', '-u', 'NODE_OPTIONS', node, file, ...words].map((word) => `'${word}'`).join(' ');
      return start('script', ['-qec', line, '/dev/null'], { TERM: 'xterm', ...env }, input);
    },
  };
}
