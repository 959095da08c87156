// Questions to a restored MySQL, each in a transaction that may only read.

import { connected, type Login } from '../sql/connect.ts';
import { isDenied, type MysqlSession, openMysql } from '../sql/mysql-session.ts';
import type { Work } from '../sql/work.ts';
import { type Ask, MOST_ROWS } from './limits.ts';

export async function askMysql(
  login: Login,
  database: string | undefined,
  work: Work,
  questions: (ask: Ask) => Promise<void>,
): Promise<void> {
  const open = (timeoutMs: number): Promise<MysqlSession> => openMysql(login, timeoutMs, work);
  const session = await connected(open, { isDenied }, work);
  try {
    await session.rows(`SET SESSION sql_select_limit = ${MOST_ROWS}`);
    if (database !== undefined) await session.rows(`USE \`${database.replaceAll('`', '``')}\``);
    await questions(async (query) => {
      await session.rows('START TRANSACTION READ ONLY');
      try {
        const rows = await session.rows(query);
        // A statement that is no query has no rows.
        return Array.isArray(rows) ? rows : [];
      } finally {
        await session.rows('ROLLBACK');
      }
    });
  } finally {
    await session.close();
  }
}
