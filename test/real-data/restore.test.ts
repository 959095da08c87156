// Rows that were written before a backup are there after a restore: our hooks on a cloud whose instances are MariaDB and
// PostgreSQL servers, whose backups are dumps of them, and which is asked by the drivers of applications.

import t, { type Test } from 'tap';
import { parse } from 'yaml';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { freePort, mysql, postgres, reasonToSkip } from '../simulator/real-cloud.ts';
import { applyBackup, backupStatus } from '../support/backups.ts';
import { MINUTE } from '../support/world.ts';
import { APP, type Client, mysqlClient, postgresClient, someOrders } from './client.ts';
import { createRealWorld, type RealWorld } from './real-world.ts';

const BEFORE = someOrders(1, 300);
const LATER = someOrders(1001, 20);
const NEWEST = someOrders(2001, 5);

type RestoreFrom = NonNullable<RdsSpec['restoreFrom']>;
type Story = { world: RealWorld; client: Client; spec: RdsSpec; nextPort(): Promise<string> };

/**
 * Rows, a backup, a moment, later rows. The simulator has no log to go on from: it restores the last dump that was
 * complete at the moment asked for. So the moment is one where a log would have nothing to add.
 */
async function untilLater({ world, client, spec }: Story): Promise<string> {
  await world.apply('shop', spec);
  const root = await world.login('shop');
  await client.prepare(root);
  await client.write(root, BEFORE);
  await applyBackup(world, 'monday', { rds: 'shop' });
  await world.until('the backup is complete', async () => {
    return (await backupStatus(world, 'monday')).phase === 'Completed';
  });
  const moment = new Date(world.clock.now()).toISOString();
  await client.write(root, LATER);
  return moment;
}

async function newFromBackup(t: Test, { world, client, spec, nextPort }: Story): Promise<void> {
  await world.apply('copy', { ...spec, port: await nextPort(), restoreFrom: { backup: 'monday' } });
  const [copy, shop] = [await world.login('copy'), await world.login('shop')];
  t.strictSame(await client.read(copy), BEFORE);
  t.strictSame(await client.read({ ...copy, ...APP }), BEFORE, 'users and their rights are there too');
  t.not(copy.password, shop.password);
  await t.rejects(client.read({ ...copy, password: shop.password }), /denied|authentication/);
  t.strictSame(await client.read(shop), [...BEFORE, ...LATER], 'the source goes on');
}

/** What status told while the Rds went; the Rds is gone afterwards. */
async function finalRecipe({ world }: Story, name: string): Promise<RestoreFrom> {
  let recipe = '';
  const unwatch = world.api.watch(({ object }) => {
    if (object.kind !== 'Rds' || object.metadata.name !== name) return;
    const status = object.status as { backup?: { finalBackup?: { restoreFrom?: string } } } | undefined;
    recipe = status?.backup?.finalBackup?.restoreFrom ?? recipe;
  });
  await world.remove(name);
  await world.until(`${name} is gone`, async () => (await world.rds(name)) === undefined);
  unwatch();
  return parse(recipe) as RestoreFrom;
}

async function backFromFinalBackup(t: Test, story: Story): Promise<void> {
  const { world, client, spec } = story;
  const old = await world.login('shop');
  const rows = await client.read(old);
  const restoreFrom = await finalRecipe(story, 'shop');
  t.same(
    world.simulator.state.instances.filter(({ name }) => name.includes('shop')),
    [],
    'it is gone',
  );
  await t.rejects(client.read(old), /ECONNREFUSED/);
  await world.apply('shop', { ...spec, restoreFrom });
  const again = await world.login('shop');
  t.strictSame(await client.read(again), rows);
  t.not(again.password, old.password);
}

/** The cloud restores up to some minutes ago. */
const untilRestorable = ({ world }: Story, moment: string) =>
  world.until('the moment can be restored', async () => {
    return world.clock.now() > Date.parse(moment) + 6 * MINUTE;
  });

