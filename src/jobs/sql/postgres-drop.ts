// Taking away what is declared no more, on PostgreSQL. What a user owns goes to the owner of its database.

import { checkDatabaseName, checkUserName, Refused } from './names.ts';
import { becomeMember, findRole, type Server } from './postgres-roles.ts';
import { identifier, type PostgresSession } from './postgres-session.ts';

export type InDatabase = (
  database: string,
  run: (session: PostgresSession) => Promise<void>,
) => Promise<void>;

export async function dropRole(server: Server, name: string, inDatabase: InDatabase): Promise<void> {
  checkUserName('PostgreSQL', name);
  const present = await findRole(server, name);
  if (!present) return;
  if (present.isMighty) throw new Refused('a role of the server itself has this name');
  await becomeMember(server, name);
  const role = identifier(name);
  for (const database of await databasesWith(server.session, name)) {
    await inDatabase(database, async (session) => {
      const heir = await heirOf(session, name, server.login.username);
      await session.write(`REASSIGN OWNED BY ${role} TO ${identifier(heir)}`);
      // What is left are rights that were given to it.
      await session.write(`DROP OWNED BY ${role}`);
    });
  }
  await server.session.write(`DROP ROLE ${role}`);
}

async function heirOf(session: PostgresSession, name: string, administrator: string): Promise<string> {
  const [row] = await session.rows(
    `SELECT pg_get_userbyid(datdba) AS owner, pg_has_role(datdba, 'USAGE') AS reachable
     FROM pg_database WHERE datname = current_database()`,
  );
  return row?.reachable === true && row.owner !== name ? String(row.owner) : administrator;
}

/** Databases in which the role owns something or has rights; shared objects are reached from any of them. */
export async function databasesWith(session: PostgresSession, role: string): Promise<string[]> {
  const rows = await session.rows(
    `SELECT DISTINCT d.datname AS name FROM pg_shdepend AS s
     JOIN pg_roles AS r ON s.refclassid = 'pg_authid'::regclass AND s.refobjid = r.oid
     JOIN pg_database AS d ON d.oid = s.dbid OR (s.dbid = 0 AND s.classid = 'pg_database'::regclass AND d.oid = s.objid)
     WHERE r.rolname = $1 AND d.datallowconn ORDER BY 1`,
    [role],
  );
  return rows.map(({ name }) => String(name));
}

export async function dropPostgresDatabase(
  { session, version }: Server,
  name: string,
  kept: readonly string[],
): Promise<void> {
  checkDatabaseName('PostgreSQL', name);
  if (kept.includes(name)) return;
  const found = await session.rows('SELECT 1 FROM pg_database WHERE datname = $1', [name]);
  if (found.length === 0) return;
  // Clients that are still connected would keep it for ever.
  await session.write(`DROP DATABASE ${identifier(name)}${version >= 130_000 ? ' WITH (FORCE)' : ''}`);
}
