import pg from 'pg';
import t from 'tap';
import { reasonToSkip, startServer } from './real-server.ts';
import {
  type Client,
  hostilePasswords,
  manyUsers,
  NOTHING_DONE,
  onlyReads,
  onlyTls,
  passwordChange,
  silentServer,
  slowStart,
  unreachable,
  user,
} from './sql-life.ts';

t.test('SQL Job on PostgreSQL', { skip: reasonToSkip('PostgreSQL') }, async (t) => {
  const server = await startServer('PostgreSQL');
  t.teardown(() => server.stop());

  const client: Client = {
    async as({ user, password, database = 'postgres' }, ...statements) {
      const { port } = server.login;
      const connection = new pg.Client({ host: '127.0.0.1', port, user, password, database });
      connection.on('error', () => {});
      try {
        await connection.connect();
        const results: unknown[] = [];
        for (const statement of statements) results.push((await connection.query(statement)).rows);
        return results;
      } finally {
        await connection.end().catch(() => {});
      }
    },
  };
  const names = async (sql: string) => (await server.asAdmin(sql)).split('\n').filter(Boolean);
  const databases = () => names('SELECT datname FROM pg_database ORDER BY 1');
  const roles = () => names("SELECT rolname FROM pg_roles WHERE rolname !~ '^pg_' ORDER BY 1");
  const ownerOf = async (name: string) =>
    (await names(`SELECT pg_get_userbyid(datdba) FROM pg_database WHERE datname = '${name}'`))[0];

  t.test('root is no superuser, as in the cloud', async (t) => {
    t.same(await names("SELECT rolsuper, rolcreaterole, rolbypassrls FROM pg_roles WHERE rolname = 'root'"), [
      'f|t|f',
    ]);
  });

  const app = { user: 'app', password: 'App-12345', database: 'shop' };
  const reader = { user: 'reader', password: 'Read-12345', database: 'shop' };
  const writer = { user: 'writer', password: 'Write-12345', database: 'shop' };

  t.test('fresh: an app can work with its database, others as far as they may', async (t) => {
    const declared = {
      databases: ['shop', 'other'],
      users: [
        user('app', 'App-12345', { shop: ['ALL'] }),
        user('reader', 'Read-12345', { shop: ['SELECT'] }),
        user('writer', 'Write-12345', { shop: ['SELECT', 'INSERT', 'UPDATE', 'DELETE'] }),
      ],
    };
    t.match(await server.run(declared), { exitCode: 0, report: { failures: [] } });
    t.equal(await ownerOf('shop'), 'app', 'the first user with ALL owns the database');
    await client.as(
      app,
      'CREATE TABLE goods (id serial PRIMARY KEY, name text)',
      "INSERT INTO goods (name) VALUES ('apple')",
      'CREATE SCHEMA extra',
      'CREATE TABLE extra.more (a int)',
    );
    t.match(await client.as(reader, 'SELECT name FROM goods'), [[{ name: 'apple' }]], 'a table made later');
    await client.as(writer, "INSERT INTO goods (name) VALUES ('pear')", 'DELETE FROM goods WHERE id > 100');
    await t.rejects(client.as(reader, "INSERT INTO goods (name) VALUES ('rot')"), /permission denied/);
    await t.rejects(client.as(writer, 'CREATE TABLE mine (a int)'), /permission denied/);
    await t.rejects(client.as({ ...reader, database: 'other' }, 'SELECT 1'), /permission denied/);
    t.same(
      (await server.run(declared)).did.filter((statement) => !/extra/.test(statement)),
      [],
      'only the new schema is shared',
    );
    await client.as(reader, 'SELECT * FROM extra.more');
    await onlyReads(t, server, declared);
  });

  t.test('two users with ALL can work side by side', async (t) => {
    const declared = {
      databases: ['team'],
      users: [user('one', 'One-12345', { team: ['ALL'] }), user('two', 'Two-12345', { team: ['ALL'] })],
    };
    t.match(await server.run(declared), { exitCode: 0 });
    await client.as({ user: 'one', password: 'One-12345', database: 'team' }, 'CREATE TABLE a (x serial)');
    await client.as(
      { user: 'two', password: 'Two-12345', database: 'team' },
      'CREATE TABLE b (x serial)',
      'INSERT INTO a DEFAULT VALUES',
    );
    await client.as({ user: 'one', password: 'One-12345', database: 'team' }, 'INSERT INTO b DEFAULT VALUES');
    t.match(await server.run(declared), NOTHING_DONE);
  });

  t.test('a right is added and taken away, on tables that are there and on those to come', async (t) => {
    const declared = (privileges: string[]) => ({
      databases: ['shop'],
      users: [
        user('app', 'App-12345', { shop: ['ALL'] }),
        user('clerk', 'Clerk-12345', { shop: privileges }),
      ],
    });
    const clerk = { user: 'clerk', password: 'Clerk-12345', database: 'shop' };
    await server.run(declared(['SELECT']));
    await client.as(clerk, 'SELECT * FROM goods');
    await server.run(declared(['select', 'INSERT']));
    await client.as(clerk, "INSERT INTO goods (name) VALUES ('plum')");
    await server.run(declared(['INSERT']));
    await client.as(clerk, "INSERT INTO goods (name) VALUES ('fig')");
    await t.rejects(client.as(clerk, 'SELECT * FROM goods'), /permission denied/);
    await client.as(app, 'CREATE TABLE newer (a int)');
    await t.rejects(client.as(clerk, 'SELECT * FROM newer'), /permission denied/);
    await client.as(clerk, 'INSERT INTO newer VALUES (1)');
    t.match(await server.run(declared(['INSERT'])), NOTHING_DONE);
    await server.run(declared([]));
    await t.rejects(client.as(clerk, 'SELECT 1'), /permission denied for database/);
    t.match(await server.run(declared([])), NOTHING_DONE);
    await server.run(declared(['ALL']));
    await client.as(clerk, 'CREATE TABLE of_clerk (a int)', 'SELECT * FROM goods');
    t.equal(await ownerOf('shop'), 'app', 'the owner stays');
    t.match(await server.run(declared(['ALL'])), NOTHING_DONE);
    await server.run(declared(['CONNECT']));
    await client.as(clerk, 'SELECT 1');
    await t.rejects(client.as(clerk, 'SELECT * FROM goods'), /permission denied/);
  });

  t.test('an owner who may no longer do all gives the database back', async (t) => {
    const declared = (privileges: string[]) => ({
      databases: ['lent'],
      users: [user('tenant', 'Tenant-12345', { lent: privileges })],
    });
    await server.run(declared(['ALL']));
    t.equal(await ownerOf('lent'), 'tenant');
    t.match(await server.run(declared(['SELECT'])), { exitCode: 0, report: { failures: [] } });
    t.equal(await ownerOf('lent'), 'root');
    await t.rejects(
      client.as({ user: 'tenant', password: 'Tenant-12345', database: 'lent' }, 'CREATE TABLE t (a int)'),
      /permission denied/,
    );
    t.match(await server.run(declared(['SELECT'])), NOTHING_DONE);
  });

  t.test('a database of somebody else keeps its owner and its open door', async (t) => {
    await server.asAdmin('CREATE DATABASE foreign_db');
    const run = await server.run({
      databases: ['foreign_db'],
      users: [user('guest', 'Guest-12345', { foreign_db: ['ALL'] })],
    });
    t.equal(await ownerOf('foreign_db'), 'rdsAdmin');
    t.match(
      run.did.filter((statement) => /foreign_db|PUBLIC/.test(statement)),
      [],
    );
    await client.as({ user: 'reader', password: 'Read-12345', database: 'foreign_db' }, 'SELECT 1');
    t.match(run.report.failures, [{ what: /guest in database foreign_db/, why: /belongs to rdsAdmin/ }]);
    const readOnly = {
      databases: ['foreign_db'],
      users: [user('guest', 'Guest-12345', { foreign_db: ['SELECT'] })],
    };
    t.match(await server.run(readOnly), { exitCode: 0 }, 'what everyone may do needs no right');
    t.match(await server.run(readOnly), NOTHING_DONE);
    await server.asAdmin('REVOKE ALL ON DATABASE foreign_db FROM PUBLIC');
    t.match(
      await server.run({ ...readOnly, databases: ['foreign_db', 'after'] }),
      {
        exitCode: 3,
        report: { failures: [{ what: 'rights in database foreign_db', why: /permission denied/ }] },
      },
      'a closed database is told at once and stops nothing else',
    );
    t.ok((await databases()).includes('after'));
    await server.asAdmin('GRANT CONNECT ON DATABASE foreign_db TO root');
    t.match(await server.run(readOnly), {
      exitCode: 3,
      did: [],
      report: { failures: [{ why: /give CONNECT/ }] },
    });
  });

  t.test('password change: the old one is refused, the new one works', (t) =>
    passwordChange(t, server, client),
  );
  t.test('hostile passwords are passwords', (t) => hostilePasswords(t, server, client));

  t.test('the password itself is in no statement', async (t) => {
    const run = await server.run({ users: [user('quiet', 'Very-Quiet-1')] });
    t.same(run.did[0], 'CREATE ROLE "quiet" LOGIN PASSWORD ***');
    const [kept] = await names("SELECT rolpassword FROM pg_authid WHERE rolname = 'quiet'");
    t.match(kept, /^SCRAM-SHA-256\$4096:/);
  });

  t.test('hostile names are names, or refused', async (t) => {
    const good = [
      "o'brien",
      'a"b',
      'tick`s',
      'back\\slash',
      'per%cent_',
      'wh?at $1',
      'sp ace ',
      'select',
      'Ünï',
      '日本',
      'smile😀',
      '-- x',
      'a;b',
      'user',
      'Current_User',
    ];
    const declared = {
      databases: [...good, 'x'.repeat(63)],
      users: [
        ...good.map((name) => user(name, `Pass-${name}`, { [name]: ['ALL'] })),
        user('u'.repeat(63), 'Long-12345'),
      ],
    };
    const before = { databases: await databases(), roles: await roles() };
    t.match(await server.run(declared), { exitCode: 0, report: { failures: [] } });
    const added = (await databases()).filter((name) => !before.databases.includes(name));
    t.same(added.sort(), [...declared.databases].sort(), 'these and no other');
    for (const name of good)
      await client.as({ user: name, password: `Pass-${name}`, database: name }, 'CREATE TABLE t (a int)');
    t.match(await server.run(declared), NOTHING_DONE);

    const bad: [users: string, databases: string][] = [
      ['root', 'postgres'],
      ['rdsAdmin', 'template1'],
      ['postgres', 'template0'],
      ['public', 'rdsadmin'],
      ['pg_monitor', 'POSTGRES'],
      ['none', ''],
      ['', 'ä'.repeat(32)],
      ['u'.repeat(64), 'd'.repeat(64)],
      ['nul\0', 'nul\0'],
      ['new\nline', 'new\nline'],
      ['half\ud800', 'half\ud800'],
    ];
    const snapshot = { databases: await databases(), roles: await roles() };
    const refused = await server.run({
      databases: bad.map(([, name]) => name),
      users: bad.map(([name]) => user(name, 'Pass-12345')),
    });
    t.match(refused, { exitCode: 3, did: [] });
    t.equal(refused.report.failures.length + refused.report.more, 2 * bad.length, 'each is named');
    for (const grant of ['SELECT; DROP DATABASE shop', 'SUPERUSER', 'EXECUTE']) {
      const one = await server.run({ users: [user('reader', 'Read-12345', { shop: [grant] })] });
      t.match(one, { exitCode: 3, did: [], report: { failures: [{ why: /no privilege/ }] } }, grant);
    }
    const statement = await server.run({
      users: [user('old', 'Old-12345', {}, { privileges: ["GRANT ALL ON shop.* TO 'old'@'%'"] })],
    });
    t.match(statement, { exitCode: 3, did: [], report: { failures: [{ why: /statements of MySQL/ }] } });
    const missing = await server.run({ users: [user('reader', 'Read-12345', { nowhere: ['SELECT'] })] });
    t.match(missing, { exitCode: 3, did: [], report: { failures: [{ why: /no database "nowhere"/ }] } });
    t.same({ databases: await databases(), roles: await roles() }, snapshot, 'nothing happened');
  });

  t.test('a mighty role of the server is not touched', async (t) => {
    await server.asAdmin('CREATE ROLE mighty SUPERUSER LOGIN');
    const run = await server.run({
      users: [user('mighty', 'Mine-12345')],
      drop: { users: [{ name: 'mighty' }] },
    });
    t.match(run, { exitCode: 3, did: [] });
    t.match(run.report.failures, [
      { why: /role of the server itself/ },
      { why: /role of the server itself/ },
    ]);
  });

  t.test('removed: what the user owns goes to the owner of the database, then the user goes', async (t) => {
    const stays = user('stays', 'Stays-12345', { kept: ['ALL'] });
    const leaves = user('leaves', 'Leaves-12345', { kept: ['ALL'], gone: ['ALL'] });
    await server.run({ databases: ['kept', 'gone'], users: [stays, leaves] });
    const leaver = { user: 'leaves', password: 'Leaves-12345' };
    await client.as(
      { ...leaver, database: 'kept' },
      'CREATE TABLE work (a int)',
      'INSERT INTO work VALUES (7)',
    );
    await client.as({ ...leaver, database: 'gone' }, 'CREATE TABLE waste (a int)');
    const idler = new pg.Client({ host: '127.0.0.1', port: server.login.port, ...leaver, database: 'gone' });
    idler.on('error', () => {});
    await idler.connect();
    const drop = {
      databases: ['gone', 'kept', 'postgres', 'never-was'],
      users: [{ name: 'leaves' }, { name: 'root' }],
    };
    const run = await server.run({ databases: ['kept'], users: [stays], drop });
    t.match(run.report.failures, [
      { what: 'removed user root', why: /belongs to/ },
      { what: 'removed database postgres', why: /belongs to/ },
    ]);
    t.notOk((await roles()).includes('leaves'));
    t.notOk((await databases()).includes('gone'), 'also with a client that is still connected');
    t.ok((await databases()).includes('kept'), 'declared things are never dropped');
    const stayer = { user: 'stays', password: 'Stays-12345', database: 'kept' };
    t.match(
      await client.as(stayer, 'SELECT a FROM work', 'DROP TABLE work'),
      [[{ a: 7 }]],
      'nothing is lost',
    );
    await idler.end().catch(() => {});
    t.match(await server.run({ databases: ['kept'], users: [stays] }), NOTHING_DONE);
  });

  t.test('two Jobs do not work at the same time, and both end well', async (t) => {
    const declared = { databases: ['both'], users: [user('both', 'Both-12345', { both: ['ALL'] })] };
    const runs = await Promise.all([server.run(declared), server.run(declared)]);
    t.same(
      runs.map(({ exitCode }) => exitCode),
      [0, 0],
    );
    t.ok(
      runs.some(({ report }) => report.changed === 0),
      'the second found it done',
    );
  });

  t.test('200 users', (t) => manyUsers(t, server));
  t.test('a server that refuses or is not there is told without secrets', (t) => unreachable(t, server));
  t.test('a server that falls silent does not hold the Job', (t) => silentServer(t, server));
});

const skip = reasonToSkip('PostgreSQL');
t.test('PostgreSQL: the Job waits for its server', { skip }, (t) => slowStart(t, 'PostgreSQL'));
t.test('PostgreSQL: TLS where the server offers it', { skip }, (t) => onlyTls(t, 'PostgreSQL'));
