import mysql from 'mysql2/promise';
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

t.test('SQL Job on MySQL (MariaDB)', { skip: reasonToSkip('MySQL') }, async (t) => {
  const server = await startServer('MySQL');
  t.teardown(() => server.stop());

  const client: Client = {
    async as({ user, password, database }, ...statements) {
      const options = { host: '127.0.0.1', port: server.login.port, user, password };
      const connection = await mysql.createConnection({ ...options, ...(database ? { database } : {}) });
      try {
        const results: unknown[] = [];
        for (const statement of statements) results.push((await connection.query(statement))[0]);
        return results;
      } finally {
        connection.destroy();
      }
    },
  };
  const names = async (sql: string) => (await server.asAdmin(sql)).split('\n').filter(Boolean);
  const databases = () => names('SHOW DATABASES');
  const accounts = () => names("SELECT CONCAT(user, '@', host) FROM mysql.user ORDER BY 1");
  const grants = (account: string) => names(`SHOW GRANTS FOR ${account}`);

  t.test('root is no SUPER, as in the cloud', async (t) => {
    await t.rejects(server.query('SET GLOBAL max_connections = 3'), /SUPER|denied/);
  });

  t.test('fresh: an app can work with its database, a reader can only read', async (t) => {
    const declared = {
      databases: ['shop'],
      users: [
        user('app', 'App-12345', { shop: ['ALL'] }),
        user('reader', 'Read-12345', { shop: ['SELECT'] }, { host: '127.0.0.%' }),
      ],
    };
    t.match(await server.run(declared), { exitCode: 0, report: { changed: 5, failures: [] } });
    const app = { user: 'app', password: 'App-12345', database: 'shop' };
    await client.as(app, 'CREATE TABLE goods (name VARCHAR(20))', "INSERT INTO goods VALUES ('apple')");
    const reader = { user: 'reader', password: 'Read-12345', database: 'shop' };
    t.match(await client.as(reader, 'SELECT name FROM goods'), [[{ name: 'apple' }]]);
    await t.rejects(client.as(reader, "INSERT INTO goods VALUES ('rot')"), /denied/);
    await t.rejects(client.as(app, 'CREATE DATABASE other'), /denied/);
    await onlyReads(t, server, declared);
  });

  t.test('a right is added and taken away, and others stay as they were', async (t) => {
    const declared = (privileges: string[]) => ({
      databases: ['shop'],
      users: [user('clerk', 'Clerk-12345', { shop: privileges })],
    });
    await server.run(declared(['SELECT']));
    t.same((await server.run(declared(['SELECT', 'insert']))).did, [
      "GRANT INSERT ON `shop`.* TO 'clerk'@'%'",
    ]);
    t.same((await server.run(declared(['INSERT']))).did, ["REVOKE SELECT ON `shop`.* FROM 'clerk'@'%'"]);
    t.same((await server.run(declared(['ALL']))).did, ["GRANT ALL PRIVILEGES ON `shop`.* TO 'clerk'@'%'"]);
    const narrowed = await server.run(declared(['SELECT']));
    t.equal(narrowed.did.length, 1, 'ALL is spelled out to leave one');
    t.match(await grants("'clerk'@'%'"), [/USAGE/, 'GRANT SELECT ON `shop`.* TO `clerk`@`%`']);
    t.match(await server.run(declared(['SELECT'])), NOTHING_DONE);
    await server.asAdmin(
      "GRANT PROCESS ON *.* TO 'clerk'@'%'; GRANT ALL ON `x%`.* TO 'clerk'@'%' WITH GRANT OPTION",
    );
    t.match(
      await server.run(declared(['SELECT'])),
      { exitCode: 0, report: { changed: 3 } },
      'what nobody declared goes',
    );
    t.equal((await grants("'clerk'@'%'")).length, 2);
    t.match(await server.run(declared([])), { did: ["REVOKE SELECT ON `shop`.* FROM 'clerk'@'%'"] });
  });

  t.test('the name of a database in a right is a name, not a pattern', async (t) => {
    const declared = {
      databases: ['app_1', 'appX1', '100%'],
      users: [user('exact', 'Exact-12345', { app_1: ['ALL'], '100%': ['SELECT'] })],
    };
    t.match(await server.run(declared), { exitCode: 0 });
    const login = { user: 'exact', password: 'Exact-12345' };
    await client.as(login, 'CREATE TABLE `app_1`.t (a INT)');
    await t.rejects(client.as(login, 'CREATE TABLE `appX1`.t (a INT)'), /denied/);
    t.match(await server.run(declared), NOTHING_DONE);
  });

  t.test('old GRANT statements are carried out, and never take anything away', async (t) => {
    const old = { name: 'old', host: '127.0.0.%', password: 'Old-12345' };
    const declared = (privileges: string[]) => ({ databases: ['shop'], users: [{ ...old, privileges }] });
    const both = ["GRANT ALL ON shop.* TO 'old'@'127.0.0.%'", "GRANT PROCESS ON *.* TO 'old'@'127.0.0.%';"];
    t.match(await server.run(declared(both)), { exitCode: 0, report: { changed: 3 } });
    await client.as({ user: 'old', password: 'Old-12345', database: 'shop' }, 'CREATE TABLE old (a INT)');
    t.match(await server.run(declared(both)), NOTHING_DONE);
    t.match(await server.run(declared(both.slice(1))), NOTHING_DONE, 'as the old operator');
  });

  t.test('a statement with more in it is refused whole, by its place', async (t) => {
    const before = { databases: await databases(), accounts: await accounts() };
    const statement = "GRANT ALL ON shop.* TO 'evil'@'%'; DROP DATABASE shop";
    const users = [{ name: 'evil', password: 'Evil-12345', privileges: [statement] }];
    const refused = await server.run({ users });
    t.match(refused, {
      exitCode: 3,
      did: [],
      report: {
        failures: [{ what: 'user evil@%', why: /privileges\[0\] is refused: it holds more than one/ }],
      },
    });
    t.same({ databases: await databases(), accounts: await accounts() }, before, 'nothing happened');
  });

  t.test('password change: the old one is refused, the new one works', (t) =>
    passwordChange(t, server, client),
  );
  t.test('hostile passwords are passwords', (t) => hostilePasswords(t, server, client));

  t.test('hostile names are names, or refused', async (t) => {
    const good = [
      "o'brien",
      'a"b',
      'tick`s',
      'back\\slash',
      'per%cent_',
      'wh?at ??',
      'sp ace',
      'select',
      'ünï',
      '日本',
      "x'@'y",
      '-- x',
      'a;b',
      '$(x)',
    ];
    const declared = {
      databases: [...good, 'x'.repeat(64), 'a.b', 'a/b'],
      users: [
        ...good.map((name) => user(name, `Pass-${name}`, { [name]: ['ALL'] })),
        user('u'.repeat(32), 'Long-12345'),
      ],
    };
    const before = { databases: await databases(), accounts: await accounts() };
    t.match(await server.run(declared), { exitCode: 0, report: { failures: [] } });
    const added = (await databases()).filter((name) => !before.databases.includes(name));
    t.same(
      added.sort(),
      // The client prints a backslash twice.
      declared.databases.map((name) => name.replaceAll('\\', '\\\\')).sort(),
      'these and no other',
    );
    for (const name of good)
      await client.as(
        { user: name, password: `Pass-${name}`, database: name },
        'CREATE TABLE IF NOT EXISTS t (a INT)',
      );
    t.match(await server.run(declared), NOTHING_DONE);

    const bad: [users: string, databases: string][] = [
      ['root', 'mysql'],
      ['ROOT', 'Information_Schema'],
      ['rdsAdmin', 'sys'],
      ['mysql.sys', 'performance_schema'],
      ['', ''],
      ['u'.repeat(33), 'd'.repeat(65)],
      ['nul\0', 'nul\0'],
      ['new\nline', 'new\nline'],
      ['smile😀', 'smile😀'],
      ['end ', 'end '],
      ['half\ud800', '#mysql50#x'],
    ];
    const snapshot = { databases: await databases(), accounts: await accounts() };
    const refused = await server.run({
      databases: bad.map(([, name]) => name),
      users: bad.map(([name]) => user(name, 'Pass-12345')),
    });
    t.match(refused, { exitCode: 3, did: [] });
    t.equal(refused.report.failures.length + refused.report.more, 2 * bad.length, 'each is named');
    for (const host of ["%'; DROP DATABASE shop", "x'@'y", 'a b', '😀']) {
      const one = await server.run({ users: [user('host', 'Pass-12345', {}, { host })] });
      t.match(one, { exitCode: 3, did: [], report: { failures: [{ why: /host pattern/ }] } }, host);
    }
    const odd = await server.run({
      users: [user('odd', 'Pass-12345', { shop: ['SELECT; DROP DATABASE shop'] })],
    });
    t.match(odd, { exitCode: 3, did: [], report: { failures: [{ why: /no privilege/ }] } });
    t.same({ databases: await databases(), accounts: await accounts() }, snapshot, 'nothing happened');
  });

  t.test('one that fails does not stop the others', async (t) => {
    const run = await server.run({
      databases: ['fine'],
      users: [
        user('table', 'Pass-12345', {}, { privileges: ["GRANT SELECT ON fine.nosuchtable TO 'table'@'%'"] }),
        user('fine', 'Fine-12345', { fine: ['ALL'] }),
      ],
    });
    t.match(run, { exitCode: 3, report: { failures: [{ what: 'user table@%', why: /nosuchtable/ }] } });
    await client.as({ user: 'fine', password: 'Fine-12345', database: 'fine' }, 'CREATE TABLE t (a INT)');
  });

  t.test('removed: dropped, but not what others depend on or what is still declared', async (t) => {
    const users = [
      user('leaving', 'Pass-12345', { gone: ['ALL'] }),
      user('author', 'Pass-12345', { shop: ['ALL'] }),
    ];
    await server.run({ databases: ['gone', 'shop'], users });
    await client.as(
      { user: 'author', password: 'Pass-12345', database: 'shop' },
      'CREATE VIEW v AS SELECT 1',
    );
    const drop = {
      databases: ['gone', 'shop', 'mysql', 'never-was'],
      users: [{ name: 'leaving' }, { name: 'author', host: '%' }, { name: 'root' }, { name: 'never-was' }],
    };
    const run = await server.run({ databases: ['shop'], users: [], drop });
    t.same(run.did, ["DROP USER 'leaving'@'%'", 'DROP DATABASE `gone`']);
    t.match(run.report.failures, [
      { what: 'removed user author@%', why: /definer of view shop\.v/ },
      { what: 'removed user root@%', why: /belongs to/ },
      { what: 'removed database mysql', why: /belongs to/ },
    ]);
    t.ok((await databases()).includes('shop'), 'declared things are never dropped');
  });

  t.test('two Jobs do not work at the same time, and both end well', async (t) => {
    const declared = { databases: ['both'], users: [user('both', 'Both-12345', { both: ['ALL'] })] };
    const runs = await Promise.all([server.run(declared), server.run(declared)]);
    t.same(
      runs.map(({ exitCode }) => exitCode),
      [0, 0],
    );
    t.same(runs.map(({ report }) => report.changed).sort(), [0, 3]);
  });

  t.test('200 users', (t) => manyUsers(t, server));
  t.test('a server that refuses or is not there is told without secrets', (t) => unreachable(t, server));
  t.test('a server that falls silent does not hold the Job', (t) => silentServer(t, server));
});

t.test('MySQL: the Job waits for its server', { skip: reasonToSkip('MySQL') }, (t) => slowStart(t, 'MySQL'));
t.test('MySQL: TLS where the server offers it', { skip: reasonToSkip('MySQL') }, (t) => onlyTls(t, 'MySQL'));
