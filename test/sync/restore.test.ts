import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { FaultKind } from '../../src/simulator/faults.ts';
import { condition, createWorld, HOUR, MINUTE, SECOND, type World } from '../support/world.ts';

const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
const POSTGRES: RdsSpec = {
  datastoretype: 'PostgreSQL',
  datastoreversion: '16',
  flavorref: 'rds.pg.n1.large.2',
  port: '5432',
  volumesize: 40,
};

async function readyWorld(t: { teardown(run: () => Promise<void>): void }, spec: RdsSpec = BASE) {
  const world = await createWorld({});
  t.teardown(() => world.stop());
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  await makeBackup(world, (await world.status('shop')).id ?? '');
  return world;
}

/** From its end on the instance can be restored to any time, up to some minutes ago. */
async function makeBackup(world: World, id: string): Promise<void> {
  const { status } = await world.byHand('POST', '/backups', { instance_id: id, name: 'by-hand' });
  if (status !== 200) throw new Error(`backup by hand: ${status}`);
  await world.clock.advance(40 * MINUTE);
}

const count = (world: World, kind: string) => world.simulator.state.counts[kind] ?? 0;
const restores = (world: World) =>
  world.simulator.calls().rds?.['POST /v3/{project}/instances/recovery'] ?? 0;
const idOf = async (world: World, name: string) => (await world.status(name)).id ?? '';
const at = (world: World, ago: number) => new Date(world.clock.now() - ago).toISOString().replace('.000', '');

t.test('a deleted database comes back from the text that its final backup left', async (t) => {
  const world = await readyWorld(t);
  const texts = new Set<string>();
  world.api.watch(({ object }) => {
    const status =
      object.kind === 'Rds' ? (object.status as { backup?: { finalBackup?: { restoreFrom?: string } } }) : {};
    const text = status?.backup?.finalBackup?.restoreFrom;
    if (text) texts.add(text);
  });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const [text = ''] = texts;
  const { body } = await world.kube('GET', '/api/v1/namespaces/team-a/events');
  const messages = (body as { items: { message: string }[] }).items.map(({ message }) => message);
  t.ok(
    messages.some((message) => message.includes(`spec.restoreFrom: ${text}`)),
    'told in an Event',
  );
  const [, backupId = '', instanceId = ''] = /backupId: (\w+), instanceId: (\w+)/.exec(text) ?? [];
  await world.apply('shop', { ...BASE, restoreFrom: { backupId, instanceId } });
  await world.reaches('shop', 'Ready');
  t.match(world.simulator.state.instances, [{ restoredFrom: { backupId, instanceId } }]);
  t.equal(world.simulator.state.instances.length, 1);
});

for (const [name, spec] of Object.entries({ MySQL: BASE, PostgreSQL: POSTGRES })) {
  t.test(`${name}: a new Rds from a point in time of another`, async (t) => {
    const world = await readyWorld(t, spec);
    const pointInTime = at(world, 10 * MINUTE);
    await world.apply('copy', { ...spec, restoreFrom: { rds: 'shop', pointInTime } });
    await world.reaches('copy', 'Ready');
    const id = await idOf(world, 'copy');
    t.match(world.simulator.state.instances.find((one) => one.id === id)?.restoredFrom, {
      instanceId: await idOf(world, 'shop'),
      time: Date.parse(pointInTime),
    });
  });
}

t.test('what cannot be restored is refused before anything is ordered, with what could', async (t) => {
  const world = await readyWorld(t);
  const instanceId = await idOf(world, 'shop');
  const [backup] = world.simulator.state.backups;
  const backupId = backup?.id ?? '';
  const cases: [RdsSpec, RegExp][] = [
    [
      { ...BASE, restoreFrom: { backupId: `${'0'.repeat(32)}br01`, instanceId } },
      /no backup of instance.*possible are/,
    ],
    [{ ...BASE, restoreFrom: { backupId, instanceId: `${'0'.repeat(32)}in01` } }, /no backup of instance/],
    [{ ...POSTGRES, restoreFrom: { backupId, instanceId } }, /datastoretype.*MySQL/],
    [{ ...BASE, datastoreversion: '5.7', restoreFrom: { backupId, instanceId } }, /datastoreversion.*8\.0/],
    [{ ...BASE, restoreFrom: { rds: 'shop', pointInTime: at(world, -HOUR) } }, /possible is 2026-11-1/],
    [{ ...BASE, restoreFrom: { rds: 'shop', pointInTime: '2020-01-01T00:00:00Z' } }, /possible is/],
    [{ ...BASE, restoreFrom: { rds: 'shop', pointInTime: '2026-11-16 09:00' } }, /time with offset/],
    [{ ...BASE, restoreFrom: { rds: 'nobody', pointInTime: at(world, 10 * MINUTE) } }, /has no instance/],
    [{ ...BASE, restoreFrom: { backup: 'nothing' } }, /RdsBackup nothing.*does not exist/],
  ];
  for (const [index, [spec, message]] of cases.entries()) {
    await world.apply(`copy${index}`, spec);
    await world.clock.advance(2 * MINUTE);
    t.match(condition(await world.status(`copy${index}`), 'Ready')?.message, message);
  }
  t.equal(world.creates(), 1);
});

