import t from 'tap';
import type { RdsBackupSpec } from '../../src/rds/backup.ts';
import {
  applyBackup,
  backupIsGone,
  backupReaches,
  backupSays,
  backupStatus,
  manualBackups,
  orders,
  removals,
  removeBackup,
  storedBackup,
  withShop,
} from '../support/backups.ts';
import { condition, MINUTE, type World } from '../support/world.ts';

/** Somebody at the console. */
async function madeByHand(world: World, name: string, wait = 10 * MINUTE): Promise<RdsBackupSpec> {
  const { id: instanceId = '' } = await world.status('shop');
  const { status, body } = await world.byHand('POST', '/backups', { instance_id: instanceId, name });
  if (status !== 200) throw new Error(`backup by hand: ${status} ${JSON.stringify(body)}`);
  await world.clock.advance(wait);
  return { backupId: (body as { backup: { id: string } }).backup.id, instanceId };
}

t.test('a backup of the console gets an object, and keeps its data when that is deleted', async (t) => {
  const world = await withShop(t);
  const spec = await madeByHand(world, 'by-hand');
  await applyBackup(world, 'mine', spec);
  t.ok(await backupReaches(world, 'mine', 'Completed', MINUTE));
  const { backupId: id = '', instanceId = '' } = spec;
  t.match(await backupStatus(world, 'mine'), {
    id,
    instanceId,
    name: 'by-hand',
    restoreFrom: `{backupId: ${id}, instanceId: ${instanceId}}`,
  });
  await removeBackup(world, 'mine');
  t.ok(await backupIsGone(world, 'mine', MINUTE));
  t.equal(manualBackups(world).length, 1);
  t.equal(orders(world), 1, 'only the one of the console');
});

t.test('it is deleted only where Delete is written', async (t) => {
  const world = await withShop(t);
  const spec = await madeByHand(world, 'by-hand');
  await applyBackup(world, 'mine', { ...spec, deletionPolicy: 'Delete' });
  t.ok(await backupReaches(world, 'mine', 'Completed', MINUTE));
  await removeBackup(world, 'mine');
  t.ok(await backupIsGone(world, 'mine'));
  t.equal(manualBackups(world).length, 0);
});

t.test('the final backup of an Rds that is gone can be adopted', async (t) => {
  const world = await withShop(t);
  const { id: instanceId = '' } = await world.status('shop');
  await world.apply('shop', { deletionPolicy: 'Snapshot' });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const [final] = manualBackups(world);
  await applyBackup(world, 'last', { backupId: final?.id ?? '', instanceId });
  t.ok(await backupReaches(world, 'last', 'Completed', MINUTE));
});

t.test('what another living object made is not deleted through a second one', async (t) => {
  const world = await withShop(t);
  await applyBackup(world, 'maker', { rds: 'shop' });
  t.ok(await backupReaches(world, 'maker', 'Completed'));
  const { id: backupId = '', instanceId = '' } = await backupStatus(world, 'maker');
  await applyBackup(world, 'thief', { backupId, instanceId, deletionPolicy: 'Delete' });
  t.ok(await backupReaches(world, 'thief', 'Completed', MINUTE));
  await removeBackup(world, 'thief');
  t.ok(await backupIsGone(world, 'thief', 5 * MINUTE), 'the object goes');
  t.equal(removals(world), 0, 'the backup stays');
  await removeBackup(world, 'maker');
  t.ok(await backupIsGone(world, 'maker', MINUTE));
  await applyBackup(world, 'heir', { backupId, instanceId, deletionPolicy: 'Delete' });
  t.ok(await backupReaches(world, 'heir', 'Completed', MINUTE));
  await removeBackup(world, 'heir');
  t.ok(await backupIsGone(world, 'heir'));
  t.equal(manualBackups(world).length, 0, 'let go by its maker, it may be deleted');
});

t.test('a running backup is told as such and taken over when it is complete', async (t) => {
  const world = await withShop(t);
  const spec = await madeByHand(world, 'by-hand', 0);
  await applyBackup(world, 'mine', spec);
  t.ok(await backupSays(world, 'mine', 'BackupRunning', MINUTE));
  const status = await backupStatus(world, 'mine');
  t.equal(status.phase, 'Pending');
  t.match(
    condition(status, 'Ready')?.message,
    /spec\.backupId: backup .* is still being made; it is taken over/,
  );
  t.ok(await backupReaches(world, 'mine', 'Completed'));
});

t.test('an automated backup can be adopted with Retain; Delete names the field and the remedy', async (t) => {
  const world = await withShop(t, { simulator: { automatedBackups: true } });
  const { id: instanceId = '' } = await world.status('shop');
  const auto = world.simulator.state.backups.find(({ type }) => type === 'auto');
  const spec = { backupId: auto?.id ?? '', instanceId };
  await applyBackup(world, 'mine', { ...spec, deletionPolicy: 'Delete' });
  t.ok(await backupSays(world, 'mine', 'BackupNotDeletable', MINUTE));
  t.match(
    condition(await backupStatus(world, 'mine'), 'Ready')?.message,
    /spec\.deletionPolicy: this backup is of type auto.*Set deletionPolicy: Retain/,
  );
  await applyBackup(world, 'mine', { ...spec, deletionPolicy: 'Retain' });
  t.ok(await backupReaches(world, 'mine', 'Completed', 10 * MINUTE));
  await applyBackup(world, 'mine', { ...spec, deletionPolicy: 'Delete' });
  t.ok(await backupSays(world, 'mine', 'BackupNotDeletable', 10 * MINUTE));
  t.match(await backupStatus(world, 'mine'), { phase: 'Completed', type: 'auto' }, 'and stays what it is');
  await removeBackup(world, 'mine');
  t.ok(await backupIsGone(world, 'mine', 5 * MINUTE));
  t.equal(removals(world), 0);
});

t.test('a backup that is not there is answered with those that are', async (t) => {
  const world = await withShop(t);
  const { backupId = '', instanceId = '' } = await madeByHand(world, 'by-hand');
  await applyBackup(world, 'typo', { backupId: 'no-such-id', instanceId });
  await applyBackup(world, 'elsewhere', { backupId, instanceId: 'another-instance' });
  await world.clock.advance(MINUTE);
  const typo = condition(await backupStatus(world, 'typo'), 'Ready');
  t.match(typo, { status: 'False', reason: 'BackupNotFound' });
  t.match(
    typo?.message,
    new RegExp(`has no backup no-such-id. Its newest backups are ${backupId} \\(manual, COMPLETED`),
  );
  t.match(
    condition(await backupStatus(world, 'elsewhere'), 'Ready')?.message,
    /check spec\.instanceId and spec\.credentialsSecretRef/,
  );
  const { resourceVersion } = (await storedBackup(world, 'typo'))?.metadata ?? {};
  await world.clock.advance(30 * MINUTE);
  t.equal((await storedBackup(world, 'typo'))?.metadata.resourceVersion, resourceVersion, 'told once');
});
