// Servers that somebody else runs: one instance on each, and what was there before stays untouched.
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import type { Database, Login } from '../../src/simulator/real/database.ts';
import { mariadb } from '../../src/simulator/real/mariadb.ts';
import { openHost, readLogin } from '../../src/simulator/real/open-host.ts';
import { ownServers, type ServerKind } from '../../src/simulator/real/own-servers.ts';
import { postgresql } from '../../src/simulator/real/postgresql.ts';
import { mariadbServer, postgresqlServer } from '../../src/simulator/real/server-kinds.ts';
import { endpointOf, freePort, mysql, postgres, realCloud, reasonToSkip } from './real-cloud.ts';

const cases: {
  engine: typeof mysql;
  kind: ServerKind;
  database: Database;
  foreign: string;
  /** Logins and databases that are nobody's business. */
  look: string;
}[] = [
  {
    engine: mysql,
    kind: mariadbServer,
    database: mariadb,
    foreign: `CREATE USER root@localhost IDENTIFIED BY 'theirs'; CREATE USER root@'127.0.0.1' IDENTIFIED BY 'theirs';
              CREATE USER guest@'%'; CREATE DATABASE precious; CREATE TABLE precious.t (a INT);`,
    look: "SELECT CONCAT(user, '@', host) FROM mysql.user UNION SELECT schema_name FROM information_schema.schemata ORDER BY 1",
  },
  {
    engine: postgres,
    kind: postgresqlServer,
    database: postgresql,
    foreign: 'CREATE ROLE guest LOGIN;\nCREATE DATABASE precious OWNER guest;',
    look: 'SELECT rolname FROM pg_roles UNION SELECT datname FROM pg_database ORDER BY 1',
  },
];

async function startServer({ kind, database }: (typeof cases)[number]) {
  const folder = mkdtempSync(join(tmpdir(), 'rds-given-'));
  const supply = ownServers(kind, database, () => folder);
  const { admin } = await supply.take('given');
  const stop = async () => {
    await supply.close();
    rmSync(folder, { recursive: true });
  };
  return { admin, stop };
}

for (const one of cases) {
  const { engine } = one;
  const { query, sql, order } = engine;
  t.test(`${engine.name} on a given server`, { skip: reasonToSkip(engine) }, async (t) => {
    const { admin, stop } = await startServer(one);
    t.teardown(stop);
    const asAdmin = (text: string, login: Login = admin) => query(login, text);
    await asAdmin(one.foreign);
    const before = await asAdmin(one.look);
    const cloud = await realCloud({ [engine.flag]: [admin] });
    t.teardown(() => cloud.host.close({ data: false }));
    const first = await cloud.ordered({ ...order, port: await freePort(engine), name: 'first' });
    const at = endpointOf(first);
    t.equal(first.status, 'ACTIVE', cloud.problems.join());
    t.equal((await query(at, sql.isSuper)).trim(), '0');
    await query(at, sql.fill);

    const refused = await cloud.rds(
      'POST',
      '/instances',
      await cloud.order({ ...order, port: await freePort(engine), name: 'second' }),
    );
    t.match(refused, { status: 400, body: { error_msg: new RegExp(`--${engine.flag} own`) } });

    const backup = await cloud.backedUp(first.id, 'good');
    await query(at, sql.spoil);
    if (engine === mysql) {
      const source = { instance_id: first.id, type: 'backup', backup_id: backup };
      const body = { source, target: { instance_id: first.id } };
      t.equal((await cloud.rds('POST', '/instances/recovery', body)).status, 200);
      await cloud.settled(first.id);
      t.equal(await query(at, sql.read), 'apple\n');
    }
    t.equal((await cloud.rds('DELETE', `/instances/${first.id}`)).status, 202);
    await cloud.until('it is gone', async () => (await cloud.show(first.id)) === undefined);
    t.equal(await asAdmin(one.look), before, 'the server is as it was');

    const point = { instance_id: first.id, type: 'backup', backup_id: backup };
    const next = await cloud.ordered({
      ...order,
      port: await freePort(engine),
      name: 'third',
      restore_point: point,
    });
    t.equal(next.status, 'ACTIVE', cloud.problems.join());
    t.equal(await query(endpointOf(next), sql.read), 'apple\n', 'from the backup of one that is gone');
    await cloud.host.close({ data: false });
    t.equal(await asAdmin(one.look), before, 'and as it was when the simulator ends');
  });
}

const withoutServer = 'a build fails with its reason when the server cannot be had';
t.test(withoutServer, { skip: reasonToSkip(mysql) }, async (t) => {
  const nobody = { user: 'admin', password: 'x', host: '127.0.0.1', port: 1 };
  const cloud = await realCloud({ mysql: [nobody] });
  t.teardown(() => cloud.host.close({ data: false }));
  const port = await freePort(mysql);
  const reply = await cloud.rds('POST', '/instances', await cloud.order({ port }));
  await cloud.settled(reply.body.instance.id);
  t.equal((await cloud.show(reply.body.instance.id)).status, 'CREATE FAIL');
  await cloud.until('the job says so', async () => {
    const { job } = (await cloud.rds('GET', `/jobs?id=${reply.body.job_id}`)).body;
    return job.status === 'Failed' && /mariadb failed/.test(job.fail_reason);
  });
  t.equal((await cloud.rds('DELETE', `/instances/${reply.body.instance.id}`)).status, 202);
  await cloud.until('it is gone', async () => (await cloud.show(reply.body.instance.id)) === undefined);
});

t.test('a login is read from user:password@host:port', (t) => {
  t.strictSame(readLogin('admin:p@ss:word@db.example:3306'), {
    user: 'admin',
    password: 'p@ss:word',
    host: 'db.example',
    port: 3306,
  });
  for (const bad of ['own', 'admin@host:1', 'admin:x@host', 'admin:x@host:port', ''])
    t.equal(readLogin(bad), undefined, bad);
  t.end();
});

t.test('a host that cannot work says why at once', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'rds-none-'));
  const open = (listenAddresses: string[]) => openHost({ folder, listenAddresses, report: () => {} });
  for (const bad of ['here', '::1', '10.0.0.256'])
    t.throws(() => open([bad]), /--listen-address must be an IPv4/);
  const host = open(['127.0.0.2']);
  t.teardown(() => host.close({ data: false }));
  t.notOk(host.hosts('MySQL'), 'only what was asked for is real');
  t.strictSame(host.place({ engine: 'MySQL', port: 3306, isReplica: false }, []), { ip: '127.0.0.2' });
  t.end();
});