t.test('a source that is larger needs a larger disk', async (t) => {
  const world = await readyWorld(t, { ...BASE, volumesize: 100 });
  await world.apply('copy', { ...BASE, restoreFrom: { rds: 'shop', pointInTime: at(world, 10 * MINUTE) } });
  await world.clock.advance(2 * MINUTE);
  t.match(condition(await world.status('copy'), 'Ready')?.message, /volumesize.*100 GB/);
});

t.test('restore in place: a backup first, then the restore, once per value', async (t) => {
  const world = await readyWorld(t);
  const value = at(world, 20 * MINUTE);
  await world.apply('shop', { ...BASE, backuprestoretime: value });
  await world.clock.advance(HOUR);
  t.match(await world.status('shop'), { phase: 'Ready', handled: { 'spec.backuprestoretime': value } });
  t.equal(restores(world), 1);
  const safety = world.simulator.state.backups.filter(({ name }) => name.startsWith('before-'));
  t.match(safety, [{ status: 'COMPLETED' }]);
  t.match((await world.status('shop')).backup?.beforeRestore, {
    id: safety[0]?.id,
    restoreFrom: new RegExp(`backupId: ${safety[0]?.id}`),
  });
  const events = world.simulator.state.events.map(({ kind }) => kind);
  t.ok(events.lastIndexOf('backup') < events.indexOf('restore'), 'the backup comes first');
  await world.apply('shop', { ...BASE, backuprestoretime: value, volumesize: 60 });
  await world.restartReplica();
  await world.kube(
    'PATCH',
    `${world.rdsPath('shop')}/status`,
    { status: { handled: null, id: null } },
    'application/merge-patch+json',
  );
  await world.clock.advance(2 * HOUR);
  t.equal(restores(world), 1, 'the same manifest and a lost status restore nothing again');
  await world.apply('shop', { ...BASE, volumesize: 60, backuprestoretime: at(world, 10 * MINUTE) });
  await world.clock.advance(2 * HOUR);
  t.equal(restores(world), 2, 'a new value is a new order');
});

for (const kind of ['timeout-after', '500-after', 'late', 'timeout-before', '409'] as FaultKind[]) {
  for (const path of ['/v3/{project}/instances/recovery', '/v3/{project}/backups']) {
    t.test(`${kind} on POST ${path}: the data goes back once`, async (t) => {
      const world = await readyWorld(t);
      const match = { service: 'rds' as const, method: 'POST' as const, path };
      world.simulator.faults.add({ match, kind, times: 1, lateMs: 50 * SECOND });
      await world.apply('shop', { ...BASE, backuprestoretime: at(world, 20 * MINUTE) });
      await world.clock.advance(2 * HOUR);
      t.equal(count(world, 'restored'), 1);
      t.match(await world.status('shop'), { phase: 'Ready' });
    });
  }
}

t.test('restore in place is refused where it cannot work, and the database is untouched', async (t) => {
  const world = await readyWorld(t);
  for (const [value, message] of [
    [at(world, -HOUR), /possible is/],
    ['2026-11-16T07:00:00Z', /did not exist then/],
    ['2026-11-16 12:00', /time with offset/],
  ] as const) {
    await world.apply('shop', { ...BASE, backuprestoretime: value });
    await world.clock.advance(5 * MINUTE);
    t.match(condition(await world.status('shop'), 'Synced'), { reason: 'RestoreRefused', message });
  }
  t.equal(restores(world), 0);
  t.notOk(world.simulator.state.backups.some(({ name }) => name.startsWith('before-')));
});

t.test('a restore that is refused holds up no restart', async (t) => {
  const world = await readyWorld(t);
  await world.apply('shop', { ...BASE, backuprestoretime: '2026-11-16T07:00:00Z' });
  await world.clock.advance(5 * MINUTE);
  await world.annotate('shop', { 'otc.mcsps.de/restart': 'now' });
  await world.clock.advance(10 * MINUTE);
  t.equal(count(world, 'restart'), 1);
  t.equal((await world.status('shop')).handled?.['otc.mcsps.de/restart'], 'now');
  t.equal(condition(await world.status('shop'), 'Synced')?.reason, 'RestoreRefused', 'still told');
});

