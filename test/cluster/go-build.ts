// Programs built once from a Go module that pins them, and kept outside the repository. A changed pin or flag builds
// them anew.
import { spawn } from 'node:child_process';
import { createHash } from 'node:crypto';
import { access, constants, mkdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardProcess } from '../../src/local/pods/orphan-guard.ts';
import { isAlive } from './service.ts';

export type Log = (line: string) => void;

export type Pin = {
  /** Folder with go.mod and go.sum. */
  module: string;
  /** Name of the program -> Go package. */
  packages: Record<string, string>;
  ldflags: string;
};

export function cacheFolder(env: NodeJS.ProcessEnv = process.env): string {
  return (
    env.RDS_PILOT_CACHE || join(env.XDG_CACHE_HOME || join(env.HOME || homedir(), '.cache'), 'rds-pilot')
  );
}

async function wantedStamp({ module, ldflags }: Pin): Promise<string> {
  const hash = createHash('sha256').update(ldflags);
  for (const file of ['go.mod', 'go.sum']) hash.update(await readFile(join(module, file)));
  return hash.digest('hex');
}

const isBuilt = async (file: string, stamp: string): Promise<boolean> => {
  try {
    await access(file, constants.X_OK);
    return (await readFile(`${file}.stamp`, 'utf8')) === stamp;
  } catch {
    return false;
  }
};

type Build = { pin: Pin; name: string; target: string; log: Log; env: NodeJS.ProcessEnv };

function build({ pin, name, target, log, env }: Build): Promise<void> {
  const began = Date.now();
  const seconds = () => Math.round((Date.now() - began) / 1000);
  let compiled = 0;
  let errors = '';
  const args = [
    'build',
    '-v',
    '-trimpath',
    '-ldflags',
    pin.ldflags,
    '-o',
    target,
    pin.packages[name] ?? name,
  ];
  const child = spawn('go', args, {
    cwd: pin.module,
    env,
    detached: true,
    stdio: ['ignore', 'ignore', 'pipe'],
  });
  const release = child.pid === undefined ? undefined : guardProcess(child.pid);
  log(`building ${name} (once; minutes when Go's cache is cold)`);
  const ticker = setInterval(() => log(`building ${name}: ${compiled} packages, ${seconds()} s`), 15_000);
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    compiled += text.split('\n').length - 1;
    errors = (errors + text).slice(-4000);
  });
  return new Promise<void>((resolve, reject) => {
    child.once('error', (error: NodeJS.ErrnoException) =>
      reject(
        error.code === 'ENOENT'
          ? new Error(
              '`go` is not on the PATH: Go 1.26 or newer (https://go.dev/dl) builds the programs of the cluster tests once',
            )
          : error,
      ),
    );
    child.once('close', (code) => {
      if (code !== 0) return reject(new Error(`go build of ${name} failed:\n${errors.trimEnd()}`));
      log(`built ${name} in ${seconds()} s`);
      resolve();
    });
  }).finally(() => {
    clearInterval(ticker);
    release?.();
  });
}

/** Test files run in parallel processes: one builds, the others wait for it. */
async function withLock<T>(file: string, log: Log, work: () => Promise<T>): Promise<T> {
  let told = false;
  for (;;) {
    try {
      await writeFile(file, String(process.pid), { flag: 'wx' });
      break;
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error;
    }
    const holder = Number(await readFile(file, 'utf8').catch(() => ''));
    if (holder > 0 && !isAlive(holder)) await rm(file, { force: true });
    else {
      if (!told) log(`waiting for process ${holder || '?'}, which builds programs`);
      told = true;
      await sleep(500);
    }
  }
  try {
    return await work();
  } finally {
    await rm(file, { force: true });
  }
}

/** Name of the program -> its file, built if need be. */
export async function buildOnce(
  pin: Pin,
  log: Log = () => {},
  env: NodeJS.ProcessEnv = process.env,
): Promise<Record<string, string>> {
  const bin = join(cacheFolder(env), 'bin');
  const stamp = await wantedStamp(pin);
  const names = Object.keys(pin.packages);
  const missing = async () => {
    const built = await Promise.all(names.map((name) => isBuilt(join(bin, name), stamp)));
    return names.filter((_, index) => !built[index]);
  };
  if ((await missing()).length > 0) {
    await mkdir(bin, { recursive: true });
    await withLock(join(bin, '.lock'), log, async () => {
      for (const name of await missing()) {
        const file = join(bin, name);
        const half = `${file}.${process.pid}.part`;
        try {
          await build({ pin, name, target: half, log, env });
          await rename(half, file);
          await writeFile(`${file}.stamp`, stamp);
        } finally {
          await rm(half, { force: true });
        }
      }
    });
  }
  return Object.fromEntries(names.map((name) => [name, join(bin, name)]));
}
