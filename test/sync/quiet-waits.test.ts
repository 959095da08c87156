// Where nothing can happen but time passing, the cloud is asked no more than it takes.

import t from 'tap';
import { NO_TIME } from '../../bench/figures/no-time.ts';
import { createWorld, type World } from '../support/world.ts';

const SPEC = { flavorref: 'rds.mysql.n1.large.2', volumetype: 'CLOUDSSD' as const, volumesize: 40 };

const looks = ({ simulator }: World): number => simulator.calls().rds?.['GET /v3/{project}/instances'] ?? 0;

t.test('an instance that is being built is looked at once in a call', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', SPEC);
  t.ok(await world.reaches('shop', 'Creating'));
  const [looksBefore, callsBefore] = [looks(world), world.calls.length];
  t.ok(await world.reaches('shop', 'Ready'));
  const calls = world.calls.length - callsBefore;
  t.ok(calls > 30, `${calls} calls during the build`);
  // The call that sees it built looks closer.
  t.ok(looks(world) - looksBefore <= calls + 1, `${looks(world) - looksBefore} looks in ${calls} calls`);
});

t.test('between two looks that count towards absence nobody looks', async (t) => {
  const world = await createWorld({ simulator: { durations: NO_TIME, automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', SPEC);
  t.ok(await world.reaches('shop', 'Ready'));
  const before = looks(world);
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  // By id and by name: three that count, one at the end, some while the settle time of the create runs.
  t.ok(looks(world) - before <= 26, `${looks(world) - before} looks`);
});
