import mysql from 'mysql2/promise';
import pg from 'pg';
import t from 'tap';
import { secondLogin } from '../../src/rds/names.ts';
import { accountLabel, type SqlEngine } from '../../src/rds/sql-wish.ts';
import { type RealServer, reasonToSkip, startServer } from './real-server.ts';
import { NOTHING_DONE } from './sql-life.ts';

type Login = { user: string; password: string };

/** Logs in and runs statements in the database shop. */
function clientOf(server: RealServer) {
  const at = { host: '127.0.0.1', port: server.login.port, database: 'shop' };
  return async (login: Login, ...statements: string[]): Promise<void> => {
    if (server.engine === 'MySQL') {
      const connection = await mysql.createConnection({ ...at, ...login });
      try {
        for (const statement of statements) await connection.query(statement);
      } finally {
        connection.destroy();
      }
      return;
    }
    const client = new pg.Client({ ...at, ...login });
    await client.connect();
    try {
      for (const statement of statements) await client.query(statement);
    } finally {
      await client.end();
    }
  };
}

const FIRST = { user: 'app', password: 'First-pass1' };

for (const engine of ['MySQL', 'PostgreSQL'] as const satisfies SqlEngine[]) {
  const second = secondLogin(accountLabel(engine, { name: 'app' }), 'app');
  const SECOND = { user: second, password: 'Second-pass2' };
  const declared = { databases: ['shop'] };
  const grants = [{ database: 'shop', privileges: ['ALL'] }];

  t.test(`${engine}: two logins of one account`, { skip: reasonToSkip(engine) }, async (t) => {
    const server = await startServer(engine);
    t.teardown(() => server.stop());
    const as = clientOf(server);
    const run = (password: string, logins?: object, files: Record<string, string> = {}) =>
      server.runMounted({
        'wish.json': JSON.stringify({
          engine,
          ...declared,
          users: [{ name: 'app', grants, passwordFile: 'password-0', ...(logins ? { logins } : {}) }],
          drop: { databases: [], users: [] },
        }),
        'password-0': password,
        ...files,
      });
    const making = () =>
      run(
        FIRST.password,
        { current: 'app', next: { login: second, passwordFile: 'password-1' } },
        { 'password-1': SECOND.password },
      );

    t.match(await run(FIRST.password), { exitCode: 0, report: { failures: [] } });
    await as(FIRST, 'CREATE TABLE goods (name VARCHAR(20))', "INSERT INTO goods VALUES ('apple')");

    const made = await making();
    t.match(made, { exitCode: 0, report: { failures: [] } }, 'the other login is made and proven');
    t.notMatch(made.output, /First-pass1|Second-pass2/, 'no password is printed');
    t.match(await making(), NOTHING_DONE, 'again: no statement that writes');
    await as(FIRST, 'SELECT * FROM goods');
    await as(SECOND, 'ALTER TABLE goods ADD COLUMN price INT', 'CREATE TABLE bills (a INT)');
    await as(FIRST, 'ALTER TABLE bills ADD COLUMN b INT', 'DROP TABLE bills');
    await as(SECOND, 'CREATE VIEW cheap AS SELECT name FROM goods WHERE price < 5');

    t.match(await run(SECOND.password, { current: second }), NOTHING_DONE, 'in the overlap nothing changes');
    await as(FIRST, 'SELECT * FROM cheap');

    const closed = await run(SECOND.password, { current: second, close: 'app' });
    t.match(closed, { exitCode: 0, report: { changed: 1, failures: [] } });
    await t.rejects(as(FIRST, 'SELECT 1'), 'the old login is closed');
    await as(SECOND, 'SELECT * FROM goods', 'SELECT * FROM cheap', 'CREATE TABLE more (a INT)');
    t.match(await run(SECOND.password, { current: second, close: 'app' }), NOTHING_DONE);

    const back = { current: second, next: { login: 'app', passwordFile: 'password-1' } };
    t.match(await run(SECOND.password, back, { 'password-1': 'Third-pass3' }), {
      exitCode: 0,
      report: { failures: [] },
    });
    const third = { user: 'app', password: 'Third-pass3' };
    await as(third, 'ALTER TABLE more ADD COLUMN b INT', 'SELECT * FROM cheap');
    await t.rejects(as(FIRST, 'SELECT 1'), 'the password of last time does not come back');
    t.match(await run('Third-pass3', { current: 'app', close: second }), { exitCode: 0 });
    await t.rejects(as(SECOND, 'SELECT 1'));
    await as(third, 'SELECT * FROM cheap', 'DROP TABLE more');
    t.match(await run('Third-pass3'), NOTHING_DONE, 'as before the first rotation');

    t.test('a login that cannot be proven is told', async (t) => {
      const users = [
        {
          name: 'far',
          grants,
          passwordFile: 'password-0',
          ...(engine === 'MySQL' ? { host: '10.9.9.%' } : {}),
          logins: { current: 'far', next: { login: 'far_2', passwordFile: 'password-1' } },
        },
      ];
      const wish = { engine, ...declared, users, drop: { databases: [], users: [] } };
      if (engine === 'PostgreSQL')
        await server.query('CREATE ROLE far_2; ALTER ROLE far_2 CONNECTION LIMIT 0');
      const { report } = await server.runMounted({
        'wish.json': JSON.stringify(wish),
        'password-0': 'Far-pass1',
        'password-1': 'Far-pass2',
      });
      const account = accountLabel(
        engine,
        engine === 'MySQL' ? { name: 'far', host: '10.9.9.%' } : { name: 'far' },
      );
      t.match(report.failures, [{ what: `login of ${account}` }]);
    });

    t.test('both go when the user goes', async (t) => {
      if (engine === 'MySQL') await server.asAdmin('DROP VIEW shop.cheap');
      const wish = {
        engine,
        databases: ['shop'],
        users: [],
        drop: { databases: [], users: [{ name: second }, { name: 'app' }] },
      };
      t.match(await server.runMounted({ 'wish.json': JSON.stringify(wish) }), {
        exitCode: 0,
        report: { failures: [] },
      });
      await t.rejects(as(third, 'SELECT 1'));
    });

    t.test('administrators take turns with the rights of root', async (t) => {
      const admin = { user: 'admin_12345678', password: 'Admin-pass1' };
      const wish = (administrators: object) => ({
        'wish.json': JSON.stringify({
          engine,
          databases: [],
          users: [],
          administrators,
          drop: { databases: [], users: [] },
        }),
        'password-0': admin.password,
      });
      const next = { login: admin.user, passwordFile: 'password-0' };
      t.match(await server.runMounted(wish({ next })), { exitCode: 0, report: { failures: [] } });
      t.match(await server.runMounted(wish({ next })), NOTHING_DONE);
      const makeUser =
        engine === 'MySQL'
          ? "CREATE USER made IDENTIFIED BY 'Made-pass1'"
          : "CREATE ROLE made LOGIN PASSWORD 'x'";
      await as(admin, makeUser, 'CREATE TABLE by_admin (a INT)', 'GRANT SELECT ON by_admin TO made');
      await server.query(
        engine === 'MySQL' ? 'DROP TABLE shop.by_admin' : '\\connect shop\nDROP TABLE by_admin',
      );
      t.match(await server.runMounted(wish({ close: admin.user })), { exitCode: 0, report: { changed: 1 } });
      await t.rejects(as(admin, 'SELECT 1'));
    });
  });
}

