// A child process that is started until ready, stopped, killed, paused and started again; its output is in a file.
import { type ChildProcess, spawn } from 'node:child_process';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import { guardProcess } from '../../src/local/pods/orphan-guard.ts';
import { COMPILED } from '../support/compiled.ts';

export type ServiceOptions = {
  name: string;
  command: string;
  args: string[];
  logFile: string;
  env?: Record<string, string>;
  isReady: () => Promise<boolean>;
};

export type Service = {
  name: string;
  logFile: string;
  /** Undefined while it does not run. */
  pid: () => number | undefined;
  start: () => Promise<void>;
  /** SIGTERM to the process group, SIGKILL after the grace. Does nothing when it does not run. */
  stop: (graceMs?: number) => Promise<void>;
  kill: () => Promise<void>;
  pause: () => void;
  resume: () => void;
  logTail: (lines?: number) => string;
};

/** One that ends is noticed at once; this is for one that hangs, and a busy machine is slow. */
const READY_WITHIN_MS = 300_000;

type Running = { child: ChildProcess; pid: number; ended: Promise<string>; endedAs?: string };

export const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};

const signalGroup = (pid: number, signal: NodeJS.Signals): void => {
  try {
    process.kill(-pid, signal);
  } catch {
    // It has ended in the meantime.
  }
};

function launch(options: ServiceOptions): Running {
  const output = openSync(options.logFile, 'a');
  const child = spawn(options.command, options.args, {
    detached: true,
    env: { PATH: process.env.PATH ?? '', ...COMPILED, ...options.env },
    stdio: ['ignore', output, output],
  });
  closeSync(output);
  const pid = child.pid;
  const failed = new Promise<string>((resolve) => child.once('error', (error) => resolve(error.message)));
  if (pid === undefined) return { child, pid: 0, ended: failed };
  const release = guardProcess(pid);
  const ended = new Promise<string>((resolve) =>
    child.once('exit', (code, signal) => {
      release();
      resolve(signal ?? `code ${code}`);
    }),
  );
  child.unref();
  return { child, pid, ended };
}

export function createService(options: ServiceOptions): Service {
  let running: Running | undefined;

  const logTail = (lines = 20): string => {
    try {
      return readFileSync(options.logFile, 'utf8').trimEnd().split('\n').slice(-lines).join('\n');
    } catch {
      return '(no log)';
    }
  };

  const end = async (signal: NodeJS.Signals, graceMs: number): Promise<void> => {
    if (!running) return;
    const { child, pid, ended } = running;
    child.ref();
    signalGroup(pid, signal);
    // A paused process takes no SIGTERM before it is continued.
    signalGroup(pid, 'SIGCONT');
    const timer = setTimeout(() => signalGroup(pid, 'SIGKILL'), graceMs);
    await ended;
    clearTimeout(timer);
    running = undefined;
  };

  const start = async (): Promise<void> => {
    if (running) throw new Error(`${options.name} runs already`);
    const mine = launch(options);
    running = mine;
    void mine.ended.then((how) => {
      mine.endedAs = how;
      if (running === mine) running = undefined;
    });
    const deadline = Date.now() + READY_WITHIN_MS;
    while (!(await options.isReady().catch(() => false))) {
      if (mine.endedAs !== undefined) {
        throw new Error(`${options.name} ended (${mine.endedAs}) before it was ready:\n${logTail()}`);
      }
      if (Date.now() > deadline) {
        await end('SIGKILL', 0);
        throw new Error(`${options.name} was not ready in time:\n${logTail()}`);
      }
      await sleep(50);
    }
  };

  return {
    name: options.name,
    logFile: options.logFile,
    pid: () => running?.pid,
    start,
    stop: (graceMs = 10_000) => end('SIGTERM', graceMs),
    kill: () => end('SIGKILL', 0),
    pause: () => running && signalGroup(running.pid, 'SIGSTOP'),
    resume: () => running && signalGroup(running.pid, 'SIGCONT'),
    logTail,
  };
}
