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
  REMOVE,
  removals,
  removeBackup,
  storedBackup,
  withShop,
} from '../support/backups.ts';
import { condition, demoCredentials, MINUTE, SECOND, type World } from '../support/world.ts';

const otcCalls = (world: World): number =>
  Object.values(world.simulator.calls().rds ?? {}).reduce((sum, count) => sum + count, 0);

const setPolicy = (world: World, name: string, deletionPolicy: 'Retain' | 'Delete') =>
  world.kube('PATCH', backupPath(name), { spec: { deletionPolicy } }, 'application/merge-patch+json');

async function completed(world: World, name: string, deletionPolicy?: 'Retain' | 'Delete'): Promise<string> {
  await applyBackup(world, name, { rds: 'shop', ...(deletionPolicy ? { deletionPolicy } : {}) });
  await backupReaches(world, name, 'Completed');
  return (await backupStatus(world, name)).id ?? '';
}

t.test('Retain is the default: the object goes at once, without a call to the cloud', async (t) => {
  const world = await withShop(t);
  const id = await completed(world, 'before');
  const uid = (await storedBackup(world, 'before'))?.metadata.uid;
  await world.remove('shop');
  await world.isGone('shop');
  const calls = otcCalls(world);
  await removeBackup(world, 'before');
  t.ok(await backupIsGone(world, 'before', MINUTE));
  t.equal(otcCalls(world), calls);
  t.same(
    manualBackups(world).map((backup) => backup.id),
    [id],
  );
  t.match(await backupJournal(world, uid), { closed: { unknownPast: false }, letGo: true });
});

t.test('Delete removes the backup and lets the object go only after three empty lists', async (t) => {
  const world = await withShop(t);
  await completed(world, 'before', 'Delete');
  await removeBackup(world, 'before');
  t.ok(await backupSays(world, 'before', 'ProvingAbsence', 10 * MINUTE));
  t.equal(manualBackups(world).length, 0);
  const since = world.clock.now();
  t.ok(await backupIsGone(world, 'before'));
  t.ok(world.clock.now() - since >= 60 * SECOND, 'three looks, 30 s apart');
  t.equal(removals(world), 1);
});

const lostDeletes = [
  '500-after',
  'timeout-after',
  'timeout-before',
  '500-before',
  '409',
  'connection',
] as const;
for (const kind of lostDeletes) {
  t.test(`${kind} on the delete: the backup goes in the end`, async (t) => {
    const world = await withShop(t);
    await completed(world, 'before', 'Delete');
    world.simulator.faults.add({ match: REMOVE, kind, times: 1 });
    await removeBackup(world, 'before');
    t.ok(await backupIsGone(world, 'before'));
    t.equal(manualBackups(world).length, 0);
    t.ok(removals(world) <= 2);
  });
}

t.test('a wrong empty list in between does not end the delete', async (t) => {
  const world = await withShop(t);
  await completed(world, 'before', 'Delete');
  // Past the settle time of the order, so that an empty list counts.
  await world.clock.advance(10 * MINUTE);
  world.simulator.faults.add({ match: LIST, kind: 'empty-list', times: 2 });
  await removeBackup(world, 'before');
  t.ok(await backupSays(world, 'before', 'ProvingAbsence', MINUTE));
  t.ok(await backupIsGone(world, 'before'));
  t.equal(manualBackups(world).length, 0);
});

t.test('a backup that still runs is waited for, then deleted', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'before', { rds: 'shop', deletionPolicy: 'Delete' });
  t.ok(await backupReaches(world, 'before', 'Running'));
  await removeBackup(world, 'before');
  t.ok(await backupSays(world, 'before', 'Busy', MINUTE));
  t.match(
    condition(await backupStatus(world, 'before'), 'Progressing')?.message,
    /waits until backup .* has ended/,
  );
  t.ok(await backupIsGone(world, 'before'));
  t.equal(manualBackups(world).length, 0);
});

t.test('the remains of a failed backup are removed as well', async (t) => {
  const world = await withShop(t);
  world.simulator.faults.add({ match: ORDER, kind: 'failed-backup', times: 1 });
  await applyBackup(world, 'before', { rds: 'shop', deletionPolicy: 'Delete' });
  t.ok(await backupReaches(world, 'before', 'Failed'));
  t.equal(manualBackups(world).length, 1);
  await removeBackup(world, 'before');
  t.ok(await backupIsGone(world, 'before'));
  t.equal(manualBackups(world).length, 0);
});

