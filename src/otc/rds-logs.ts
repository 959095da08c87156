// Error and slow log of an instance, page by page. The cloud keeps the newest 2000 rows of one month.

import type { Call } from './call.ts';
import { type Json, neededObjects, numberOf, textOf, timeOf } from './json.ts';

export const logPageLimit = 100;

export type ErrorRow = { time: string | undefined; level: string | undefined; content: string };

export type SlowRow = {
  time: string | undefined;
  seconds: number | undefined;
  count: number;
  lockSeconds: number | undefined;
  rowsSent: number | undefined;
  rowsExamined: number | undefined;
  database: string | undefined;
  user: string | undefined;
  client: string | undefined;
  type: string | undefined;
  query: string;
};

export type LogSpan = { fromMs: number; toMs: number };
export type LogPage<Row> = { rows: Row[]; total: number | undefined };
export type FetchLogPage<Row> = (
  call: Call,
  instanceId: string,
  span: LogSpan,
  page: number,
) => Promise<LogPage<Row>>;

const fetcher =
  <Row>(path: string, list: string, read: (row: Json) => Row): FetchLogPage<Row> =>
  async (call, id, { fromMs, toMs }, page) => {
    const { value } = await call({
      service: 'rds',
      method: 'GET',
      path: `/instances/{id}/${path}`,
      params: { id },
      // Unlike everywhere else `offset` is the number of the page, from 1.
      query: { start_date: stamp(fromMs), end_date: stamp(toMs), offset: page, limit: logPageLimit },
      read: (body) => ({ rows: neededObjects(body, list).map(read), total: numberOf(body, 'total_record') }),
    });
    return value;
  };

export const fetchErrorLogPage = fetcher('errorlog', 'error_log_list', readErrorRow);
export const fetchSlowLogPage = fetcher('slowlog', 'slow_log_list', readSlowRow);

/** `2025-01-01T10:00:00+0000`: with an offset, without its colon. */
const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}+0000`;

/** Rows name no zone and mean UTC. */
function moment(row: Json, key: string): string | undefined {
  const ms = timeOf(row, key);
  return ms === undefined ? textOf(row, key) : new Date(ms).toISOString();
}

function readErrorRow(row: Json): ErrorRow {
  return { time: moment(row, 'time'), level: textOf(row, 'level'), content: textOf(row, 'content') ?? '' };
}

/** Every value is a text, durations with their unit (`1.04 s`); PostgreSQL tells less than MySQL. */
function readSlowRow(row: Json): SlowRow {
  return {
    time: moment(row, 'start_time'),
    seconds: secondsOf(row, 'time'),
    count: numberOf(row, 'count') ?? 1,
    lockSeconds: secondsOf(row, 'lock_time'),
    rowsSent: numberOf(row, 'rows_sent'),
    rowsExamined: numberOf(row, 'rows_examined'),
    database: textOf(row, 'database'),
    user: textOf(row, 'users'),
    client: textOf(row, 'client_ip'),
    type: textOf(row, 'type'),
    query: textOf(row, 'query_sample') ?? '',
  };
}

function secondsOf(row: Json, key: string): number | undefined {
  const number = Number.parseFloat(textOf(row, key) ?? '');
  return Number.isNaN(number) ? undefined : number;
}
