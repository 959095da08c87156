// The loop of one replica on a virtual clock, beside a simulated cloud that holds a fleet at rest: hours in seconds.

import { createOpenCloud } from '../../src/otc/open.ts';
import { createWorld, HOUR, type World } from '../../test/support/world.ts';
import { type FleetKind, settledFleet } from '../settled-fleet.ts';

export type RestedHook = {
  world: World;
  /** Syncs every Rds at its own pace for so long; the number of answers, and of those that could not ask the cloud. */
  run(ms: number): Promise<{ syncs: number; blind: number }>;
  /** Calls to the cloud so far, by `service method route`. */
  calls(): Record<string, number>;
  /** Answers so far that did not stand already. */
  workedOut(): Promise<number>;
};

type Answer = { status?: { conditions?: { type: string; status: string }[] }; resyncAfterSeconds?: number };

/** A settled Rds comes back after this, in the middle. */
export const PACE_MS = 65_000;
const TICK_MS = 1_000;
const STEP_MS = 50;
const QUIET_TURNS = 5;

/** A replica of long ago has its caches filled; one that fills them here must not be held back by its rate limit. */
const UNLIMITED = { callsPerSecond: 1e6, burst: 1e6 };

type Start = {
  /** Between the first syncs of two Rds. */
  gapMs: number;
  /** Just started, with the shipped rate limit. */
  isNew?: boolean;
} & FleetKind;

export async function restedHook(
  count: number,
  { gapMs, isNew = false, ...kind }: Start,
): Promise<RestedHook> {
  const fleet = await settledFleet(count, kind);
  const world = await createWorld();
  await world.clock.advance(HOUR);
  world.simulator.load(fleet.cloud);
  const { clock, simulator } = world;
  const app = isNew
    ? world.app
    : await world.startReplica({
        openCloud: createOpenCloud({ send: simulator.send, clock, random: Math.random, limits: UNLIMITED }),
      });
  const before = flat(world.simulator.calls());
  const due = new Map<number, number[]>();
  const plan = (number: number, delayMs: number) => {
    const tick = Math.ceil((world.clock.now() + Math.max(delayMs, 1)) / TICK_MS);
    due.set(tick, [...(due.get(tick) ?? []), number]);
  };
  for (let number = 0; number < count; number += 1) plan(number, number * gapMs);

  async function sync(number: number): Promise<boolean> {
    const response = await app.inject({
      method: 'POST',
      url: '/sync',
      headers: { 'content-type': 'application/json' },
      payload: fleet.body(number),
    });
    const answer = response.json() as Answer;
    const retry = Number(response.headers['retry-after'] ?? 10);
    plan(number, (answer.resyncAfterSeconds ?? retry) * 1_000);
    const synced = answer.status?.conditions?.find(({ type }) => type === 'Synced');
    return response.statusCode === 200 && synced?.status !== 'Unknown';
  }

  /** Syncs these at once; how many could not ask the cloud. */
  async function blindOf(numbers: number[]): Promise<number> {
    let open = numbers.length;
    let blind = 0;
    for (const number of numbers) {
      void sync(number).then((sees) => {
        open -= 1;
        if (!sees) blind += 1;
      });
    }
    // The rate limit sleeps on this very clock, which must not run ahead of what is still being worked on.
    while (open > 0) {
      const before = open;
      for (let turn = 0; turn < QUIET_TURNS; turn += 1) await world.clock.drain();
      if (open === before) await world.clock.advance(STEP_MS);
    }
    return blind;
  }

  return {
    world,
    calls: () => difference(flat(world.simulator.calls()), before),
    async workedOut() {
      const { body } = await app.inject('/metrics');
      return Number(/^rds_pilot_cache_loads_total{cache="answers"} (\d+)$/m.exec(body)?.[1] ?? 0);
    },
    async run(ms) {
      const end = world.clock.now() + ms;
      let syncs = 0;
      let blind = 0;
      for (let tick = Math.ceil(world.clock.now() / TICK_MS); tick * TICK_MS <= end; tick += 1) {
        await world.clock.runUntil(tick * TICK_MS);
        const numbers = due.get(tick);
        if (!numbers) continue;
        due.delete(tick);
        syncs += numbers.length;
        blind += await blindOf(numbers);
      }
      return { syncs, blind };
    },
  };
}

export const flat = (calls: Record<string, Record<string, number>>): Record<string, number> =>
  Object.fromEntries(
    Object.entries(calls).flatMap(([service, routes]) =>
      Object.entries(routes).map(([route, count]) => [`${service} ${route}`, count]),
    ),
  );

export function difference(
  after: Record<string, number>,
  before: Record<string, number>,
): Record<string, number> {
  const pairs = Object.entries(after).map(([route, count]) => [route, count - (before[route] ?? 0)] as const);
  return Object.fromEntries(pairs.filter(([, count]) => count !== 0));
}

export const sum = (calls: Record<string, number>): number =>
  Object.values(calls).reduce((total, count) => total + count, 0);
