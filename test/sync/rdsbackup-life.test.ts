import t from 'tap';
import {
  applyBackup,
  backupIsGone,
  backupJournal,
  backupPath,
  backupReaches,
  backupSays,
  backupStatus,
  LIST,
  manualBackups,
  ORDER,
  orders,
  removals,
  removeBackup,
  storedBackup,
  withShop,
} from '../support/backups.ts';
import { condition, createWorld, MINUTE, type World } from '../support/world.ts';

const otcCalls = (world: World): number =>
  Object.values(world.simulator.calls().rds ?? {}).reduce((sum, count) => sum + count, 0);

t.test('a backup is made once, told while it runs, and ends with what a restore needs', async (t) => {
  const world = await withShop(t);
  const { id: instanceId } = await world.status('shop');
  await applyBackup(world, 'before', { rds: 'shop', description: 'before the upgrade' });
  t.ok(await backupReaches(world, 'before', 'Running'));
  t.match(condition(await backupStatus(world, 'before'), 'Progressing'), {
    status: 'True',
    reason: 'BackupRunning',
  });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  const [made] = manualBackups(world);
  t.match(made, { name: /^team-a_before_[0-9a-f]{12}$/, description: 'before the upgrade', instanceId });
  const status = await backupStatus(world, 'before');
  t.match(status, {
    id: made?.id,
    instanceId,
    name: made?.name,
    type: 'manual',
    status: 'COMPLETED',
    sizeKb: made?.sizeKb,
    beginTime: /^2026-11-16T08:\d\d:\d\dZ$/,
    endTime: /^2026-11-16T08:\d\d:\d\dZ$/,
    restoreFrom: `{backupId: ${made?.id}, instanceId: ${instanceId}}`,
  });
  t.match(condition(status, 'Ready'), { status: 'True', reason: 'BackupCompleted' });
  t.equal(orders(world), 1);
  const events = world.api.dump().filter(({ kind }) => kind === 'Event');
  const told = events.find(({ reason }) => reason === 'BackupCompleted');
  t.match(told, { involvedObject: { kind: 'RdsBackup', name: 'before' }, type: 'Normal' });
  t.match(told?.message, status.restoreFrom, 'the recipe is in the Event too');
});

t.test('a complete backup costs neither a call to the cloud nor a write of status', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  await world.kube('DELETE', world.rdsPath('shop'));
  await world.isGone('shop');
  const { resourceVersion } = (await storedBackup(world, 'before'))?.metadata ?? {};
  const [calls, hooks] = [otcCalls(world), world.calls.length];
  await world.clock.advance(60 * MINUTE);
  t.ok(world.calls.length > hooks, 'the loop still asks');
  t.ok(otcCalls(world) - calls <= 1, `${otcCalls(world) - calls} calls in an hour`);
  t.equal((await storedBackup(world, 'before'))?.metadata.resourceVersion, resourceVersion);
});

t.test('it waits for an instance that is not there yet, and is made when it is', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await applyBackup(world, 'before', { rds: 'shop' });
  await world.clock.advance(MINUTE);
  t.match(condition(await backupStatus(world, 'before'), 'Ready'), {
    status: 'False',
    reason: 'RdsNotFound',
    message: /Rds shop, named in spec\.rds, does not exist in namespace team-a/,
  });
  await world.apply('shop', {});
  await world.clock.advance(MINUTE);
  t.match(condition(await backupStatus(world, 'before'), 'Ready'), { reason: 'WaitingForInstance' });
  t.equal(orders(world), 0);
  t.ok(await backupReaches(world, 'before', 'Completed'));
  t.equal(orders(world), 1);
});

t.test('two at the same time: the second waits, says so, and is made afterwards', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'one', { rds: 'shop' });
  await applyBackup(world, 'two', { rds: 'shop' });
  t.ok(await backupReaches(world, 'one', 'Running'));
  t.ok(await backupSays(world, 'two', 'Busy', MINUTE));
  t.match(condition(await backupStatus(world, 'two'), 'Ready')?.message, /backup/);
  t.ok(await backupReaches(world, 'one', 'Completed'));
  t.ok(await backupReaches(world, 'two', 'Completed'));
  t.equal(manualBackups(world).length, 2);
});

t.test('a refusal because the cloud is busy frees the claim; the order is sent again', async (t) => {
  const world = await withShop(t);
  world.simulator.faults.add({ match: ORDER, kind: '409', times: 1 });
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupSays(world, 'before', 'Busy', MINUTE));
  t.ok(await backupReaches(world, 'before', 'Completed'));
  t.equal(manualBackups(world).length, 1);
});

