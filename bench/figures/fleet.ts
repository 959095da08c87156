// A whole fleet applied at once, until all of it is Ready: on the local loop with a virtual clock, so that the time is
// that of the rate limits and not of this machine.

import { defaultLimits } from '../../src/otc/limiter.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { createWorld, HOUR } from '../../test/support/world.ts';
import { digits, type Figure, type Line, type Setting } from '../figure.ts';
import { NO_TIME } from './no-time.ts';
import { flat, sum } from './rested-hook.ts';

const SCALES = { tiny: 3, quick: 50, full: 1_000 };

/** Look by name, create, tag; all other reads can be shared by the fleet. */
const LEAST_CALLS = 3;
/** One that draws the password and opens the journal, one that creates, one that sees it built. */
const LEAST_SYNCS = 3;
/** Each of them tells something new: Pending, Creating, Ready. */
const LEAST_STATUS_WRITES = 3;

export type Birth = { seconds: number; syncs: number; statusWrites: number; cloudCalls: number };

export async function fleet({ scale }: Setting): Promise<Figure> {
  const count = SCALES[scale];
  const alone = await born(1);
  const together = await born(count);
  const floor = Math.max(1, (count * LEAST_CALLS - defaultLimits.burst) / defaultLimits.callsPerSecond);
  const perRds = (name: string, least: number, pick: (birth: Birth) => number): Line => ({
    what: `${name} per Rds: alone, in a fleet of ${count}, least possible`,
    value: `${digits(pick(alone), 1)}, ${digits(pick(together) / count, 1)}, ${least}`,
  });
  return {
    title: 'Fleet',
    lines: [
      {
        what: `${count} Rds created at once: time until all are Ready / floor of ${digits(floor, 0)} s by our own rate limit`,
        value: `${digits(together.seconds, 0)} s / ${digits(floor, 0)} s = ${digits(together.seconds / floor)}`,
      },
      perRds('syncs', LEAST_SYNCS, ({ syncs }) => syncs),
      perRds('status writes', LEAST_STATUS_WRITES, ({ statusWrites }) => statusWrites),
      perRds('calls to the cloud', LEAST_CALLS, ({ cloudCalls }) => cloudCalls),
    ],
    plots: [],
    notes: [
      `Local loop, one replica, virtual time, instant cloud, ${defaultLimits.callsPerSecond} calls a second.`,
    ],
  };
}

async function born(count: number): Promise<Birth> {
  const world = await createWorld({
    simulator: { durations: NO_TIME, instanceQuota: count + 1, automatedBackups: false },
  });
  const statuses = new Map<string, string>();
  const ready = new Set<string>();
  let statusWrites = 0;
  const unwatch = world.api.watch(({ object }) => {
    if (object.kind !== 'Rds') return;
    const { name } = object.metadata;
    const status = object.status as RdsStatus | undefined;
    const text = JSON.stringify(status ?? null);
    if (status && statuses.get(name) !== text) statusWrites += 1;
    statuses.set(name, text);
    if (status?.phase === 'Ready') ready.add(name);
  });
  const startedAt = world.clock.now();
  const before = sum(flat(world.simulator.calls()));
  for (let number = 0; number < count; number += 1) {
    const spec = { flavorref: 'rds.mysql.n1.large.2', volumetype: 'CLOUDSSD' as const, volumesize: 40 };
    await world.apply(`db-${number}`, spec);
  }
  const isDone = await world.clock.runUntil(() => ready.size === count, 6 * HOUR);
  unwatch();
  if (!isDone) throw new Error(`${ready.size} of ${count} are ready after 6 hours`);
  const birth = {
    seconds: (world.clock.now() - startedAt) / 1_000,
    syncs: world.calls.filter(({ path }) => path.endsWith('/sync')).length,
    statusWrites,
    cloudCalls: sum(flat(world.simulator.calls())) - before,
  };
  await world.stop();
  return birth;
}
