// Taking away what is declared no more, on MySQL.

import { accountHost } from '../../rds/sql-wish.ts';
import { identifier } from './mysql-rights.ts';
import { accountSql, literal, type MysqlSession } from './mysql-session.ts';
import { checkDatabaseName, checkHost, checkUserName, Refused } from './names.ts';

type Account = { name: string; host?: string | undefined };

/** In MySQL nobody owns a table, but a view, routine, trigger or event runs as its definer and fails without. */
const DEFINED = [
  { what: 'view', from: 'VIEWS', name: 'TABLE_SCHEMA, TABLE_NAME' },
  { what: 'routine', from: 'ROUTINES', name: 'ROUTINE_SCHEMA, ROUTINE_NAME' },
  { what: 'trigger', from: 'TRIGGERS', name: 'TRIGGER_SCHEMA, TRIGGER_NAME' },
  { what: 'event', from: 'EVENTS', name: 'EVENT_SCHEMA, EVENT_NAME' },
];

export async function dropMysqlUser(session: MysqlSession, user: Account): Promise<void> {
  checkUserName('MySQL', user.name);
  checkHost(accountHost(user));
  const found = await session.rows(
    `SELECT 1 FROM mysql.user WHERE User = ${literal(user.name)} AND Host = ${literal(accountHost(user))}`,
  );
  if (found.length === 0) return;
  const definer = literal(`${user.name}@${accountHost(user)}`);
  for (const { what, from, name } of DEFINED) {
    const [one] = await session.rows(
      `SELECT CONCAT_WS('.', ${name}) AS name FROM information_schema.${from} WHERE DEFINER = ${definer} LIMIT 1`,
    );
    if (one)
      throw new Refused(
        `it is the definer of ${what} ${one.name}, which would stop working: make it anew as another user, then it is dropped`,
      );
  }
  await session.write(`DROP USER ${accountSql(user)}`);
}

export async function dropMysqlDatabase(
  session: MysqlSession,
  name: string,
  kept: readonly string[],
  lower: boolean,
): Promise<void> {
  checkDatabaseName('MySQL', name);
  const exact = lower ? name.toLowerCase() : name;
  if (kept.includes(exact)) return;
  const rows = await session.rows('SELECT SCHEMA_NAME AS name FROM information_schema.SCHEMATA');
  if (rows.some((row) => row.name === exact)) await session.write(`DROP DATABASE ${identifier(exact)}`);
}
