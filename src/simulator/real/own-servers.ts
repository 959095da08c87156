// A private server for every instance: its own process, folder and port, under an unprivileged user.
import type { ChildProcess } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, chown, mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import type { Belongings, Database, Login } from './database.ts';
import type { RunAs } from './programs.ts';
import type { Supply } from './supply.ts';

/** How one engine's server is set up and started. */
export type ServerKind = {
  admin: string;
  /** Makes the data folder; the admin must be able to log in with the password afterwards. */
  initialise(home: Home, password: string): Promise<void>;
  start(home: Home, port: number): ChildProcess;
  /** Ends it without waiting for clients. */
  stopSignal: NodeJS.Signals;
};

/** Kept in the instance's folder. */
type Known = { password: string; belongings: Belongings };

export type Home = {
  folder: string;
  data: string;
  /** For what a server needs for a moment only. */
  temporary: string;
  runAs: RunAs;
};

/** Debian's nobody and nogroup. PostgreSQL refuses to run as root, and MariaDB should. */
const NOBODY = { uid: 65534, gid: 65534 };
/** One that ends is noticed at once; this is for one that hangs, and a busy machine is slow. */
const START_TIMEOUT_MS = 300_000;
const START_ATTEMPTS = 3;
const STOP_TIMEOUT_MS = 20_000;
const PAUSE_MS = 100;

class Ended extends Error {}

const pause = (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms));

export function ownServers(
  kind: ServerKind,
  database: Database,
  folderOf: (instanceId: string) => string,
): Supply {
  const running = new Map<string, ChildProcess>();

  async function homeOf(instanceId: string): Promise<Home> {
    const isRoot = userInfo().uid === 0;
    const folder = folderOf(instanceId);
    const temporary = join(folder, 'temporary');
    await mkdir(temporary, { recursive: true });
    if (isRoot) {
      for (const path of [folder, temporary]) await chown(path, NOBODY.uid, NOBODY.gid);
      await chmod(folder, 0o700);
    }
    return { folder, data: join(folder, 'data'), temporary, runAs: isRoot ? NOBODY : {} };
  }

  /** A port that was free a moment ago may be taken by a connection of somebody: then another one is tried. */
  async function start(instanceId: string, home: Home, password: string): Promise<Login> {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await startOnce(instanceId, home, password);
      } catch (error) {
        if (attempt === START_ATTEMPTS || !(error instanceof Ended)) throw error;
      }
    }
  }

  async function startOnce(instanceId: string, home: Home, password: string): Promise<Login> {
    const port = await freePort();
    const child = kind.start(home, port);
    let complaint = '';
    child.stderr?.setEncoding('utf8').on('data', (text: string) => {
      complaint = (complaint + text).slice(-2_000);
    });
    child.on('error', (error) => {
      complaint += error.message;
    });
    running.set(instanceId, child);
    const admin = { user: kind.admin, password, host: '127.0.0.1', port };
    await untilItAnswers(admin, child, () => complaint);
    return admin;
  }

  async function untilItAnswers(admin: Login, child: ChildProcess, complaint: () => string): Promise<void> {
    for (const end = Date.now() + START_TIMEOUT_MS; ; ) {
      if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined)
        throw new Ended(`The server did not start: ${complaint()}`);
      const failure = await database.survey(admin).then(
        () => undefined,
        (error: Error) => error,
      );
      if (!failure) return;
      if (Date.now() > end) throw new Error(`The server does not answer: ${failure.message}`);
      await pause(PAUSE_MS);
    }
  }

  async function stop(instanceId: string): Promise<void> {
    const child = running.get(instanceId);
    running.delete(instanceId);
    if (!child || child.exitCode !== null || child.signalCode !== null) return;
    const ended = new Promise<void>((resolve) => child.once('exit', () => resolve()));
    child.kill(kind.stopSignal);
    const killing = setTimeout(() => child.kill('SIGKILL'), STOP_TIMEOUT_MS);
    await ended;
    clearTimeout(killing);
  }

  return {
    isShared: false,
    problemWith: () => undefined,
    async take(instanceId) {
      const home = await homeOf(instanceId);
      const file = join(home.folder, 'server.json');
      const known: Known | undefined = existsSync(file)
        ? JSON.parse(await readFile(file, 'utf8'))
        : undefined;
      const password = known?.password ?? randomBytes(18).toString('hex');
      if (!known) {
        await rm(home.data, { recursive: true, force: true });
        await kind.initialise(home, password);
      }
      const admin = await start(instanceId, home, password);
      const belongings = known?.belongings ?? (await database.survey(admin));
      if (!known) await writeFile(file, JSON.stringify({ password, belongings }), { mode: 0o600 });
      return { admin, belongings, forwardsFrom: undefined };
    },
    release: stop,
    async close() {
      await Promise.all([...running.keys()].map(stop));
    },
  };
}

const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const server = createServer();
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => {
      const address = server.address();
      server.close(() =>
        typeof address === 'object' && address ? resolve(address.port) : reject(new Error('no free port')),
      );
    });
  });
