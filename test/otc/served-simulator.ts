// The simulator behind a real socket and our client on the other end. Only the test moves the cloud's clock; the
// client waits in real time, but stamps its requests with the cloud's.

import type { Test } from 'tap';
import { systemClock } from '../../src/clock.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { serveSimulator } from '../../src/simulator/server.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { newInstance } from './scripted-cloud.ts';

const budgetMs = 15_000;
const limits = { callsPerSecond: 1_000, burst: 1_000 };

export async function servedSimulator(t: Test, options: SimulatorOptions = {}) {
  let now = Date.UTC(2026, 0, 1, 10);
  const clock = {
    ...systemClock,
    now: () => now,
    // Deadlines of calls that were in time must not keep the test alive.
    sleep: (ms: number) => new Promise<void>((resolve) => setTimeout(resolve, ms).unref()),
  };
  const simulator = createSimulator({ automatedBackups: false, clock, ...options });
  const server = await serveSimulator(simulator);
  const { send, close } = createUndiciSend();
  t.teardown(async () => {
    await close();
    await server.close();
  });
  const openCloud = createOpenCloud({ send, clock, random: () => 0.1, limits });
  const { OS_USERNAME, OS_PASSWORD, ...where } = demoVariables(server.url);
  const keys = {
    OS_ACCESS_KEY: 'DEMOACCESSKEY0000001',
    OS_SECRET_KEY: 'demoSecretKey00000000000000000000000001A',
  };
  const open = (by: Record<string, string> = { OS_USERNAME, OS_PASSWORD }) => {
    const end = systemClock.elapsed() + budgetMs;
    return openCloud(readCredentials({ ...where, ...by }), {
      remainingMs: () => end - systemClock.elapsed(),
    });
  };

  return {
    simulator,
    url: server.url,
    open,
    openByKeys: () => open(keys),
    advance(ms: number): void {
      now += ms;
      simulator.settle();
    },
    async build(name: string): Promise<string> {
      const network = await open().network({ vpc: 'default', subnet: 'default', securityGroup: 'default' });
      const flavor = 'rds.pg.n1.large.2';
      const { id } = await open().createInstance({ ...newInstance, ...network, flavor, name });
      now += 10 * 60_000;
      return id;
    },
    async control(path: string, body: unknown): Promise<void> {
      const reply = await fetch(`${server.url}/_sim/${path}`, { method: 'POST', body: JSON.stringify(body) });
      if (!reply.ok) throw new Error(await reply.text());
    },
  };
}
