// Error and slow logs. Their `offset` is a page number from 1, unlike everywhere else.
import { bodyOf, optionalBodyOf, optionalInteger, optionalText, queryInteger, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { bareTime, parseTime } from '../time.ts';
import { instanceOf } from './guards.ts';
import { errorRows, type SlowRow, type Span, slowRows } from './log-rows.ts';
import type { Instance } from './types.ts';

const LEVELS = ['ALL', 'INFO', 'LOG', 'WARNING', 'ERROR', 'FATAL', 'PANIC', 'NOTE'];
const TYPES = ['INSERT', 'UPDATE', 'SELECT', 'DELETE', 'CREATE'];

function spanOf(start: string | null, end: string | null): Span {
  const from = parseTime(start ?? '');
  const to = parseTime(end ?? '');
  if (from === undefined) throw new BadField('start_date', 'it is missing or malformed');
  if (to === undefined) throw new BadField('end_date', 'it is missing or malformed');
  if (from > to) throw new BadField('end_date', 'it is before start_date');
  return { from, to };
}

function pageOf<T>(call: Call, rows: T[]): T[] {
  const page = queryInteger(call.query, 'offset', { default: 1, min: 1, max: 1_000_000 });
  const limit = queryInteger(call.query, 'limit', { default: 10, min: 1, max: 100 });
  return rows.slice((page - 1) * limit, page * limit);
}

export function listErrorLog(call: Call): Answer {
  const instance = instanceOf(call);
  const span = spanOf(call.query.get('start_date'), call.query.get('end_date'));
  const level = call.query.get('level') || 'ALL';
  if (!LEVELS.includes(level)) throw new BadField('level', `${level} is unknown`);
  const rows = errorRows(instance, span, call.now, level);
  return json(200, { error_log_list: pageOf(call, rows), total_record: rows.length });
}

function slowLogOf(instance: Instance, span: Span, now: number, type: string | undefined): SlowRow[] {
  if (instance.engine === 'SQLServer')
    throw refuse(400, 'DBS.200040', 'SQLServer does not support this call.');
  if (type && !TYPES.includes(type)) throw new BadField('type', `${type} is unknown`);
  return slowRows(instance, span, now, type);
}

/** Everything is a string; PostgreSQL tells less. */
const slowShape = (instance: Instance, row: SlowRow) => ({
  count: String(row.count),
  time: `${row.seconds.toFixed(2)} s`,
  ...(instance.engine === 'MySQL' && {
    lock_time: '0.00 s',
    rows_sent: String(row.sent),
    rows_examined: String(row.examined),
  }),
  database: 'shop',
  users: 'app',
  query_sample: row.query,
  type: row.type,
  start_time: bareTime(row.at),
  client_ip: '192.168.0.2',
});

export function listSlowLog(call: Call): Answer {
  const instance = instanceOf(call);
  const span = spanOf(call.query.get('start_date'), call.query.get('end_date'));
  const rows = slowLogOf(instance, span, call.now, call.query.get('type') || undefined);
  return json(200, {
    slow_log_list: pageOf(call, rows).map((row) => slowShape(instance, row)),
    total_record: rows.length,
  });
}

/** v3.1: a POST, record offset from 0, numbers as numbers. */
export function slowLogStatistics(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const span = spanOf(text(body, 'start_time'), text(body, 'end_time'));
  const offset = optionalInteger(body, 'offset') ?? 0;
  const limit = optionalInteger(body, 'limit') ?? 10;
  if (limit < 1 || limit > 100 || offset < 0) throw new BadField('limit', 'it must be from 1 to 100');
  const rows = slowLogOf(instance, span, call.now, optionalText(body, 'type') || undefined);
  return json(200, {
    slow_log_list: rows.slice(offset, offset + limit).map((row) => ({
      ...slowShape(instance, row),
      rows_sent: row.sent,
      rows_examined: row.examined,
    })),
    total_count: rows.length,
  });
}

export const prepareDownload =
  (kind: 'slowlog' | 'errorlog') =>
  (call: Call): Answer => {
    const instance = instanceOf(call);
    optionalBodyOf(call);
    const link = `${call.origin}/_sim/logs/${instance.id}/${kind}`;
    const file = {
      workflow_id: '',
      file_name: `${kind}.log`,
      status: 'SUCCESS',
      file_size: '1',
      file_link: link,
    };
    const times = { create_at: call.now, update_at: call.now };
    return json(200, { status: 'FINISH', list: [{ ...file, ...times }], count: 1 });
  };
