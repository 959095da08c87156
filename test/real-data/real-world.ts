// The small world with real databases behind its cloud. Its clock runs by itself, many times faster than ours, so that
// the hooks see time pass while the servers do their work.

import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import type { Test } from 'tap';
import type { Hosting } from '../../src/simulator/hosting.ts';
import { openHost } from '../../src/simulator/real/open-host.ts';
import type { EngineUnderTest } from '../simulator/real-cloud.ts';
import { createWorld, SECOND, type WorldOptions } from '../support/world.ts';
import type { Login } from './client.ts';

const TICK_MS = 20;
/** Virtual time in one tick. */
const STEP_MS = 2 * SECOND;
/** Divides the durations that the cloud makes up, so that those of the real work count. */
const SPEED = 60;
const PATIENCE_MS = 60 * SECOND;

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
  const hosting: Hosting = { ...host, quiet: () => hold(host.quiet) };
  const world = await createWorld({ deps, simulator: { hosting, speed: SPEED, automatedBackups: false } });
  const { clock } = world;

  const stopping = new AbortController();
  async function letTimePass(): Promise<void> {
    while (!stopping.signal.aborted) {
      await pause(TICK_MS);
      // An answer that waits for a server must not cost the hook its time budget.
      if (answering === 0) await clock.advance(STEP_MS);
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
    for (const end = Date.now() + PATIENCE_MS; Date.now() < end; await pause(TICK_MS)) {
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
