// A connection to MySQL. Statements are built whole, with every value escaped: placeholders would also be
// looked for inside quoted names.

import mysql from 'mysql2/promise';
import { accountHost } from '../../rds/sql-wish.ts';
import type { Login } from './connect.ts';
import type { Work } from './work.ts';

export type Row = Record<string, unknown>;

export type MysqlSession = {
  rows(sql: string): Promise<Row[]>;
  /** `shown` is what may be printed of it. */
  write(sql: string, shown?: string): Promise<void>;
  close(): Promise<void>;
  readonly tls: boolean;
};

const ACCESS_DENIED = 1045;

export const isDenied = (error: unknown): boolean =>
  (error as { errno?: number } | undefined)?.errno === ACCESS_DENIED;

/** With the session's sql_mode emptied, a backslash escapes whatever the server is set to. */
export const literal = (value: string): string => mysql.escape(value);

export const accountSql = (user: { name: string; host?: string | undefined }): string =>
  `${literal(user.name)}@${literal(accountHost(user))}`;

type Opened = { connection: mysql.Connection; tls: boolean };

async function open(login: Login, timeoutMs: number): Promise<Opened> {
  const options: mysql.ConnectionOptions = {
    host: login.host,
    port: login.port,
    user: login.username,
    password: login.password,
    connectTimeout: timeoutMs,
    multipleStatements: false,
    infileStreamFactory: () => {
      throw new Error('the server asked for a file');
    },
  };
  // The cloud signs with a CA of its own that is not known here: this keeps listeners out, no more.
  const start = async (tls: boolean): Promise<Opened> => {
    const ssl = tls ? { ssl: { rejectUnauthorized: false } } : {};
    return { connection: await mysql.createConnection({ ...options, ...ssl }), tls };
  };
  try {
    return await start(login.tls ?? true);
  } catch (error) {
    if ((error as { code?: string }).code !== 'HANDSHAKE_NO_SSL_SUPPORT') throw error;
    return start(false);
  }
}

export async function openMysql(login: Login, timeoutMs: number, work: Work): Promise<MysqlSession> {
  const { connection, tls } = await open(login, timeoutMs);
  connection.on('error', () => {});
  await connection.query("SET SESSION sql_mode = ''");
  return {
    async rows(sql) {
      const [found] = await connection.query(sql);
      return found as Row[];
    },
    async write(sql, shown = sql) {
      await connection.query(sql);
      work.did(shown);
    },
    async close() {
      await connection.end().catch(() => connection.destroy());
    },
    tls,
  };
}

/** Whether the server lets this login in; `false` may also mean: not from here. */
export async function letsIn(login: Login, timeoutMs: number): Promise<boolean> {
  try {
    const { connection } = await open(login, timeoutMs);
    connection.destroy();
    return true;
  } catch {
    return false;
  }
}
