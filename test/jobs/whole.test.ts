import t from 'tap';
import type { SqlEngine } from '../../src/rds/sql-wish.ts';
import { MINUTE, SECOND } from '../support/world.ts';
import { createJobWorld, type JobWorld } from './job-world.ts';
import { type RealServer, reasonToSkip, startServer } from './real-server.ts';

/** The Job of the hook, carried out on a real server, and its report given back. */
async function carryOut(world: JobWorld, server: RealServer): Promise<void> {
  const job = await world.onlyJob();
  const { report } = await server.runMounted(await world.secretValues(job.metadata.name));
  await world.ends(job, report);
}

async function userSecrets(world: JobWorld): Promise<Record<string, Record<string, string>>> {
  const names = (await world.secretNames()).filter((name) => name.includes('-u-'));
  const all = await Promise.all(names.map((name) => world.secretValues(name)));
  return Object.fromEntries(all.map((values) => [values.username ?? '', values]));
}

const SPECS = {
  MySQL: {},
  PostgreSQL: {
    datastoretype: 'PostgreSQL',
    datastoreversion: '15',
    flavorref: 'rds.pg.n1.large.2',
    port: '5432',
  },
} as const;

for (const engine of ['MySQL', 'PostgreSQL'] as const satisfies SqlEngine[]) {
  t.test(`${engine}: from the spec to a login, and back`, { skip: reasonToSkip(engine) }, async (t) => {
    const server = await startServer(engine);
    t.teardown(() => server.stop());
    const world = await createJobWorld(t);
    const users = [
      { name: 'app', grants: [{ database: 'shop', privileges: ['ALL'] }] },
      { name: "o'brien", grants: [{ database: 'shop', privileges: ['SELECT'] }] },
    ];
    await world.apply('shop', { ...SPECS[engine], databases: ['shop'], users, removal: 'Drop' });
    t.ok(await world.reaches('shop', 'Ready'));
    await world.clock.advance(10 * SECOND);
    await carryOut(world, server);
    t.match(await world.databasesReady(), { status: 'True', reason: 'DatabasesApplied' });

    const { app, "o'brien": reader } = await userSecrets(world);
    const as = (secret: Record<string, string> | undefined) => ({
      user: secret?.username ?? '',
      password: secret?.password ?? '',
    });
    const inShop = (sql: string) => (engine === 'MySQL' ? `USE shop; ${sql}` : `\\connect shop\n${sql}`);
    await server.query(inShop('CREATE TABLE goods (a INT)'), as(app));
    await server.query(inShop('SELECT * FROM goods'), as(reader));
    await t.rejects(server.query(inShop('INSERT INTO goods VALUES (1)'), as(reader)));

    await world.apply('shop', {
      ...SPECS[engine],
      databases: ['shop'],
      users: users.slice(0, 1),
      removal: 'Drop',
    });
    await world.clock.advance(2 * MINUTE);
    await carryOut(world, server);
    t.match(await world.databasesReady(), { status: 'True' });
    await t.rejects(server.query('SELECT 1', as(reader)), 'the removed user is gone');
    t.same(Object.keys(await userSecrets(world)), ['app'], 'and so is its Secret');

    const root = [...users.slice(0, 1), { name: 'root' }];
    await world.apply('shop', { ...SPECS[engine], databases: ['shop'], users: root, removal: 'Drop' });
    await world.clock.advance(2 * MINUTE);
    await carryOut(world, server);
    t.match(await world.databasesReady(), { status: 'False', message: /root.*belongs to the cloud/ });
    await server.query(inShop('SELECT * FROM goods'), as(app));
  });
}
