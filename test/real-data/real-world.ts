// The small world with real databases behind its cloud. Its clock runs by itself, many times faster than ours, so that
// the hooks see time pass while the servers do their work; but it waits for work that takes long, so that a busy
// machine makes the test slower and nothing else.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Hosting, TaskName, Wish } from '../../src/simulator/hosting.ts';
import { openHost } from '../../src/simulator/real/open-host.ts';
import type { EngineUnderTest } from '../simulator/real-cloud.ts';
import { createWorld, HOUR, MINUTE, SECOND, type WorldOptions } from '../support/world.ts';
import type { Login } from './client.ts';

const TICK_MS = 20;
/** Virtual time in one tick. */
const STEP_MS = 2 * SECOND;
/** Divides the durations that the cloud makes up, so that those of the real work count. */
const SPEED = 60;
/** Virtual time that passes during one piece of real work; then the clock waits for its end. */
const WORK_MS = 5 * MINUTE;
/** Virtual time for one thing to happen. */
const PATIENCE_MS = 3 * HOUR;
/** Real time, for work that never ends. */
const HANGS_MS = 10 * MINUTE;

const tasksOf = ({ instances, backups }: Wish): TaskName[] => [
  ...instances.map(({ id }): TaskName => `build ${id}`),
  ...instances.flatMap(({ restore }): TaskName[] => (restore ? [`restore ${restore.jobId}`] : [])),
  ...backups.map(({ id }): TaskName => `backup ${id}`),
];

export type RealWorld = Awaited<ReturnType<typeof createRealWorld>>;

export type RealWorldOptions = {
  /** One more than the machine's own, so that two instances may have the same port. */
  listenAddresses?: string[];
  deps?: WorldOptions['deps'];
};

export async function createRealWorld(
  t: Pick<Test, 'teardown'>,
  { flag }: EngineUnderTest,
  { listenAddresses = [], deps = {} }: RealWorldOptions = {},
) {
  const problems: string[] = [];
  const folder = mkdtempSync(join(tmpdir(), 'rds-data-'));
  const host = openHost({
    [flag]: 'own',
    folder,
    listenAddresses,
    report: (problem) => problems.push(problem),
  });
  let answering = 0;
  async function hold<T>(work: () => Promise<T>): Promise<T> {
    answering += 1;
    return work().finally(() => {
      answering -= 1;
    });
  }
  let wished: Wish = { instances: [], backups: [] };
  const hosting: Hosting = {
    ...host,
    wish(wish) {
      wished = wish;
      host.wish(wish);
    },
    quiet: () => hold(host.quiet),
  };
  const world = await createWorld({ deps, simulator: { hosting, speed: SPEED, automatedBackups: false } });
  const { clock } = world;

  /** Since when the same work is under way. */
  let work = '';
  let workSince = clock.now();
  function isWorkingLong(): boolean {
    const working = tasksOf(wished).filter((task) => host.progressOf(task).is === 'working');
    if (`${working}` !== work) workSince = clock.now();
    work = `${working}`;
    return work !== '' && clock.now() - workSince > WORK_MS;
  }

  const stopping = new AbortController();
  async function letTimePass(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(TICK_MS);
      // An answer that waits for a server must not cost the hook its time budget.
      if (answering === 0 && !isWorkingLong()) await clock.advance(STEP_MS);
    }
  }
  const passing = letTimePass();
  t.teardown(async () => {
    stopping.abort();
    await passing;
    await world.stop();
    await host.close({ data: false });
  });

  async function until<T>(what: string, look: () => Promise<T | undefined | false>): Promise<T> {
    const [end, hangsAt] = [clock.now() + PATIENCE_MS, Date.now() + HANGS_MS];
    for (; clock.now() < end && Date.now() < hangsAt; await pause(TICK_MS)) {
      const found = await look();
      if (found) return found;
    }
    const seen = world.api.dump().flatMap(({ kind, metadata, status }) => {
      return kind.startsWith('Rds') ? [`${metadata.name}: ${JSON.stringify(status)}`] : [];
    });
    throw new Error(`It never happened: ${what}. ${[...problems, ...seen].join('\n')}`);
  }

  async function connection(name: string): Promise<Login | undefined> {
    const secret = await world.object(`/api/v1/namespaces/team-a/secrets/${name}-connection`);
    const data = secret?.data as Record<string, string> | undefined;
    if (!data) return undefined;
    const value = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString();
    return {
      host: value('ip'),
      port: Number(value('port')),
      user: value('username'),
      password: value('password'),
    };
  }

  return Object.assign(world, {
    problems,
    until,
    /** No time passes while this works. */
    hold,
    /** The login of the connection Secret, once the Rds is ready. */
    login: (name: string): Promise<Login> =>
      until(`${name} is ready`, async () => {
        const { phase } = await world.status(name);
        return phase === 'Ready' && connection(name);
      }),
  });
}
