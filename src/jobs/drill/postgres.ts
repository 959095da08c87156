// Questions to a restored PostgreSQL, each through a cursor in a transaction that may only read.

import { connected, type Login } from '../sql/connect.ts';
import { isDenied, isFinal, openPostgres, type PostgresSession } from '../sql/postgres-session.ts';
import type { Work } from '../sql/work.ts';
import { type Ask, MOST_ROWS } from './limits.ts';

const DEFAULT_DATABASE = 'postgres';

export async function askPostgres(
  login: Login,
  database: string | undefined,
  work: Work,
  questions: (ask: Ask) => Promise<void>,
): Promise<void> {
  const open = (timeoutMs: number): Promise<PostgresSession> =>
    openPostgres(login, database ?? DEFAULT_DATABASE, timeoutMs, work);
  const session = await connected(open, { isDenied, isFinal }, work);
  try {
    // Names without a schema mean what they mean to applications.
    await session.rows('SET search_path = DEFAULT');
    await questions(async (query) => {
      await session.rows('BEGIN READ ONLY');
      try {
        await session.rows(`DECLARE question NO SCROLL CURSOR FOR ${query.replace(/[;\s]+$/, '')}`);
        return await session.rows(`FETCH ${MOST_ROWS} FROM question`);
      } finally {
        await session.rows('ROLLBACK');
      }
    });
  } finally {
    await session.close();
  }
}