t.test('a backup that fails stays Failed with the reason and is not tried again', async (t) => {
  const world = await withShop(t);
  world.simulator.faults.add({ match: ORDER, kind: 'failed-backup', times: 1 });
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Failed'));
  const status = await backupStatus(world, 'before');
  t.match(status, { status: 'FAILED', failure: /FAILED.*create another RdsBackup/ });
  t.equal(status.restoreFrom, undefined);
  t.match(condition(status, 'Ready'), { status: 'False', reason: 'BackupFailed' });
  await world.clock.advance(30 * MINUTE);
  t.equal(orders(world), 1);
  await applyBackup(world, 'again', { rds: 'shop' });
  t.ok(await backupReaches(world, 'again', 'Completed'), 'another object is the retry');
});

t.test('it outlives its Rds, with everything that a restore needs', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  const before = await backupStatus(world, 'before');
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.equal(world.simulator.state.instances.length, 0);
  await world.clock.advance(7 * 60 * MINUTE);
  t.same(await backupStatus(world, 'before'), before);
  t.equal((await storedBackup(world, 'before'))?.metadata.ownerReferences, undefined);
  await world.kube(
    'PATCH',
    backupPath('before'),
    { spec: { deletionPolicy: 'Delete' } },
    'application/merge-patch+json',
  );
  await removeBackup(world, 'before');
  t.ok(await backupIsGone(world, 'before'), 'and can still be deleted in the cloud');
  t.equal(manualBackups(world).length, 0);
});

t.test('the delete of an Rds waits for a backup that runs, and the backup survives', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Running'));
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.ok(await backupReaches(world, 'before', 'Completed'));
  t.equal(manualBackups(world).length, 1);
});

t.test('a backup deleted in the console is told as gone and not made again', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  const { id } = await backupStatus(world, 'before');
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  await world.byHand('DELETE', `/backups/${id}`);
  t.ok(await backupSays(world, 'before', 'BackupGone', 7 * 60 * MINUTE), 'within the six hours');
  t.ok(await backupReaches(world, 'before', 'Failed'));
  await world.clock.advance(30 * MINUTE);
  const status = await backupStatus(world, 'before');
  t.match(status, { id, failure: /not made again/ });
  t.equal(status.restoreFrom, undefined, 'nothing promises a restore any more');
  t.equal(orders(world), 1);
});

t.test('one wrong empty list is not believed', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Running'));
  world.simulator.faults.add({ match: LIST, kind: 'empty-list', times: 2 });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  t.equal(orders(world), 1);
});

t.test('an unreachable cloud is told, and the last known state stays', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Running'));
  const { id } = await backupStatus(world, 'before');
  world.simulator.faults.add({ match: { service: 'rds' }, kind: '503', times: 10_000 });
  t.ok(await backupSays(world, 'before', 'CloudUnreachable', 10 * MINUTE));
  const status = await backupStatus(world, 'before');
  t.match(status, { phase: 'Running', id });
  t.match(condition(status, 'Synced'), { status: 'Unknown' });
  world.simulator.faults.clear();
  t.ok(await backupReaches(world, 'before', 'Completed'));
});

t.test('an emptied status is filled again from the journal and the cloud', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop' });
  t.ok(await backupReaches(world, 'before', 'Completed'));
  const before = await backupStatus(world, 'before');
  const stored = await storedBackup(world, 'before');
  await world.kube('PUT', `${backupPath('before')}/status`, { ...stored, status: {} });
  t.ok(await backupReaches(world, 'before', 'Completed', MINUTE));
  t.match(await backupStatus(world, 'before'), { id: before.id, restoreFrom: before.restoreFrom });
  t.equal(orders(world), 1);
  t.equal(removals(world), 0);
});

t.test(
  'a journal removed by hand is written again from what the cloud shows; nothing is made twice',
  async (t) => {
    const world = await withShop(t);
    await applyBackup(world, 'before', { rds: 'shop' });
    t.ok(await backupReaches(world, 'before', 'Running'));
    const stored = await storedBackup(world, 'before');
    const { uid } = stored?.metadata ?? {};
    const lease = `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`;
    await world.kube('DELETE', lease);
    t.ok(await backupReaches(world, 'before', 'Completed'));
    t.equal(orders(world), 1);
    t.match(await backupJournal(world, uid), { id: stored?.status?.id }, 'known again by its name');
    await world.kube('DELETE', lease);
    await world.byHand('DELETE', `/backups/${stored?.status?.id}`);
    t.ok(await backupSays(world, 'before', 'BackupMissing', 7 * 60 * MINUTE));
    t.match(condition(await backupStatus(world, 'before'), 'Ready')?.message, /None is made in its place/);
    t.equal(orders(world), 1);
  },
);
