// Makes databases, users and rights true on PostgreSQL: reads what is there, and writes only what differs.

import { ROOT_ACCOUNT } from '../../rds/rotation.ts';
import { loginOf, type SqlUser, type SqlWish } from '../../rds/sql-wish.ts';
import { connected, type Login } from './connect.ts';
import { checkDatabaseName, Refused } from './names.ts';
import { databasesWith, dropPostgresDatabase, dropRole, type InDatabase } from './postgres-drop.ts';
import { readDatabase, syncDatabaseRights } from './postgres-grants.ts';
import { syncHolder, turnAdministrators, turnLogins } from './postgres-logins.ts';
import {
  canCreate,
  type EveryRight,
  everyRight,
  hasAll,
  privilegesIn,
  spreadRights,
} from './postgres-rights.ts';
import { type Server, syncRole } from './postgres-roles.ts';
import { identifier, isDenied, isFinal, openPostgres, type PostgresSession } from './postgres-session.ts';
import { Fatal, type Work } from './work.ts';

/** Any number; two Jobs must not work at the same time, and the lock goes with the connection. */
const LOCK = 7_330_552;
const HOME = 'postgres';

type Passwords = (file: { passwordFile: string }) => string;

export async function applyToPostgres(
  wish: SqlWish,
  passwords: Passwords,
  login: Login,
  work: Work,
): Promise<void> {
  let known = login;
  const inDatabase: InDatabase = async (database, run) => {
    const connect = (timeoutMs: number) => openPostgres(known, database, timeoutMs, work);
    const session = await connected(connect, { isDenied, isFinal }, work);
    known = { ...login, tls: session.tls };
    try {
      await run(session);
    } finally {
      await session.close();
    }
  };
  await inDatabase(HOME, async (session) => {
    const [found] = await session.rows("SELECT current_setting('server_version_num')::int AS version");
    const server: Server = { session, login: known, version: Number(found?.version), work };
    await takeLock(server);
    const present: string[] = [];
    for (const name of wish.databases) {
      if (await work.attempt(`database ${name}`, () => create(server, name))) present.push(name);
    }
    const made: SqlUser[] = [];
    for (const user of wish.users) {
      const isMade = await work.attempt(`user ${user.name}`, async () => {
        await syncRole(server, user, passwords(user));
        await syncHolder(server, user, passwords(user));
      });
      if (isMade) made.push(user);
    }
    const managed = made.filter(({ grants }) => grants !== undefined);
    for (const name of present) {
      await work.attempt(`owner of database ${name}`, () => syncOwner(server, name, managed));
    }
    await syncAllRights(server, managed, inDatabase);
    await turnAll(server, wish, made, passwords, inDatabase);
    for (const { name } of wish.drop.users) {
      await work.attempt(`removed user ${name}`, () => dropRole(server, name, inDatabase));
    }
    for (const name of wish.drop.databases) {
      await work.attempt(`removed database ${name}`, () =>
        dropPostgresDatabase(server, name, wish.databases),
      );
    }
  });
}

async function turnAll(
  server: Server,
  { administrators }: SqlWish,
  made: readonly SqlUser[],
  passwords: Passwords,
  inDatabase: InDatabase,
): Promise<void> {
  const { work } = server;
  for (const user of made.filter(({ logins }) => logins !== undefined)) {
    await work.attempt(loginOf(user.name), () => turnLogins(server, user, passwords, inDatabase));
  }
  if (administrators)
    await work.attempt(loginOf(ROOT_ACCOUNT), () => turnAdministrators(server, administrators, passwords));
}

async function takeLock({ session, work }: Server): Promise<void> {
  await session.rows(`SET statement_timeout = ${Math.max(1_000, Math.floor(work.remainingMs() / 2))}`);
  try {
    await session.rows('SELECT pg_advisory_lock($1)', [LOCK]);
  } catch {
    throw new Fatal('another SQL Job works on this server and does not end');
  }
  await session.rows('SET statement_timeout = 0');
}

async function create({ session }: Server, name: string): Promise<void> {
  checkDatabaseName('PostgreSQL', name);
  const found = await session.rows('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.length > 0) return;
  await session.write(`CREATE DATABASE ${identifier(name)}`);
  // A new database is for those who are named, not for every login of the server.
  await session.write(`REVOKE ALL ON DATABASE ${identifier(name)} FROM PUBLIC`);
}

/**
 * The first user with ALL owns the database, and with it the schema public. An owner whom nobody declared is
 * left alone.
 */
async function syncOwner({ session, login }: Server, name: string, users: readonly SqlUser[]): Promise<void> {
  const [row] = await session.rows(
    'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = $1',
    [name],
  );
  if (!row) return;
  const owner = String(row.owner);
  const wanted = users.filter((user) => hasAll(privilegesIn(user, name))).map((user) => user.name);
  const isOurs = owner === login.username || users.some((user) => user.name === owner);
  if (wanted.includes(owner) || !isOurs) return;
  const next = wanted[0] ?? login.username;
  if (next !== owner) await session.write(`ALTER DATABASE ${identifier(name)} OWNER TO ${identifier(next)}`);
}

async function syncAllRights(
  server: Server,
  users: readonly SqlUser[],
  inDatabase: InDatabase,
): Promise<void> {
  const { session, work } = server;
  const every = await everyRight(session);
  const existing = new Set(
    (await session.rows('SELECT datname FROM pg_database WHERE datallowconn')).map(({ datname }) => datname),
  );
  /** Database to those who have, or should have, rights in it. */
  const concerned = new Map<string, Set<SqlUser>>();
  for (const user of users) {
    await work.attempt(`rights of user ${user.name}`, async () => {
      const named = (user.grants ?? []).map(({ database }) => database);
      for (const { privileges } of user.grants ?? []) spreadRights(privileges, every);
      const missing = named.filter((database) => !existing.has(database));
      if (missing.length > 0)
        throw new Refused(`there is no database ${missing.map((one) => JSON.stringify(one)).join(', ')}`);
      for (const database of [...named, ...(await databasesWith(session, user.name))])
        concerned.set(database, (concerned.get(database) ?? new Set()).add(user));
    });
  }
  for (const [database, those] of concerned) {
    await work.attempt(`rights in database ${database}`, () =>
      inDatabase(database, (own) => syncRightsIn(server, own, database, [...those], every)),
    );
  }
}

async function syncRightsIn(
  { login, work }: Server,
  session: PostgresSession,
  database: string,
  users: readonly SqlUser[],
  every: EveryRight,
): Promise<void> {
  const [found] = await session.rows(
    'SELECT pg_get_userbyid(datdba) AS owner FROM pg_database WHERE datname = current_database()',
  );
  const owner = String(found?.owner);
  const makers = users.filter((user) => canCreate(privilegesIn(user, database))).map(({ name }) => name);
  const creators = [...new Set([login.username, ...makers])];
  const roles = users.map(({ name }) => name);
  const state = await readDatabase(session, roles, creators);
  for (const user of users) {
    await work.attempt(`rights of user ${user.name} in database ${database}`, () =>
      syncDatabaseRights(session, state, {
        role: user.name,
        rights: spreadRights(privilegesIn(user, database), every),
        creators: state.creators.has(owner) ? [...creators, owner] : creators,
      }),
    );
  }
}
