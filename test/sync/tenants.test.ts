import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { condition, createWorld, demoCredentials, MINUTE, SECOND, type World } from '../support/world.ts';

const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
/** Many more than Metacontroller has workers. */
const SICK = 30;
const ALWAYS = 1_000_000;

async function twoTenants(t: { teardown(run: () => Promise<void>): void }): Promise<World> {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.secret('sick-account', { ...demoCredentials, OS_PROJECT_NAME: OTHER_PROJECT.name });
  await world.apply('healthy', BASE);
  for (let number = 1; number <= SICK; number += 1)
    await world.apply(`sick-${number}`, { ...BASE, credentialsSecretRef: { name: 'sick-account' } });
  await world.reaches('healthy', 'Ready');
  await world.clock.advance(20 * MINUTE);
  return world;
}

/** How long it takes until a change of the healthy tenant is sent to the cloud. */
async function timeToEnlarge(world: World, sizeGb: number): Promise<number> {
  const began = world.clock.now();
  let sent = false;
  world.onCloudCall(({ body }) => {
    sent ||= body?.includes(`"size":${sizeGb}`) ?? false;
  });
  await world.apply('healthy', { ...BASE, volumesize: sizeGb });
  await world.clock.runUntil(() => sent, 30 * MINUTE);
  const tookMs = world.clock.now() - began;
  await world.clock.advance(10 * MINUTE);
  return tookMs;
}

const troubles: Omit<Fault, 'match'>[] = [
  { kind: 'timeout-before' },
  { kind: '503' },
  { kind: '429', retryAfterSeconds: 5 },
];

for (const trouble of troubles) {
  t.test(`${trouble.kind} of one tenant's cloud delays no other tenant`, async (t) => {
    const world = await twoTenants(t);
    const quietMs = await timeToEnlarge(world, 60);
    const match = { service: 'rds', path: `/v3/${OTHER_PROJECT.id}` } as const;
    world.simulator.faults.add({ ...trouble, match, times: ALWAYS });
    // All at once, as after a new release of the controller.
    for (let number = 1; number <= SICK; number += 1)
      await world.annotate(`sick-${number}`, { 'otc.mcsps.de/reconcile': 'all' });
    await world.clock.advance(20 * SECOND);
    const badMs = await timeToEnlarge(world, 80);
    t.ok(badMs <= quietMs + 5 * SECOND, `${badMs / 1000} s instead of ${quietMs / 1000} s`);
    t.equal(condition(await world.status('sick-1'), 'Synced')?.reason, 'CloudUnreachable');
    t.match(await world.status('sick-1'), { phase: 'Ready', volumeGb: 40 }, 'what is known stays');
    world.simulator.faults.clear();
    await world.clock.advance(10 * MINUTE);
    for (let number = 1; number <= SICK; number += 1)
      t.equal(condition(await world.status(`sick-${number}`), 'Synced')?.reason, 'UpToDate');
  });
}