t.test(
  'a journal that was removed by hand: status leads to the backup, its name proves whose it is',
  async (t) => {
    const world = await withShop(t);
    const id = await completed(world, 'before', 'Delete');
    const uid = (await storedBackup(world, 'before'))?.metadata.uid;
    await world.kube('DELETE', `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
    await removeBackup(world, 'before');
    t.ok(await backupIsGone(world, 'before'));
    t.notOk(manualBackups(world).some((backup) => backup.id === id));
  },
);

t.test('deleted while the order was on its way: nothing is left behind', async (t) => {
  const world = await withShop(t);
  world.simulator.faults.add({ match: ORDER, kind: 'late', lateMs: 55 * SECOND, times: 1 });
  await applyBackup(world, 'before', { rds: 'shop', deletionPolicy: 'Delete' });
  t.ok(await backupSays(world, 'before', 'OutcomeUnknown', MINUTE));
  await removeBackup(world, 'before');
  t.ok(await backupIsGone(world, 'before'));
  t.equal(orders(world), 1);
  t.equal(world.simulator.state.counts.backup, 1, 'it was made after all');
  t.equal(manualBackups(world).length, 0, 'and removed');
});

t.test('deleted before anything was ordered: done at once, for either policy', async (t) => {
  const world = await withShop(t);
  for (const deletionPolicy of ['Retain', 'Delete'] as const) {
    const name = `never-${deletionPolicy.toLowerCase()}`;
    await applyBackup(world, name, { rds: 'nobody', deletionPolicy });
    t.ok(await backupSays(world, name, 'RdsNotFound', MINUTE));
    await removeBackup(world, name);
    t.ok(await backupIsGone(world, name, MINUTE));
  }
  t.equal(orders(world) + removals(world), 0);
});

t.test('without credentials Retain lets the object go, Delete waits and names both ways out', async (t) => {
  const world = await withShop(t);
  await world.secret('tenant', demoCredentials);
  const credentialsSecretRef = { name: 'tenant' };
  for (const [name, deletionPolicy] of [
    ['kept', 'Retain'],
    ['removed', 'Delete'],
  ] as const) {
    await applyBackup(world, name, { rds: 'shop', deletionPolicy, credentialsSecretRef });
    t.ok(await backupReaches(world, name, 'Completed'));
  }
  await world.kube('DELETE', '/api/v1/namespaces/team-a/secrets/tenant');
  await removeBackup(world, 'kept');
  await removeBackup(world, 'removed');
  t.ok(await backupIsGone(world, 'kept', MINUTE));
  t.ok(await backupSays(world, 'removed', 'CredentialsInvalid', MINUTE));
  t.match(
    condition(await backupStatus(world, 'removed'), 'Progressing')?.message,
    /Secret tenant.*does not exist.*deletionPolicy: Retain/,
  );
  await world.clock.advance(10 * MINUTE);
  t.ok(await storedBackup(world, 'removed'), 'it is not let go by itself');
  await setPolicy(world, 'removed', 'Retain');
  t.ok(await backupIsGone(world, 'removed', 10 * MINUTE));
  t.equal(manualBackups(world).length, 2);
  t.equal(removals(world), 0);
});

t.test('a policy that was changed to Retain in the last moment is obeyed', async (t) => {
  const world = await withShop(t);
  await completed(world, 'before', 'Delete');
  world.simulator.faults.add({ match: LIST, kind: '503', times: 12 });
  await removeBackup(world, 'before');
  await world.clock.advance(5 * SECOND);
  await setPolicy(world, 'before', 'Retain');
  t.ok(await backupIsGone(world, 'before', 5 * MINUTE));
  t.equal(manualBackups(world).length, 1);
  t.equal(removals(world), 0);
});

t.test('finalizing alone is no delete: a label edit leaves everything as it is', async (t) => {
  const world = await withShop(t);
  await completed(world, 'before', 'Delete');
  const parent = await storedBackup(world, 'before');
  const answer = world.app.inject({
    method: 'POST',
    url: '/rdsbackup/finalize',
    payload: { parent, children: {}, related: {}, finalizing: true },
  });
  await world.clock.advance(SECOND);
  t.match((await answer).json(), { status: { phase: 'Completed' }, finalized: undefined });
  t.equal(removals(world), 0);
});
