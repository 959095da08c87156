// One container as a local process in its own group: output to files, a memory limit, an end with a reason.
import { spawn } from 'node:child_process';
import { closeSync, openSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import { guardProcess } from './guard.ts';
import type { Launch } from './sandbox.ts';

export type ContainerEnd = { exitCode: number; reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError' };
export type ContainerProcess = { ended: Promise<ContainerEnd>; signal: (signal: NodeJS.Signals) => void };

const UNITS: Record<string, number> = { Ki: 2 ** 10, Mi: 2 ** 20, Gi: 2 ** 30, k: 1e3, M: 1e6, G: 1e9 };

export function bytesOf(quantity: string): number {
  const [, amount, unit = ''] = /^([\d.]+)([A-Za-z]*)$/.exec(quantity) ?? [];
  const factor = unit === '' ? 1 : UNITS[unit];
  if (amount === undefined || factor === undefined) throw new Error(`not a memory quantity: ${quantity}`);
  return Number(amount) * factor;
}

/** Only the container's first process is measured; ours have no other. Nothing is measured outside Linux. */
async function residentBytes(pid: number): Promise<number> {
  const status = await readFile(`/proc/${pid}/status`, 'utf8').catch(() => '');
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(status)?.[1] ?? 0) * 1024;
}

const SIGNAL_NUMBERS: Partial<Record<NodeJS.Signals, number>> = {
  SIGHUP: 1,
  SIGINT: 2,
  SIGKILL: 9,
  SIGTERM: 15,
};

export function runContainer(
  launch: Launch,
  files: { stdout: string; stderr: string },
  memoryLimitBytes = Number.POSITIVE_INFINITY,
): ContainerProcess {
  const outputs = [openSync(files.stdout, 'a'), openSync(files.stderr, 'a')] as const;
  const { command, args, env, cwd } = launch;
  const child = spawn(command, args, { detached: true, env, cwd, stdio: ['ignore', ...outputs] });
  for (const output of outputs) closeSync(output);
  const pid = child.pid;
  if (pid === undefined) {
    const ended = new Promise<ContainerEnd>((resolve) =>
      child.once('error', () => resolve({ exitCode: 128, reason: 'StartError' })),
    );
    return { ended, signal: () => {} };
  }

  const release = guardProcess(pid);
  let outOfMemory = false;
  const signal = (name: NodeJS.Signals): void => {
    try {
      process.kill(-pid, name);
    } catch {
      // It has ended in the meantime.
    }
  };
  const measure = async (): Promise<void> => {
    if ((await residentBytes(pid)) <= memoryLimitBytes) return;
    outOfMemory = true;
    signal('SIGKILL');
  };
  const meter = Number.isFinite(memoryLimitBytes) ? setInterval(() => void measure(), 100) : undefined;
  const ended = new Promise<ContainerEnd>((resolve) => {
    child.once('exit', (code, killedBy) => {
      clearInterval(meter);
      // Nothing that the container left behind outlives it.
      signal('SIGKILL');
      release();
      const exitCode = code ?? 128 + (killedBy ? (SIGNAL_NUMBERS[killedBy] ?? 0) : 0);
      resolve({ exitCode, reason: outOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error' });
    });
  });
  return { ended, signal };
}
