// Logins of PostgreSQL, made by an administrator who is no superuser and may only create roles.

import type { SqlUser } from '../../rds/sql-wish.ts';
import type { Login } from './connect.ts';
import { checkPassword, checkUserName, Refused } from './names.ts';
import { identifier, isPassword, literal, type PostgresSession } from './postgres-session.ts';
import { md5Verifier, scramVerifier } from './scram.ts';
import type { Work } from './work.ts';

type Role = {
  canLogin: boolean;
  /** Beyond what an administrator without superuser can have made. */
  isMighty: boolean;
};

export type Server = { session: PostgresSession; login: Login; version: number; work: Work };

export async function findRole({ session }: Server, name: string): Promise<Role | undefined> {
  const [row] = await session.rows(
    'SELECT rolcanlogin, rolsuper OR rolreplication OR rolbypassrls AS mighty FROM pg_roles WHERE rolname = $1',
    [name],
  );
  return row && { canLogin: row.rolcanlogin === true, isMighty: row.mighty === true };
}

export async function syncRole(server: Server, user: SqlUser, password: string): Promise<void> {
  checkUserName('PostgreSQL', user.name);
  checkPassword(password);
  if ((user.privileges ?? []).length > 0)
    throw new Refused('privileges are statements of MySQL; write the rights as grants');
  if (user.logins && user.logins.current !== user.name) return;
  await setPassword(server, user.name, password);
  await becomeMember(server, user.name);
}

/** Makes the role where there is none, and lets it log in with this password. */
export async function setPassword(server: Server, name: string, password: string): Promise<void> {
  const present = await findRole(server, name);
  if (present?.isMighty) throw new Refused('a role of the server itself has this name');
  const { session, login, work } = server;
  const role = identifier(name);
  if (!present) {
    await session.write(...withPassword(server, `CREATE ROLE ${role} LOGIN`, name, password));
    return;
  }
  const timeoutMs = Math.max(1_000, Math.min(10_000, work.remainingMs()));
  const isSet = present.canLogin && (await isPassword({ ...login, username: name, password }, timeoutMs));
  // Password first: an open door must not have the old key, not even for a moment.
  if (!isSet) await session.write(...withPassword(server, `ALTER ROLE ${role}`, name, password));
  if (!present.canLogin) await session.write(`ALTER ROLE ${role} LOGIN`);
}

function withPassword(
  { version }: Server,
  start: string,
  name: string,
  password: string,
): [sql: string, shown: string] {
  const kept = version >= 100_000 ? scramVerifier(password) : md5Verifier(password, name);
  return [`${start} PASSWORD ${literal(kept)}`, `${start} PASSWORD ***`];
}

/**
 * Without superuser only a member of a role can give it a database, set its default rights or take over what
 * it owns. From version 16 on the maker of a role may administer it, but must ask for the rest.
 */
export async function becomeMember({ session, login, version }: Server, role: string): Promise<void> {
  const isModern = version >= 160_000;
  const [row] = await session.rows(
    `SELECT pg_has_role($1, 'USAGE')${isModern ? " AND pg_has_role($1, 'SET')" : ''} AS is`,
    [role],
  );
  if (row?.is === true) return;
  const options = isModern ? ' WITH INHERIT TRUE, SET TRUE' : '';
  await session.write(`GRANT ${identifier(role)} TO ${identifier(login.username)}${options}`);
}