t.test(
  'MySQL: what another login cannot get stops the rotation',
  { skip: reasonToSkip('MySQL') },
  async (t) => {
    const server = await startServer('MySQL');
    t.teardown(() => server.stop());
    const user = { name: 'app', passwordFile: 'password-0' };
    const logins = { current: 'app', next: { login: 'app_2', passwordFile: 'password-1' } };
    const run = (users: object[]) =>
      server.runMounted({
        'wish.json': JSON.stringify({
          engine: 'MySQL',
          databases: ['shop'],
          users,
          drop: { databases: [], users: [] },
        }),
        'password-0': 'First-pass1',
        'password-1': 'Second-pass2',
      });
    await run([user]);
    await server.asAdmin('CREATE TABLE shop.goods (a INT, b INT); GRANT SELECT (a) ON shop.goods TO app');
    t.match((await run([{ ...user, logins }])).report.failures, [
      { what: 'login of app@%', why: /rights that another login cannot get/ },
    ]);
    await server.asAdmin('REVOKE SELECT (a) ON shop.goods FROM app; GRANT SELECT ON shop.goods TO app');
    t.match((await run([{ ...user, logins }])).report.failures, [], 'rights given by hand are copied');
    await clientOf(server)({ user: 'app_2', password: 'Second-pass2' }, 'SELECT a FROM goods');
  },
);

t.test(
  'PostgreSQL: what a reset session makes goes to the account',
  { skip: reasonToSkip('PostgreSQL') },
  async (t) => {
    const server = await startServer('PostgreSQL');
    t.teardown(() => server.stop());
    const as = clientOf(server);
    const next = { login: 'app_2', passwordFile: 'password-1' };
    const user = {
      name: 'app',
      grants: [{ database: 'shop', privileges: ['ALL'] }],
      passwordFile: 'password-0',
      logins: { current: 'app', next },
    };
    const wish = {
      engine: 'PostgreSQL',
      databases: ['shop'],
      users: [user],
      drop: { databases: [], users: [] },
    };
    const files = {
      'wish.json': JSON.stringify(wish),
      'password-0': 'First-pass1',
      'password-1': 'Second-pass2',
    };
    t.match(await server.runMounted(files), { exitCode: 0 });
    // What a pooler sends between two clients.
    await as({ user: 'app_2', password: 'Second-pass2' }, 'DISCARD ALL', 'CREATE TABLE stray (a INT)');
    const first = { user: 'app', password: 'First-pass1' };
    t.match(await server.runMounted(files), { exitCode: 0, report: { failures: [] } });
    await as(first, 'ALTER TABLE stray ADD COLUMN b INT', 'DROP TABLE stray');
    t.match(await server.runMounted(files), NOTHING_DONE);
  },
);