async function newFromMoment(t: Test, story: Story, pointInTime: string): Promise<void> {
  const { world, client, spec, nextPort } = story;
  await untilRestorable(story, pointInTime);
  const restoreFrom = { rds: 'shop', pointInTime };
  await world.apply('then', { ...spec, port: await nextPort(), restoreFrom });
  t.strictSame(await client.read(await world.login('then')), BEFORE);
}

async function backInPlace(t: Test, story: Story, moment: string): Promise<void> {
  const { world, client, spec } = story;
  await untilRestorable(story, moment);
  await world.apply('shop', { ...spec, backuprestoretime: moment });
  await world.until('the restore is carried out', async () => {
    const { phase, handled } = await world.status('shop');
    return phase === 'Ready' && handled?.['spec.backuprestoretime'] === moment;
  });
  const shop = await world.login('shop');
  t.strictSame(await client.read(shop), BEFORE, 'what was written after it is gone');
  t.strictSame(await client.read({ ...shop, ...APP }), BEFORE);
}

/** A second restore would lose what was written after the first. */
async function neverTwice(t: Test, { world, client, spec }: Story, moment: string): Promise<void> {
  const shop = await world.login('shop');
  await client.write(shop, NEWEST);
  await world.restartReplica();
  await world.apply('shop', { ...spec, backuprestoretime: moment, backupkeepdays: 9 });
  const { id } = await world.status('shop');
  await world.until('the other change of the manifest is carried out', async () => {
    return world.simulator.state.instances.find((one) => one.id === id)?.backupKeepDays === 9;
  });
  const end = world.clock.now() + 2 * MINUTE;
  await world.until('minutes have passed', async () => world.clock.now() > end);
  t.strictSame(await client.read(shop), [...BEFORE, ...NEWEST]);
}

/** Found in the cloud's list by its name. */
async function newFromSafetyBackup(t: Test, { world, client, spec, nextPort }: Story): Promise<void> {
  const [safety, ...more] = world.simulator.state.backups.filter(({ name }) => name.startsWith('before-'));
  t.same(more, []);
  const restoreFrom = { backupId: safety?.id ?? '', instanceId: safety?.instanceId ?? '' };
  await world.apply('rescue', { ...spec, port: await nextPort(), restoreFrom });
  t.strictSame(await client.read(await world.login('rescue')), [...BEFORE, ...LATER]);
}

// Mostly servers that start: both engines at once take less than one after the other.
t.jobs = 2;

t.test('MySQL (MariaDB)', { skip: reasonToSkip(mysql) }, async (t) => {
  const nextPort = async () => `${await freePort(mysql)}`;
  const spec: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40, port: await nextPort() };
  const world = await createRealWorld(t, mysql);
  const story: Story = { world, client: mysqlClient, spec, nextPort };
  const moment = await untilLater(story);
  await t.test('a new Rds from an RdsBackup', (t) => newFromBackup(t, story));
  await t.test('back to a point in time, in place', (t) => backInPlace(t, story, moment));
  await t.test('the same manifest restores nothing again', (t) => neverTwice(t, story, moment));
  await t.test('a new Rds from the backup before the restore', (t) => newFromSafetyBackup(t, story));
  await t.test('deleted, and back from the final backup', (t) => backFromFinalBackup(t, story));
  t.same(world.problems, []);
});

t.test('PostgreSQL', { skip: reasonToSkip(postgres) }, async (t) => {
  const nextPort = async () => `${await freePort(postgres)}`;
  const spec: RdsSpec = {
    datastoretype: 'PostgreSQL',
    datastoreversion: '15',
    flavorref: 'rds.pg.n1.large.2',
    volumesize: 40,
    port: await nextPort(),
  };
  const world = await createRealWorld(t, postgres);
  const story: Story = { world, client: postgresClient, spec, nextPort };
  const moment = await untilLater(story);
  await t.test('a new Rds from an RdsBackup', (t) => newFromBackup(t, story));
  await t.test('a new Rds from a point in time', (t) => newFromMoment(t, story, moment));
  await t.test('deleted, and back from the final backup', (t) => backFromFinalBackup(t, story));
  t.same(world.problems, []);
});
