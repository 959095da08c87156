// A restore drill on real servers: the backup is a dump, the throwaway a server of its own, and the Job a process that
// logs in to it and asks for rows that were written before.

import t, { type Test } from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { machineAddresses } from '../../src/simulator/real/addresses.ts';
import { type EngineUnderTest, freePort, mysql, postgres, reasonToSkip } from '../simulator/real-cloud.ts';
import { applyBackup, backupStatus } from '../support/backups.ts';
import { condition } from '../support/world.ts';
import { type Client, mysqlClient, postgresClient, someOrders } from './client.ts';
import { createDrillPods } from './drill-pod.ts';
import { createRealWorld } from './real-world.ts';

const BEFORE = someOrders(1, 300);
const LATER = someOrders(1001, 20);
const SECOND_ADDRESS = '127.77.0.9';

async function drills(t: Test, engine: EngineUnderTest, client: Client, base: RdsSpec): Promise<void> {
  const pods = createDrillPods();
  const world = await createRealWorld(t, engine, {
    listenAddresses: [...machineAddresses().slice(0, 1), SECOND_ADDRESS],
    deps: { jobImage: 'registry.example/rds-pilot:test', readJobMessages: pods.readJobMessages },
  });
  pods.serve(world, world.hold);
  const spec: RdsSpec = { ...base, port: `${await freePort(engine)}` };
  await world.apply('shop', spec);
  const root = await world.login('shop');
  await client.prepare(root);
  await client.write(root, BEFORE);
  await applyBackup(world, 'monday', { rds: 'shop' });
  await world.until('the backup is complete', async () => {
    return (await backupStatus(world, 'monday')).phase === 'Completed';
  });
  await client.write(root, LATER);

  const drill = async (checks: string[]) => {
    const { last: before } = (await world.status('shop')).backup?.drill ?? {};
    const asked = { schedule: '*/5 * * * *', database: 'shop', checks };
    await world.apply('shop', { ...spec, backup: { drill: asked } });
    await world.until('the drill has a result', async () => {
      const { last, running } = (await world.status('shop')).backup?.drill ?? {};
      return last !== undefined && last.startedAt !== before?.startedAt && running === undefined;
    });
    const told = condition(await world.status('shop'), 'BackupDrill');
    t.comment(told?.message ?? '');
    await world.apply('shop', spec);
    return told;
  };

  const good = await drill([
    `SELECT count(*) = ${BEFORE.length} FROM orders`,
    'SELECT customer FROM orders WHERE id = 5;',
    'SELECT * FROM orders',
  ]);
  t.match(good, {
    status: 'True',
    reason: 'DrillPassed',
    message: /Backup \w+ of .* was restored in \d+ s; .* 3 checks passed/,
  });
  const throwaways = () => world.simulator.state.instances.filter(({ name }) => name.startsWith('drill-'));
  t.same(throwaways(), []);

  const bad = await drill([
    `SELECT count(*) = ${BEFORE.length} FROM orders`,
    'SELECT id FROM orders WHERE id > 1000',
    'SELECT * FROM no_such_table',
    'DELETE FROM orders',
  ]);
  t.match(bad, { status: 'False', reason: 'DrillFailed' });
  t.match(bad?.message, /but check 2: the query gave no row; check 3: .*no_such_table.*; check 4: /);
  t.same(throwaways(), []);

  t.strictSame(await client.read(root), [...BEFORE, ...LATER], 'the primary was not touched');
  t.notMatch(pods.output(), /Brien|日本語|Großmann/, 'no row gets out');
  t.match(pods.output(), /"ended":"done"/);
}

// Mostly servers that start: both engines at once take less than one after the other.
t.jobs = 2;

t.test('MySQL (MariaDB)', { skip: reasonToSkip(mysql) }, (t) =>
  drills(t, mysql, mysqlClient, { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 }),
);

t.test('PostgreSQL', { skip: reasonToSkip(postgres) }, (t) =>
  drills(t, postgres, postgresClient, {
    datastoretype: 'PostgreSQL',
    datastoreversion: '15',
    flavorref: 'rds.pg.n1.large.2',
    volumesize: 40,
  }),
);
