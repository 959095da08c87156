// Logins that take turns on PostgreSQL. The declared role owns and holds all rights; the other login is a member that
// becomes it when a session starts, so whatever either of them makes belongs to the same role.

import type { SqlUser, SqlWish } from '../../rds/sql-wish.ts';
import { checkPassword, checkUserName, Refused } from './names.ts';
import type { InDatabase } from './postgres-drop.ts';
import { becomeMember, findRole, type Server, setPassword } from './postgres-roles.ts';
import { currentUser, identifier, literal } from './postgres-session.ts';

type Passwords = (file: { passwordFile: string }) => string;

/** The role that the rights are declared for, whoever logs in for it. */
export async function syncHolder(server: Server, user: SqlUser, password: string): Promise<void> {
  const { current } = user.logins ?? {};
  if (current === undefined || current === user.name) return;
  const holder = await findRole(server, user.name);
  if (holder?.isMighty) throw new Refused('a role of the server itself has this name');
  if (!holder) await server.session.write(`CREATE ROLE ${identifier(user.name)}`);
  await becomeMember(server, user.name);
  await makeKey(server, current, user.name, password);
}

/** Makes the next login and proves it, takes over what the other one owns, or closes the one before. */
export async function turnLogins(
  server: Server,
  user: SqlUser,
  passwords: Passwords,
  inDatabase: InDatabase,
): Promise<void> {
  const { current, next, close } = user.logins ?? {};
  if (next) {
    if (next.login === user.name) await setPassword(server, user.name, passwords(next));
    else await makeKey(server, next.login, user.name, passwords(next));
  }
  for (const key of [current, next?.login, close])
    if (key !== undefined && key !== user.name) await handOver(server, key, user.name, inDatabase);
  if (next) await prove(server, next.login, passwords(next), user);
  if (close !== undefined) await shut(server, close);
}

/** The same for those who stand in for the administrator. */
export async function turnAdministrators(
  server: Server,
  { current, next, close }: NonNullable<SqlWish['administrators']>,
  passwords: Passwords,
): Promise<void> {
  const { username } = server.login;
  for (const one of [current, next]) if (one) await makeKey(server, one.login, username, passwords(one));
  if (next) await prove(server, next.login, passwords(next), { name: username });
  if (close !== undefined) await shut(server, close);
}

async function makeKey(server: Server, key: string, holder: string, password: string): Promise<void> {
  checkUserName('PostgreSQL', key);
  checkPassword(password);
  const { session, version, login } = server;
  await setPassword(server, key, password);
  const isModern = version >= 160_000;
  const [row] = await session.rows(
    `SELECT pg_has_role($1, $2, 'USAGE')${isModern ? " AND pg_has_role($1, $2, 'SET')" : ''} AS is`,
    [key, holder],
  );
  if (row?.is !== true) {
    const options = isModern ? ' WITH INHERIT TRUE, SET TRUE' : '';
    await session.write(`GRANT ${identifier(holder)} TO ${identifier(key)}${options}`);
  }
  const becomes = await session.rows(
    `SELECT 1 FROM pg_db_role_setting AS s JOIN pg_roles AS r ON r.oid = s.setrole
     WHERE s.setdatabase = 0 AND r.rolname = $1 AND $2 = ANY(s.setconfig)`,
    [key, `role=${holder}`],
  );
  if (becomes.length === 0)
    await session.write(`ALTER ROLE ${identifier(key)} SET role = ${literal(holder)}`);
  // The administrator cannot be a member of one who is a member of it.
  if (holder !== login.username) await becomeMember(server, key);
}

/** A session that was reset to its login, as poolers do it, makes things of its own. */
async function handOver(server: Server, key: string, holder: string, inDatabase: InDatabase): Promise<void> {
  const owning = await server.session.rows(
    `SELECT DISTINCT d.datname AS name FROM pg_shdepend AS s
     JOIN pg_roles AS r ON s.refclassid = 'pg_authid'::regclass AND s.refobjid = r.oid
     JOIN pg_database AS d ON d.oid = s.dbid WHERE s.deptype = 'o' AND r.rolname = $1 AND d.datallowconn`,
    [key],
  );
  for (const { name } of owning)
    await inDatabase(String(name), (session) =>
      session.write(`REASSIGN OWNED BY ${identifier(key)} TO ${identifier(holder)}`),
    );
}

async function prove(
  { login, work }: Server,
  key: string,
  password: string,
  holder: Pick<SqlUser, 'name' | 'grants'>,
): Promise<void> {
  const timeoutMs = Math.max(1_000, Math.min(10_000, work.remainingMs()));
  const database = holder.grants?.[0]?.database ?? 'postgres';
  const became = await currentUser({ ...login, username: key, password }, database, timeoutMs);
  if (became !== holder.name) throw new Refused(`${key} logs in as ${became} instead of ${holder.name}`);
}

async function shut(server: Server, key: string): Promise<void> {
  checkUserName('PostgreSQL', key);
  const present = await findRole(server, key);
  if (present?.canLogin) await server.session.write(`ALTER ROLE ${identifier(key)} NOLOGIN PASSWORD NULL`);
}
