// Makes databases, users and rights true on MySQL: reads what is there, and writes only what differs.

import { createHash } from 'node:crypto';
import { ROOT_ACCOUNT } from '../../rds/rotation.ts';
import { accountHost, accountLabel, loginOf, type SqlWish } from '../../rds/sql-wish.ts';
import { connected, type Login } from './connect.ts';
import { dropMysqlDatabase, dropMysqlUser } from './mysql-drop.ts';
import { applyRights } from './mysql-grants.ts';
import { type MysqlServer, syncCurrent, syncHolder, turnAdministrators, turnLogins } from './mysql-logins.ts';
import { identifier, wantedRights } from './mysql-rights.ts';
import { accountSql, isDenied, letsIn, literal, type MysqlSession, openMysql } from './mysql-session.ts';
import { checkDatabaseName, checkHost, checkPassword, checkUserName } from './names.ts';
import { Fatal, type Work } from './work.ts';

export type Passwords = (file: { passwordFile: string }) => string;

/** What the server keeps of an account. */
type Account = { plugin: string; hash: string };

const LOCK = 'rds-pilot';

export async function applyToMysql(
  wish: SqlWish,
  passwords: Passwords,
  login: Login,
  work: Work,
): Promise<void> {
  const session = await connected((timeoutMs) => openMysql(login, timeoutMs, work), { isDenied }, work);
  try {
    await takeLock(session, work);
    const lower = (await session.rows('SELECT @@lower_case_table_names AS mode'))[0]?.mode !== 0;
    await createDatabases(session, wish.databases, lower, work);
    const accounts = await presentAccounts(session);
    const known = { ...login, tls: session.tls };
    const server: MysqlServer = {
      session,
      login: known,
      work,
      passwords,
      exists: (account) => accounts.has(key(account)),
      syncAccount: (account, password) =>
        syncAccount(
          session,
          { user: account, password, present: accounts.get(key(account)), login: known },
          work,
        ),
    };
    for (const user of wish.users) {
      await work.attempt(`user ${accountLabel('MySQL', user)}`, async () => {
        checkUserName('MySQL', user.name);
        checkHost(accountHost(user));
        checkPassword(passwords(user));
        // Rights are read before the user is made: a user whose rights are refused is not made half.
        const wanted = wantedRights(user, lower);
        await syncHolder(server, user);
        await applyRights(session, user, wanted);
        await syncCurrent(server, user);
      });
    }
    for (const user of wish.users.filter(({ logins }) => logins?.next ?? logins?.close)) {
      await work.attempt(loginOf(accountLabel('MySQL', user)), () => turnLogins(server, user));
    }
    const { administrators } = wish;
    if (administrators)
      await work.attempt(loginOf(ROOT_ACCOUNT), () => turnAdministrators(server, administrators));
    for (const user of wish.drop.users) {
      await work.attempt(`removed user ${accountLabel('MySQL', user)}`, () => dropMysqlUser(session, user));
    }
    for (const name of wish.drop.databases) {
      const kept = wish.databases.map((one) => (lower ? one.toLowerCase() : one));
      await work.attempt(`removed database ${name}`, () => dropMysqlDatabase(session, name, kept, lower));
    }
  } finally {
    await session.close();
  }
}

const key = (user: { name: string; host?: string | undefined }): string =>
  `${user.name}\0${accountHost(user)}`;

/** Two Jobs must not work at the same time; the lock goes with the connection. */
async function takeLock(session: MysqlSession, work: Work): Promise<void> {
  const seconds = Math.max(1, Math.floor(work.remainingMs() / 2_000));
  const [row] = await session.rows(`SELECT GET_LOCK(${literal(LOCK)}, ${seconds}) AS got`);
  if (Number(row?.got) !== 1) throw new Fatal('another SQL Job works on this server and does not end');
}

async function createDatabases(
  session: MysqlSession,
  wanted: readonly string[],
  lower: boolean,
  work: Work,
): Promise<void> {
  const rows = await session.rows('SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA');
  const present = new Set(rows.map(({ name }) => String(name)));
  for (const name of wanted) {
    await work.attempt(`database ${name}`, async () => {
      checkDatabaseName('MySQL', name);
      if (present.has(lower ? name.toLowerCase() : name)) return;
      await session.write(`CREATE DATABASE ${identifier(name)} CHARACTER SET utf8mb4`);
      present.add(lower ? name.toLowerCase() : name);
    });
  }
}

async function presentAccounts(session: MysqlSession): Promise<Map<string, Account>> {
  const rows = await session.rows(
    'SELECT User AS name, Host AS host, plugin, authentication_string AS hash FROM mysql.user',
  );
  return new Map(
    rows.map(({ name, host, plugin, hash }) => [
      key({ name: String(name), host: String(host) }),
      { plugin: String(plugin ?? ''), hash: String(hash ?? '') },
    ]),
  );
}

type Wanted = {
  user: { name: string; host?: string | undefined };
  password: string;
  present: Account | undefined;
  login: Login;
};

async function syncAccount(
  session: MysqlSession,
  { user, password, present, login }: Wanted,
  work: Work,
): Promise<void> {
  const account = accountSql(user);
  const identified = ` IDENTIFIED BY ${literal(password)}`;
  if (!present) {
    await session.write(`CREATE USER ${account}${identified}`, `CREATE USER ${account} IDENTIFIED BY ***`);
    return;
  }
  if (await hasPassword(present, { ...login, username: user.name, password }, work)) return;
  await session.write(`ALTER USER ${account}${identified}`, `ALTER USER ${account} IDENTIFIED BY ***`);
}

async function hasPassword(present: Account, login: Login, work: Work): Promise<boolean> {
  if (present.plugin === 'mysql_native_password') return present.hash === nativeHash(login.password);
  // The newer hashes are salted: only a login tells. One that is bound to other hosts is set again instead.
  return letsIn(login, Math.max(1_000, Math.min(10_000, work.remainingMs())));
}

function nativeHash(password: string): string {
  const once = createHash('sha1').update(password, 'utf8').digest();
  return `*${createHash('sha1').update(once).digest('hex').toUpperCase()}`;
}
