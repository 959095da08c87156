// Restores that cannot work, whatever form they take: refused before anything is ordered, with the field and what could.

import t, { type Test } from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { demoVariables, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { applyBackup, backupStatus } from '../support/backups.ts';
import { condition, createWorld, HOUR, MINUTE, type World } from '../support/world.ts';

const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
const ENGINES: Record<string, RdsSpec> = {
  MySQL: BASE,
  PostgreSQL: {
    datastoretype: 'PostgreSQL',
    datastoreversion: '16',
    flavorref: 'rds.pg.n1.large.2',
    port: '5432',
    volumesize: 40,
  },
  SQLServer: {
    datastoretype: 'SQLServer',
    datastoreversion: '2022_SE',
    flavorref: 'rds.mssql.n1.large.2',
    port: '1433',
    volumesize: 40,
  },
};

/** An Rds with backups of the last hours. */
async function worldOf(t: Pick<Test, 'teardown'>, spec: RdsSpec = BASE): Promise<World> {
  const world = await createWorld({});
  t.teardown(() => world.stop());
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  await applyBackup(world, 'monday', { rds: 'shop' });
  await world.clock.advance(40 * MINUTE);
  return world;
}

const stamp = (ms: number) => new Date(ms).toISOString().replace('.000', '');

/** The same moment as somebody two hours to the east would write it. */
const fromTheEast = (ms: number) => stamp(ms + 2 * HOUR).replace('Z', '+02:00');

const FORMATS = [
  'yesterday',
  '2026-11-16',
  '2026-11-16 08:20:00',
  '2026-11-16T08:20:00',
  '2026-11-31T08:20:00Z',
  '1794816000',
] as const;

t.test('times in other formats are refused by field and value, wherever they stand', async (t) => {
  const world = await worldOf(t);
  for (const [index, value] of FORMATS.entries()) {
    await world.apply(`copy${index}`, { ...BASE, restoreFrom: { rds: 'shop', pointInTime: value } });
    await world.apply('shop', { ...BASE, backuprestoretime: value });
    await world.clock.advance(2 * MINUTE);
    t.match(condition(await world.status(`copy${index}`), 'Ready'), {
      reason: 'RestoreSourceMissing',
      message: new RegExp(`spec\\.restoreFrom\\.pointInTime ${value}: .*a time with offset`),
    });
    t.match(condition(await world.status('shop'), 'Synced'), {
      reason: 'RestoreRefused',
      message: new RegExp(`spec\\.backuprestoretime ${value}: .*a time with offset`),
    });
  }
  t.same([world.creates(), world.simulator.state.counts.restore], [1, undefined]);
});

for (const [what, ago] of [
  ['in the future', -HOUR],
  ['a year ago', 365 * 24 * HOUR],
] as const) {
  t.test(`a time ${what} is refused with the range`, async (t) => {
    const world = await worldOf(t);
    const value = fromTheEast(world.clock.now() - ago);
    await world.apply('copy', { ...BASE, restoreFrom: { rds: 'shop', pointInTime: value } });
    await world.apply('shop', { ...BASE, backuprestoretime: value });
    await world.clock.advance(3 * MINUTE);
    const range = /possible is 2026-11-16T\d\d:\d\d:\d\dZ to a few minutes ago/;
    t.match(condition(await world.status('copy'), 'Ready')?.message, range);
    t.match(condition(await world.status('shop'), 'Synced')?.message, range);
    t.same([world.creates(), world.simulator.state.counts.restore], [1, undefined]);
  });
}

for (const [engine, spec] of Object.entries(ENGINES)) {
  t.test(`${engine}: a time with another offset is the same moment`, async (t) => {
    const world = await worldOf(t, spec);
    const moment = world.clock.now() - 10 * MINUTE;
    await world.apply('copy', { ...spec, restoreFrom: { rds: 'shop', pointInTime: fromTheEast(moment) } });
    t.ok(await world.reaches('copy', 'Ready'));
    const { id } = await world.status('copy');
    const copy = world.simulator.state.instances.find((one) => one.id === id);
    t.match(copy?.restoredFrom, { time: moment });
    if (engine === 'PostgreSQL') return;
    const again = fromTheEast(world.clock.now() - 10 * MINUTE);
    await world.apply('shop', { ...spec, backuprestoretime: again });
    await world.clock.advance(2 * HOUR);
    t.match(await world.status('shop'), { phase: 'Ready', handled: { 'spec.backuprestoretime': again } });
    t.equal(world.simulator.state.counts.restored, 1);
  });

  t.test(`${engine}: a new Rds from a backup`, async (t) => {
    const world = await worldOf(t, spec);
    await world.apply('copy', { ...spec, restoreFrom: { backup: 'monday' } });
    t.ok(await world.reaches('copy', 'Ready'));
    const { id } = await world.status('copy');
    const backupId = (await backupStatus(world, 'monday')).id;
    t.match(world.simulator.state.instances.find((one) => one.id === id)?.restoredFrom, { backupId });
  });
}

t.test('a backup of another engine is refused by name', async (t) => {
  const world = await worldOf(t);
  await world.apply('copy', { ...ENGINES.PostgreSQL, restoreFrom: { backup: 'monday' } });
  await world.clock.advance(3 * MINUTE);
  t.match(condition(await world.status('copy'), 'Ready'), {
    message: /spec\.datastoretype: backup \w+ is of MySQL, not of PostgreSQL/,
  });
  t.equal(world.creates(), 1);
});

t.test(
  'a backup that is still running is waited for as an object, and refused by id with those that are complete',
  async (t) => {
    const world = await worldOf(t);
    const { id: instanceId = '' } = await world.status('shop');
    await applyBackup(world, 'tuesday', { rds: 'shop' });
    await world.clock.advance(5_000);
    const running = world.simulator.state.backups.find(({ status }) => status === 'BUILDING');
    t.ok(running);
    await world.apply('waits', { ...BASE, restoreFrom: { backup: 'tuesday' } });
    await world.apply('refused', { ...BASE, restoreFrom: { backupId: running?.id ?? '', instanceId } });
    await world.clock.advance(10_000);
    t.match(condition(await world.status('waits'), 'Ready')?.message, /RdsBackup tuesday .* is not complete/);
    t.match(
      condition(await world.status('refused'), 'Ready')?.message,
      /spec\.restoreFrom\.backupId: \w+ is BUILDING; possible are \w+br\d\d \(2026-11-16T/,
    );
    t.equal(world.creates(), 1);
    t.ok(await world.reaches('waits', 'Ready'), 'it goes on by itself');
  },
);

t.test('a backup of another tenant does not exist for this one', async (t) => {
  const world = await worldOf(t);
  await world.secret('tenant', {
    ...demoVariables('http://127.0.0.1:9090'),
    OS_PROJECT_NAME: OTHER_PROJECT.name,
  });
  const { id: instanceId = '' } = await world.status('shop');
  const { id: backupId = '' } = await backupStatus(world, 'monday');
  const credentialsSecretRef = { name: 'tenant' };
  for (const [name, restoreFrom] of [
    ['by-id', { backupId, instanceId }],
    ['by-object', { backup: 'monday' }],
  ] as const) {
    await world.apply(name, { ...BASE, credentialsSecretRef, restoreFrom });
    await world.clock.advance(3 * MINUTE);
    t.match(
      condition(await world.status(name), 'Ready')?.message,
      /is no backup of instance \w+ in this project; it has no complete backup/,
    );
  }
  await world.apply('by-time', {
    ...BASE,
    credentialsSecretRef,
    restoreFrom: { rds: 'shop', pointInTime: stamp(world.clock.now() - 10 * MINUTE) },
  });
  await world.clock.advance(3 * MINUTE);
  t.match(await world.status('by-time'), { phase: 'Pending', id: undefined });
  t.equal(world.simulator.state.instances.length, 1);
});

t.test(
  'from an empty cluster and an old manifest a database is re-made by the text that was printed',
  async (t) => {
    const lost = await worldOf(t);
    let text = '';
    lost.api.watch(({ object }) => {
      const status =
        object.kind === 'Rds'
          ? (object.status as { backup?: { finalBackup?: { restoreFrom?: string } } })
          : {};
      text = status?.backup?.finalBackup?.restoreFrom ?? text;
    });
    await lost.remove('shop');
    t.ok(await lost.isGone('shop'));
    await lost.stop();
    const { parse } = await import('yaml');
    const world = await createWorld({ cloud: lost, seed: 9 });
    t.teardown(() => world.stop());
    t.same(
      world.api.dump().filter(({ kind }) => kind === 'Lease'),
      [],
      'nothing is known here',
    );
    const restoreFrom = parse(text) as NonNullable<RdsSpec['restoreFrom']>;
    await world.apply('shop', { ...BASE, restoreFrom });
    t.ok(await world.reaches('shop', 'Ready'));
    t.match(world.simulator.state.instances, [{ status: 'ACTIVE', restoredFrom: restoreFrom }]);
    t.equal(world.simulator.state.instances.length, 1);
  },
);
