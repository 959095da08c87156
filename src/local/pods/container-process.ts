// One container as a local process in its own group: its output in pieces, a memory limit, an end with a reason.
import { spawn } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import type { Launch } from './box.ts';
import { guardProcess } from './orphan-guard.ts';

export type ContainerEnd = { exitCode: number; reason: 'Completed' | 'Error' | 'OOMKilled' | 'StartError' };
export type ContainerProcess = { ended: Promise<ContainerEnd>; signal: (signal: NodeJS.Signals) => void };
export type StreamName = 'stdout' | 'stderr';

/** `process.kill`: a negative number means the whole group. */
export type Kill = (pid: number, signal: NodeJS.Signals) => unknown;

type ContainerOptions = {
  kill: Kill;
  onOutput: (stream: StreamName, chunk: Buffer) => void;
  memoryLimitBytes?: number;
};

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

export function runContainer(launch: Launch, options: ContainerOptions): ContainerProcess {
  const { kill, onOutput, memoryLimitBytes = Number.POSITIVE_INFINITY } = options;
  const { command, args, env, cwd } = launch;
  const child = spawn(command, args, { detached: true, env, cwd, stdio: ['ignore', 'pipe', 'pipe'] });
  child.stdout.on('data', (chunk: Buffer) => onOutput('stdout', chunk));
  child.stderr.on('data', (chunk: Buffer) => onOutput('stderr', chunk));
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
      kill(-pid, name);
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
  child.once('exit', () => {
    clearInterval(meter);
    // Nothing that the container left behind outlives it, or keeps its output open.
    signal('SIGKILL');
    release();
  });
  const ended = new Promise<ContainerEnd>((resolve) => {
    // All output was handed on by then.
    child.once('close', (code, killedBy) => {
      const exitCode = code ?? 128 + (killedBy ? (SIGNAL_NUMBERS[killedBy] ?? 0) : 0);
      resolve({ exitCode, reason: outOfMemory ? 'OOMKilled' : exitCode === 0 ? 'Completed' : 'Error' });
    });
  });
  return { ended, signal };
}
