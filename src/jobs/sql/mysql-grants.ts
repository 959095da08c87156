// The difference between wanted and present rights of one MySQL user, as statements.

import { accountHost } from '../../rds/sql-wish.ts';
import { ALL, GRANT_OPTION, presentRights, type Rights, type WantedRights } from './mysql-rights.ts';
import { accountSql, literal, type MysqlSession } from './mysql-session.ts';

type Account = { name: string; host?: string | undefined };

export async function applyRights(session: MysqlSession, user: Account, wanted: WantedRights): Promise<void> {
  const account = accountSql(user);
  const lines = (await session.rows(`SHOW GRANTS FOR ${account}`)).map((row) =>
    String(Object.values(row)[0] ?? ''),
  );
  const present = presentRights(lines);
  // What is missing comes first: a user who changes from one right to another is never without both.
  for (const [target, privileges] of wanted.rights) {
    const missing = missingFrom(privileges, present.get(target) ?? new Set());
    if (missing.length > 0) await session.write(grantSql(missing, target, account));
  }
  if (!wanted.exact) return;
  for (const [target, held] of present) {
    const extra = await extraIn(session, user, target, held, wanted.rights);
    // ALL PRIVILEGES stands alone in a statement.
    const statements = extra.includes(ALL) ? extra.map((name) => [name]) : [extra];
    for (const names of statements.filter(({ length }) => length > 0))
      await session.write(`REVOKE ${names.join(', ')} ON ${target} FROM ${account}`);
  }
}

function missingFrom(wanted: ReadonlySet<string>, held: ReadonlySet<string>): string[] {
  return [...wanted].filter((name) => !held.has(name) && (name === GRANT_OPTION || !held.has(ALL)));
}

function grantSql(privileges: readonly string[], target: string, account: string): string {
  const plain = privileges.filter((name) => name !== GRANT_OPTION);
  const option = plain.length < privileges.length ? ' WITH GRANT OPTION' : '';
  return `GRANT ${plain.length > 0 ? plain.join(', ') : 'USAGE'} ON ${target} TO ${account}${option}`;
}

async function extraIn(
  session: MysqlSession,
  user: Account,
  target: string,
  held: ReadonlySet<string>,
  rights: Rights,
): Promise<string[]> {
  const wanted = rights.get(target);
  const option = held.has(GRANT_OPTION) && !wanted?.has(GRANT_OPTION) ? [GRANT_OPTION] : [];
  const plain = [...held].filter((name) => name !== GRANT_OPTION);
  const isEmpty = !wanted || [...wanted].every((name) => name === GRANT_OPTION);
  if (isEmpty) return [...(plain.includes(ALL) ? [ALL] : plain), ...option];
  if (wanted.has(ALL)) return option;
  const single = plain.includes(ALL) ? await spelledOut(session, user, target) : plain;
  return [...single.filter((name) => !wanted.has(name)), ...option];
}

/** What ALL PRIVILEGES stands for differs between servers; the server knows. */
async function spelledOut(session: MysqlSession, user: Account, target: string): Promise<string[]> {
  const grantee = literal(`'${user.name}'@'${accountHost(user)}'`);
  const [database = '', table = ''] = namesIn(target);
  const where =
    target === '*.*'
      ? `USER_PRIVILEGES WHERE GRANTEE = ${grantee}`
      : table === ''
        ? `SCHEMA_PRIVILEGES WHERE GRANTEE = ${grantee} AND TABLE_SCHEMA = ${literal(database)}`
        : `TABLE_PRIVILEGES WHERE GRANTEE = ${grantee} AND TABLE_SCHEMA = ${literal(database)} AND TABLE_NAME = ${literal(table)}`;
  const rows = await session.rows(`SELECT PRIVILEGE_TYPE AS name FROM information_schema.${where}`);
  return rows.map(({ name }) => String(name)).filter((name) => name !== 'USAGE' && name !== GRANT_OPTION);
}

function namesIn(target: string): string[] {
  return [...target.matchAll(/`((?:[^`]|``)*)`/g)].map(([, name = '']) => name.replaceAll('``', '`'));
}
