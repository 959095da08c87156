// An Rds with the autopilot in the small world of test/support, and what one wants to know about it.
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { Alarm } from '../../src/simulator/ces/types.ts';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { condition, createWorld, MINUTE, type WorldOptions } from '../support/world.ts';

export const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
export const ACT: RdsSpec = { ...BASE, autopilot: { mode: 'Act', storage: { maxGb: 100 } } };

export type Load = { cpu?: number; mem?: number; disk?: number; growthGbPerDay?: number };
export type AutopilotWorld = Awaited<ReturnType<typeof autopilotWorld>>;

export async function autopilotWorld(
  t: { teardown(run: () => Promise<void>): void },
  spec: RdsSpec = ACT,
  options: WorldOptions = {},
) {
  const world = await createWorld({
    ...options,
    simulator: { automatedBackups: false, ...options.simulator },
  });
  t.teardown(() => world.stop());
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(3 * MINUTE);

  const control = async (path: string, body: unknown) => {
    const { status, body: answer } = await world.simulator.handle({
      method: 'POST',
      url: `/_sim/${path}`,
      headers: { host: 'sim' },
      body: JSON.stringify(body),
    });
    if (status !== 200) throw new Error(answer);
  };
  const instance = () => world.simulator.state.instances.find(({ name }) => name.includes('_shop_'));
  const smn = async (path: string) => (await world.byHand('GET', `/smn/v2/${DEMO_PROJECT.id}${path}`)).body;
  return {
    ...world,
    instance,
    alarms: (): Alarm[] => world.simulator.state.alarms,
    ces: (method: string, path: string, body?: unknown) =>
      world.byHand(method, `/ces/V1.0/${DEMO_PROJECT.id}${path}`, body),
    topics: async () =>
      ((await smn('/notifications/topics')) as { topics: { name: string; topic_urn: string }[] }).topics,
    subscriptions: async () =>
      (
        (await smn('/notifications/subscriptions')) as {
          subscriptions: { endpoint: string; status: number; topic_urn: string }[];
        }
      ).subscriptions,
    load: (load: Load) => control('load', { id: instance()?.id, ...load }),
    setStatus: (status: string) => control(`instances/${instance()?.id}`, { status }),
    told: async (type = 'AutopilotReady') => condition(await world.status('shop'), type),
    count: (kind: string) => world.simulator.state.counts[kind] ?? 0,
    /** Until the cloud itself has noticed. */
    alarmed: () =>
      world.clock.runUntil(
        () => world.simulator.state.alarms.some(({ state }) => state === 'alarm'),
        40 * MINUTE,
      ),
    wait: (minutes: number) => world.clock.advance(minutes * MINUTE),
  };
}
