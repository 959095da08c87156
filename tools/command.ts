// Child processes of the tools. Their PATH starts with node_modules/.bin, where Node 24 is.
import { spawn } from 'node:child_process';
import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

export const REPOSITORY = join(import.meta.dirname, '..');

const path = [join(REPOSITORY, 'node_modules/.bin'), process.env.PATH ?? ''].join(delimiter);
export const childEnv = { ...process.env, PATH: path };

export type Ended = { ok: boolean; output: string; ms: number };

/** The output is collected, except what `onOutput` takes of the standard output; `'inherit'` shows all of it. */
export function run(
  command: readonly string[],
  onOutput?: 'inherit' | ((text: string) => void),
): Promise<Ended> {
  const [file = '', ...args] = command;
  const stdio = onOutput === 'inherit' ? 'inherit' : 'pipe';
  const began = performance.now();
  return new Promise((resolve) => {
    const child = spawn(file, args, { cwd: REPOSITORY, env: childEnv, stdio: ['ignore', stdio, stdio] });
    let output = '';
    const collect = (text: string) => {
      output += text;
    };
    child.stdout?.setEncoding('utf8').on('data', typeof onOutput === 'function' ? onOutput : collect);
    child.stderr?.setEncoding('utf8').on('data', collect);
    const end = (ok: boolean) => resolve({ ok, output, ms: performance.now() - began });
    child.once('error', (error) => {
      collect(`${error.message}\n`);
      end(false);
    });
    child.once('close', (code) => end(code === 0));
  });
}

export function isOnPath(name: string): boolean {
  return path.split(delimiter).some((folder) => {
    try {
      accessSync(join(folder, name), constants.X_OK);
      return true;
    } catch {
      return false;
    }
  });
}
