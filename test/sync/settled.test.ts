import t, { type Test } from 'tap';
import { createWorld, MINUTE, type World } from '../support/world.ts';

const WRITES = /^(POST|PUT|DELETE)/;

function cloudWrites(world: World): number {
  return Object.entries(world.simulator.calls().rds ?? {})
    .filter(([call]) => WRITES.test(call))
    .reduce((sum, [, count]) => sum + count, 0);
}

async function stillForHundredSyncs(t: Test, world: World, names: string[]): Promise<void> {
  const before = await Promise.all(names.map((name) => world.rds(name)));
  const writes = cloudWrites(world);
  const calls = world.calls.length;
  let changes = 0;
  const unwatch = world.api.watch(({ object }) => {
    if (object.kind !== 'Event') changes += 1;
  });
  while (world.calls.length < calls + 100 * names.length) await world.clock.advance(10 * MINUTE);
  unwatch();
  t.equal(changes, 0, 'no object was written');
  t.equal(cloudWrites(world), writes, 'nothing was written to the cloud');
  const after = await Promise.all(names.map((name) => world.rds(name)));
  t.same(after, before, 'status and everything else is as it was');
}

t.test('a settled Rds causes no write at all over 100 syncs, a restart and a shuffled list', async (t) => {
  const world = await createWorld({ simulator: { shuffleList: true, automatedBackups: false } });
  t.teardown(() => world.stop());
  const names = ['shop', 'orders', 'legacy'];
  await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2' });
  await world.apply('orders', {
    datastoretype: 'PostgreSQL',
    datastoreversion: '16',
    port: '5432',
    hamode: 'Ha',
    availabilityzone: 'eu-de-01,eu-de-02',
    flavorref: 'rds.pg.n1.large.2.ha',
    password: 'A12345678+',
  });
  await world.apply('legacy', { users: [{ name: 'app1', password: 'app1+Mond' }], databases: ['project1'] });
  for (const name of names) t.ok(await world.reaches(name, 'Ready'), name);
  await world.clock.advance(5 * MINUTE);

  await stillForHundredSyncs(t, world, names);
  await world.restartReplica();
  await stillForHundredSyncs(t, world, names);
  await world.restartLoop();
  await world.clock.advance(MINUTE);
  await stillForHundredSyncs(t, world, names);
});

t.test('a fleet in steady state costs a shared page now and then, and no journal read', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  for (let index = 0; index < 60; index += 1) await world.apply(`db-${index}`, {});
  t.ok(await world.reaches('db-59', 'Ready'));
  await world.clock.advance(10 * MINUTE);
  const reads = () => world.simulator.calls().rds?.['GET /v3/{project}/instances'] ?? 0;
  const [before, calls] = [reads(), world.calls.length];
  await world.clock.advance(60 * MINUTE);
  const syncs = world.calls.length - calls;
  t.ok(syncs >= 60 * 50, `${syncs} syncs`);
  t.ok((reads() - before) / syncs <= 0.02, `${reads() - before} list calls for ${syncs} syncs`);
});
