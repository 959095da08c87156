// Connections to PostgreSQL: one per database, since each has its own schemas and tables.

import pg from 'pg';
import type { Login } from './connect.ts';
import type { Work } from './work.ts';

export type Row = Record<string, unknown>;

export type PostgresSession = {
  rows(sql: string, values?: readonly unknown[]): Promise<Row[]>;
  /** `shown` is what may be printed of it. */
  write(sql: string, shown?: string): Promise<void>;
  close(): Promise<void>;
  readonly tls: boolean;
};

export const identifier = (name: string): string => pg.escapeIdentifier(name);
export const literal = (value: string): string => pg.escapeLiteral(value);

const codeOf = (error: unknown): string | undefined => (error as { code?: string } | undefined)?.code;

const WRONG_PASSWORD = '28P01';
const NOT_ALLOWED = '28000';
const FORBIDDEN_DATABASE = '42501';

export const isDenied = (error: unknown): boolean =>
  codeOf(error) === WRONG_PASSWORD || codeOf(error) === NOT_ALLOWED;

/** This database is closed to us, gone, or a template. */
const CLOSED = [FORBIDDEN_DATABASE, '3D000', '55000'];

export const isFinal = (error: unknown): boolean => CLOSED.includes(codeOf(error) ?? '');

type Opened = { client: pg.Client; tls: boolean };

async function open(login: Login, database: string, timeoutMs: number): Promise<Opened> {
  const options: pg.ClientConfig = {
    host: login.host,
    port: login.port,
    user: login.username,
    password: login.password,
    database,
    connectionTimeoutMillis: timeoutMs,
    application_name: 'rds-pilot',
  };
  // The cloud signs with a CA of its own that is not known here: this keeps listeners out, no more.
  const start = async (tls: boolean): Promise<Opened> => {
    const client = new pg.Client({ ...options, ssl: tls && { rejectUnauthorized: false } });
    client.on('error', () => {});
    try {
      await client.connect();
      return { client, tls };
    } catch (error) {
      await client.end().catch(() => {});
      throw error;
    }
  };
  try {
    return await start(login.tls ?? true);
  } catch (error) {
    if (!/does not support SSL/.test(error instanceof Error ? error.message : '')) throw error;
    return start(false);
  }
}

export async function openPostgres(
  login: Login,
  database: string,
  timeoutMs: number,
  work: Work,
): Promise<PostgresSession> {
  const { client, tls } = await open(login, database, timeoutMs);
  await client.query(
    'SET standard_conforming_strings = on; SET client_min_messages = error; SET search_path = pg_catalog',
  );
  return {
    rows: async (sql, values = []) => (await client.query(sql, [...values])).rows as Row[],
    async write(sql, shown = sql) {
      await client.query(sql);
      work.did(shown, database);
    },
    close: () => client.end().catch(() => {}),
    tls,
  };
}

/** Whether this password is the one of the role; no answer counts as no. */
export async function isPassword(login: Login, timeoutMs: number): Promise<boolean> {
  try {
    const prepared = { ...login, password: login.password.normalize('NFKC') };
    const { client } = await open(prepared, 'postgres', timeoutMs);
    await client.end().catch(() => {});
    return true;
  } catch (error) {
    // The password was right, the database is not for this role.
    return codeOf(error) === FORBIDDEN_DATABASE;
  }
}

/** Logs in and tells as whom the session acts. */
export async function currentUser(login: Login, database: string, timeoutMs: number): Promise<string> {
  const { client } = await open(
    { ...login, password: login.password.normalize('NFKC') },
    database,
    timeoutMs,
  );
  try {
    const { rows } = await client.query('SELECT current_user AS name');
    return String((rows as Row[])[0]?.name);
  } finally {
    await client.end().catch(() => {});
  }
}
