// Starts the measured programs, each on a core of its own where the system can do that.

import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { request } from 'undici';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import { freePort } from '../../test/cluster/free-port.ts';
import { COMPILED } from '../../test/support/compiled.ts';
import type { Reading } from './probe.ts';

export type Program = {
  url: string;
  port: number;
  /** `round` tells the unlimited hook that a minute has gone. */
  read(what: 'cpu' | 'memory' | 'profile' | 'round'): Promise<Reading>;
  stop(): Promise<void>;
};

const ROOT = join(import.meta.dirname, '..', '..');
const READY_MS = 60_000;
const LOOK_MS = 20;

export const hasCores = availableParallelism() > 1 && spawnSync('taskset', ['-V']).status === 0;

/** The measured process has core 0 for itself; the client and the cloud share the others. */
export const pinClient = (): void => {
  if (hasCores) spawnSync('taskset', ['-a', '-c', '-p', `1-${availableParallelism() - 1}`, `${process.pid}`]);
};

type Launch = {
  entry: string;
  args?: (port: number) => string[];
  env?: (port: number) => Record<string, string>;
  /** Answers 200 when it is there. */
  ready: string;
  core: 'measured' | 'client';
  flags?: string[];
};

async function launch({ entry, args, env, ready, core, flags = [] }: Launch): Promise<Program> {
  const port = await freePort();
  const node = [
    process.execPath,
    '--expose-gc',
    `--import=${join(import.meta.dirname, 'probe.ts')}`,
    ...flags,
    join(ROOT, entry),
    ...(args?.(port) ?? []),
  ];
  const [command = '', ...rest] = hasCores && core === 'measured' ? ['taskset', '-c', '0', ...node] : node;
  const child = spawn(command, rest, {
    cwd: ROOT,
    env: { PATH: process.env.PATH, NODE_ENV: 'production', ...COMPILED, ...env?.(port) },
    stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
  });
  const url = `http://127.0.0.1:${port}`;
  await answers(`${url}${ready}`, child);
  return {
    url,
    port,
    read: async (what) => {
      child.send(what);
      const [reading] = (await once(child, 'message')) as [Reading];
      return reading;
    },
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return;
      child.kill('SIGTERM');
      await once(child, 'exit');
    },
  };
}

async function answers(url: string, child: ChildProcess): Promise<void> {
  const end = performance.now() + READY_MS;
  while (performance.now() < end && child.exitCode === null) {
    try {
      const { statusCode, body } = await request(url);
      await body.dump();
      if (statusCode === 200) return;
    } catch {
      // Not listening yet.
    }
    await new Promise((resolve) => setTimeout(resolve, LOOK_MS));
  }
  child.kill('SIGKILL');
  throw new Error(`${url} does not answer`);
}

export function startCloud(folder: string, state: string): Promise<Program> {
  const file = join(folder, `cloud-${process.hrtime.bigint()}.json`);
  writeFileSync(file, state);
  return launch({
    entry: 'bench/processes/cloud.ts',
    args: (port) => [file, `${port}`],
    ready: '/_sim/calls',
    core: 'client',
  });
}

/** The shipped program with the shipped defaults; a fleet at rest needs no journal. */
export function startHook(cloudUrl: string, flags: string[] = []): Promise<Program> {
  return launch({
    entry: 'src/server.ts',
    env: (port) => ({
      HOST: '127.0.0.1',
      PORT: `${port}`,
      JOURNAL: 'memory',
      LOG_LEVEL: 'error',
      ...demoVariables(cloudUrl),
    }),
    ready: '/healthz',
    core: 'measured',
    flags,
  });
}

export function startPlainRoute(folder: string, answer: string): Promise<Program> {
  const file = join(folder, 'answer.json');
  writeFileSync(file, answer);
  return launch({
    entry: 'bench/processes/plain-route.ts',
    args: (port) => [file, `${port}`],
    ready: '/healthz',
    core: 'measured',
  });
}

export function startUnlimitedHook(cloudUrl: string): Promise<Program> {
  return launch({
    entry: 'bench/processes/unlimited-hook.ts',
    args: (port) => [cloudUrl, `${port}`],
    ready: '/healthz',
    core: 'measured',
  });
}
