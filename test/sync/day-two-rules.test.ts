import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { FaultKind } from '../../src/simulator/faults.ts';
import {
  condition,
  createWorld,
  HOUR,
  MINUTE,
  SECOND,
  type World,
  type WorldOptions,
} from '../support/world.ts';

const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
const LARGER: RdsSpec = { ...BASE, flavorref: 'rds.mysql.n1.xlarge.2' };
const WINDOW = { maintenanceWindow: { start: '20:00', end: '00:00' } };

async function readyWorld(
  t: { teardown(run: () => Promise<void>): void },
  spec: RdsSpec = {},
  options: WorldOptions = {},
): Promise<World> {
  const world = await createWorld({
    ...options,
    simulator: { automatedBackups: false, ...options.simulator },
  });
  t.teardown(() => world.stop());
  await world.apply('shop', { ...BASE, ...spec });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(5 * MINUTE);
  return world;
}

const count = (world: World, kind: string) => world.simulator.state.counts[kind] ?? 0;
const instanceOf = async (world: World) => {
  const { id } = await world.status('shop');
  return world.simulator.state.instances.find((one) => one.id === id);
};

t.test('what clients notice waits for the window; the rest does not', async (t) => {
  const world = await readyWorld(t, WINDOW);
  await world.apply('shop', { ...LARGER, ...WINDOW, volumesize: 80, backupkeepdays: 20 });
  await world.clock.advance(30 * MINUTE);
  const waiting = await world.status('shop');
  t.match(waiting, { phase: 'Ready', volumeGb: 80, flavor: 'rds.mysql.n1.large.2' });
  t.match(waiting.plan, [
    { field: 'spec.flavorref', impact: 'restart', when: /window from 2026-11-16T20:00:00Z/ },
  ]);
  t.equal(condition(waiting, 'Synced')?.reason, 'WaitingForWindow');
  t.equal((await instanceOf(world))?.backupKeepDays, 20);
  await world.clock.advance(11 * HOUR);
  t.equal(count(world, 'resize'), 0, 'still before the window');
  await world.clock.advance(90 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', flavor: 'rds.mysql.n1.xlarge.2', plan: [] });
  t.equal(count(world, 'resize'), 1);
});

t.test('consent to the plan runs all of it now; another plan needs new consent', async (t) => {
  const world = await readyWorld(t, WINDOW);
  await world.apply('shop', { ...LARGER, ...WINDOW, port: '3310' });
  await world.clock.advance(5 * MINUTE);
  const { planHash = '' } = await world.status('shop');
  await world.annotate('shop', { 'otc.mcsps.de/approve': 'wrong' });
  await world.clock.advance(10 * MINUTE);
  t.equal(count(world, 'resize'), 0, 'a wrong hash is no consent');
  await world.annotate('shop', { 'otc.mcsps.de/approve': planHash });
  await world.clock.advance(60 * MINUTE);
  t.match(await world.status('shop'), {
    phase: 'Ready',
    flavor: 'rds.mysql.n1.xlarge.2',
    port: 3310,
    plan: [],
  });
  await world.apply('shop', { ...BASE, ...WINDOW, port: '3310' });
  await world.clock.advance(30 * MINUTE);
  t.equal(count(world, 'resize'), 1, 'the old consent does not stand for a new plan');
});

t.test('a full disk never waits', async (t) => {
  const world = await readyWorld(t, WINDOW);
  const { id = '' } = await world.status('shop');
  await world.simulator.handle({
    method: 'POST',
    url: `/_sim/instances/${id}`,
    headers: {},
    body: JSON.stringify({ status: 'STORAGE FULL' }),
  });
  await world.apply('shop', { ...LARGER, ...WINDOW, volumesize: 80 });
  await world.clock.advance(20 * MINUTE);
  t.equal((await instanceOf(world))?.volumeGb, 80);
  t.equal(count(world, 'resize'), 0);
});

t.test('a fight is stopped after three rounds, and a reconcile order starts over', async (t) => {
  const world = await readyWorld(t, { backupkeepdays: 20 });
  const { id } = await world.status('shop');
  const policies = () =>
    world.simulator.calls().rds?.['PUT /v3/{project}/instances/{id}/backups/policy'] ?? 0;
  const undo = async () => {
    const backup_policy = { keep_days: 9, start_time: '01:00-02:00', period: '1,2,3' };
    await world.byHand('PUT', `/instances/${id}/backups/policy`, { backup_policy });
    await world.clock.advance(20 * MINUTE);
  };
  await undo();
  await undo();
  await undo();
  t.equal(policies(), 6, 'three by hand, three by us');
  await undo();
  t.equal(policies(), 7, 'no further round');
  const status = await world.status('shop');
  t.match(condition(status, 'Synced'), {
    status: 'False',
    reason: 'ChangeUndone',
    message: /backupkeepdays/,
  });
  await world.annotate('shop', { 'otc.mcsps.de/reconcile': 'now' });
  await world.clock.advance(10 * MINUTE);
  t.equal((await instanceOf(world))?.backupKeepDays, 20);
  t.match((await world.status('shop')).handled, { 'otc.mcsps.de/reconcile': 'now' });
});

t.test(
  'parameters: unknown, read-only and out of range are refused by name, the others are set',
  async (t) => {
    const world = await readyWorld(t);
    await world.apply('shop', {
      ...BASE,
      parameters: {
        wait_timeout: '600',
        no_such_thing: '1',
        innodb_page_size: '4096',
        max_connections: '1',
      },
    });
    await world.clock.advance(10 * MINUTE);
    const status = await world.status('shop');
    t.match(status.plan, [
      { field: 'spec.parameters.innodb_page_size', impact: 'impossible', when: /does not let/ },
      { field: 'spec.parameters.max_connections', impact: 'impossible', when: /allows 10-100000/ },
      { field: 'spec.parameters.no_such_thing', impact: 'impossible', when: /no such parameter/ },
    ]);
    t.equal(condition(status, 'Synced')?.reason, 'ImpossibleChange');
    t.match((await instanceOf(world))?.parameters, { wait_timeout: '600' });
    t.equal(world.simulator.calls().rds?.['PUT /v3/{project}/instances/{id}/configurations'], 1);
  },
);

t.test('a parameter that needs a restart waits for one, and any restart will do', async (t) => {
  const world = await readyWorld(t);
  await world.apply('shop', { ...BASE, parameters: { binlog_format: 'MIXED' } });
  await world.clock.advance(30 * MINUTE);
  const waiting = await world.status('shop');
  t.match(waiting, { pendingRestart: ['binlog_format'], plan: [{ field: 'restart', impact: 'restart' }] });
  t.equal(count(world, 'restart'), 0);
  await world.annotate('shop', { 'otc.mcsps.de/restart': '1' });
  await world.clock.advance(30 * MINUTE);
  const after = await world.status('shop');
  t.equal(after.pendingRestart, undefined);
  t.same(after.plan, []);
  t.equal(count(world, 'restart'), 1);
});

t.test('stock and quota are told before anything is sent', async (t) => {
  const world = await readyWorld(t, {}, { simulator: { instanceQuota: 1 } });
  const before = world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0;
  world.simulator.faults.add({ kind: 'sold-out', flavor: 'rds.mysql.n1.2xlarge.4', match: {} });
  await world.apply('shop', { ...BASE, flavorref: 'rds.mysql.n1.2xlarge.4' });
  await world.clock.advance(10 * MINUTE);
  const status = await world.status('shop');
  t.match(status.plan, [
    { field: 'spec.flavorref', impact: 'impossible', when: /not in stock in eu-de-01; possible are/ },
  ]);
  t.equal(world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0, before);
  await world.apply('shop', { ...BASE, readReplicas: [{ name: 'reports' }] });
  await world.clock.advance(10 * MINUTE);
  t.match(condition(await world.status('shop'), 'Synced')?.message, /quota/);
  t.equal(world.creates(), 1, 'the replica was never asked for');
  await world.apply('second', BASE);
  await world.clock.advance(10 * MINUTE);
  t.match(condition(await world.status('second'), 'Ready')?.message, /quota/);
  t.equal(world.creates(), 1);
});

t.test('stopped: the seven days are told, and what the cloud started is stopped again', async (t) => {
  const world = await readyWorld(t);
  await world.apply('shop', { ...BASE, stopped: true });
  await world.clock.advance(30 * MINUTE);
  const stopped = await world.status('shop');
  t.match(stopped, { phase: 'Stopped', startsAt: /^2026-11-23T/ });
  await world.apply('shop', { ...BASE, stopped: true, backupkeepdays: 20 });
  await world.clock.advance(30 * MINUTE);
  t.match((await world.status('shop')).plan, [{ field: 'spec.backupkeepdays', when: /started again/ }]);
  // A week of calls at rest would tell nothing more.
  world.pauseLoops();
  await world.clock.advance(7 * 24 * HOUR - 3 * HOUR);
  await world.restartLoop();
  await world.clock.advance(4 * HOUR);
  t.equal(count(world, 'started-by-itself'), 1);
  t.equal(count(world, 'stop'), 2);
  t.match(await world.status('shop'), { phase: 'Stopped' });
  await world.apply('shop', { ...BASE, backupkeepdays: 20 });
  await world.clock.advance(HOUR);
  t.match(await world.status('shop'), { phase: 'Ready', plan: [] });
});

t.test('what somebody stopped in the console stays stopped', async (t) => {
  const world = await readyWorld(t);
  const { id } = await world.status('shop');
  await world.byHand('POST', `/instances/${id}/action/shutdown`, {});
  await world.clock.advance(2 * HOUR);
  t.match(await world.status('shop'), { phase: 'Stopped' });
  t.equal(count(world, 'start'), 0);
});

t.test('an emptied status.id is found again, and the way to let go is told', async (t) => {
  const world = await readyWorld(t);
  const { id } = await world.status('shop');
  for (const emptied of [null, '']) {
    const patch = { status: { id: emptied } };
    await world.kube('PATCH', `${world.rdsPath('shop')}/status`, patch, 'application/merge-patch+json');
    await world.clock.advance(5 * MINUTE);
    const status = await world.status('shop');
    t.match(status, { phase: 'Ready', id });
    t.match(condition(status, 'InstanceKept'), { reason: 'IdFoundAgain', message: /otc.mcsps.de\/release/ });
  }
  t.equal(world.creates(), 1);
});

t.test('release: the instance stays, nothing is made in its place, and it can be taken back', async (t) => {
  const world = await readyWorld(t);
  const { id } = await world.status('shop');
  await world.annotate('shop', { 'otc.mcsps.de/release': 'true' });
  await world.clock.advance(30 * MINUTE);
  const released = await world.status('shop');
  t.match(released, { phase: 'Released' });
  t.equal(released.id, undefined);
  const instance = world.simulator.state.instances.find((one) => one.id === id);
  t.same(instance?.tags, [], 'our mark is off');
  await world.apply('shop', { ...BASE, volumesize: 80 });
  await world.clock.advance(HOUR);
  t.equal(world.creates(), 1);
  t.equal(world.simulator.state.instances[0]?.volumeGb, 40, 'nothing is changed any more');
  await world.annotate('shop', { 'otc.mcsps.de/release': null });
  await world.clock.advance(HOUR);
  t.match(await world.status('shop'), { phase: 'Ready', id, volumeGb: 80 });
  t.equal(world.creates(), 1);
});

t.test(
  'release: an Rds that is deleted afterwards leaves the instance alone, and another may have it',
  async (t) => {
    const world = await readyWorld(t);
    const { id = '' } = await world.status('shop');
    await world.annotate('shop', { 'otc.mcsps.de/release': 'true' });
    await world.clock.advance(30 * MINUTE);
    await world.apply('other', BASE, { 'otc.mcsps.de/adopt': id });
    await world.clock.advance(30 * MINUTE);
    t.match(await world.status('other'), { phase: 'Ready', id });
    await world.annotate('shop', { 'otc.mcsps.de/release': null });
    await world.clock.advance(30 * MINUTE);
    t.match(condition(await world.status('shop'), 'Synced')?.message, /owned by another Rds/);
    await world.remove('shop');
    t.ok(await world.isGone('shop'));
    t.equal(world.simulator.state.instances.length, 1);
    t.equal(count(world, 'deleted'), 0);
  },
);

const FAULTS: FaultKind[] = ['timeout-after', 'timeout-before', '409', 'late'];
const CHANGES: { spec: RdsSpec; method: 'PUT' | 'POST'; path: string; done: (world: World) => number }[] = [
  { spec: { port: '3310' }, method: 'PUT', path: '/port', done: (world) => count(world, 'port') },
  {
    spec: { stopped: true },
    method: 'POST',
    path: '/action/shutdown',
    done: (world) => count(world, 'stop'),
  },
  {
    spec: { minorUpgrade: 'Now' },
    method: 'POST',
    path: '/db-upgrade',
    done: (world) => count(world, 'upgrade'),
  },
];

for (const { spec, method, path, done } of CHANGES) {
  for (const kind of FAULTS) {
    t.test(`${kind} on ${method} ${path}: it happens once`, async (t) => {
      const world = await readyWorld(t);
      const match = { service: 'rds' as const, method, path: `/v3/{project}/instances/{id}${path}` };
      world.simulator.faults.add({ match, kind, times: 1, lateMs: 50 * SECOND });
      await world.apply('shop', { ...BASE, ...spec });
      await world.clock.advance(90 * MINUTE);
      t.same((await world.status('shop')).plan, []);
      t.equal(done(world), 1);
    });
  }
}

for (const kind of FAULTS) {
  t.test(`${kind} on the create of a read replica: there is one`, async (t) => {
    const world = await readyWorld(t);
    const match = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/instances' };
    world.simulator.faults.add({ match, kind, times: 1, lateMs: 50 * SECOND });
    await world.apply('shop', { ...BASE, readReplicas: [{ name: 'reports' }] });
    await world.clock.advance(2 * HOUR);
    const replicas = world.simulator.state.instances.filter(({ type }) => type === 'Replica');
    t.equal(replicas.length, 1);
    t.match((await world.status('shop')).replicas, [
      { name: 'reports', id: replicas[0]?.id, status: 'ACTIVE', ip: String },
    ]);
    t.equal(count(world, 'create'), 2);
  });
}

t.test('a read replica that somebody removed is made again, once its absence is certain', async (t) => {
  const world = await readyWorld(t, { readReplicas: [{ name: 'reports' }] });
  await world.clock.advance(HOUR);
  const [replica] = world.simulator.state.instances.filter(({ type }) => type === 'Replica');
  await world.byHand('DELETE', `/instances/${replica?.id}`);
  await world.clock.advance(2 * HOUR);
  const replicas = world.simulator.state.instances.filter(({ type }) => type === 'Replica');
  t.equal(replicas.length, 1);
  t.not(replicas[0]?.id, replica?.id);
  await world.remove('shop');
  t.ok(await world.isGone('shop', 3 * HOUR));
  t.same(world.simulator.state.instances, [], 'replicas go with their primary');
});