t.test('a restore that is refused holds up no change, and its words stay as they are', async (t) => {
  const world = await readyWorld(t);
  const readReplicas = [{ name: 'reader' }];
  await world.apply('shop', {
    ...BASE,
    volumesize: 50,
    readReplicas,
    backuprestoretime: at(world, -24 * HOUR),
  });
  await world.clock.advance(30 * MINUTE);
  t.match(await world.status('shop'), { volumeGb: 50, replicas: [{ name: 'reader', status: 'ACTIVE' }] });
  const refused = {
    reason: 'RestoreRefused',
    message: /possible is 2026-11-16T[\d:]+Z to a few minutes ago/,
  };
  t.match(condition(await world.status('shop'), 'Synced'), refused);
  const before = (await world.rds('shop'))?.metadata.resourceVersion;
  await world.clock.advance(HOUR);
  t.equal(
    (await world.rds('shop'))?.metadata.resourceVersion,
    before,
    'the range moves on, the text does not',
  );
});

t.test('PostgreSQL is told what to do instead', async (t) => {
  const world = await readyWorld(t, POSTGRES);
  await world.apply('shop', { ...POSTGRES, backuprestoretime: at(world, 10 * MINUTE) });
  await world.clock.advance(5 * MINUTE);
  t.match(condition(await world.status('shop'), 'Synced')?.message, /spec\.restoreFrom \{rds, pointInTime\}/);
  t.equal(restores(world), 0);
});

t.test('a failed safety backup stops the restore; another one is made', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: {}, kind: 'failed-backup', times: 1 });
  await world.apply('shop', { ...BASE, backuprestoretime: at(world, 20 * MINUTE) });
  await world.clock.advance(2 * HOUR);
  const safety = world.simulator.state.backups.filter(({ name }) => name.startsWith('before-'));
  t.match(safety.map(({ status }) => status).sort(), ['COMPLETED', 'FAILED']);
  t.equal(count(world, 'restored'), 1);
});

t.test('a restore that the cloud cannot do is told with the way back, and not tried again', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: {}, kind: 'failed-restore', times: 1 });
  await world.apply('shop', { ...BASE, backuprestoretime: at(world, 20 * MINUTE) });
  await world.clock.advance(2 * HOUR);
  const status = await world.status('shop');
  t.match(status, { phase: 'Failed', status: 'FAILED' });
  t.match(condition(status, 'Ready'), { status: 'False', reason: 'InstanceFailed' });
  const [safety] = world.simulator.state.backups.filter(({ name }) => name.startsWith('before-'));
  t.match(status.backup?.beforeRestore, { id: safety?.id, restoreFrom: /backupId: / });
  t.equal(restores(world), 1);
  await world.apply('rescue', {
    ...BASE,
    restoreFrom: { backupId: safety?.id ?? '', instanceId: status.id ?? '' },
  });
  t.ok(await world.reaches('rescue', 'Ready'), 'the state before the restore is there');
});

t.test(
  'an adopted instance is not restored to a time that its former operator may have restored',
  async (t) => {
    const world = await createWorld({});
    t.teardown(() => world.stop());
    const id = await world.createByHand('team-a_shop');
    await world.clock.advance(20 * HOUR);
    await world.apply(
      'shop',
      { ...BASE, flavorref: 'rds.mysql.c2.medium', backuprestoretime: at(world, 10 * MINUTE) },
      { 'otc.mcsps.de/adopt': id },
    );
    await world.clock.advance(2 * HOUR);
    t.match(await world.status('shop'), { phase: 'Ready', id });
    t.equal(restores(world), 0);
  },
);

t.test('fresh backups and backups that are off are told', async (t) => {
  const world = await readyWorld(t);
  await world.clock.advance(20 * HOUR);
  t.match(condition(await world.status('shop'), 'BackupsReady'), { status: 'True', reason: 'BackupsFresh' });
  t.match((await world.status('shop')).backup?.lastAutomated, { status: 'COMPLETED' });
  await world.apply('shop', { ...BASE, backupkeepdays: 0 });
  await world.clock.advance(10 * MINUTE);
  t.match(condition(await world.status('shop'), 'BackupsReady'), { status: 'False', reason: 'BackupsOff' });
});

t.test('backups that stopped coming are told', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', BASE);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(HOUR);
  t.match(condition(await world.status('shop'), 'BackupsReady'), {
    status: 'Unknown',
    reason: 'BackupPending',
  });
  await world.clock.advance(36 * HOUR);
  t.match(condition(await world.status('shop'), 'BackupsReady'), { status: 'False', reason: 'BackupTooOld' });
});
