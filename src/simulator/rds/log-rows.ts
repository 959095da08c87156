// The rows of an instance's logs. They are computed, not kept: the same instance and hour always give the same row.
import { createHash } from 'node:crypto';
import { bareTime } from '../time.ts';
import type { Instance } from './types.ts';

const EVERY_MS = 10 * 60_000;
const MAX_ROWS = 2000;
const MONTH_MS = 30 * 24 * 3_600_000;

export type Span = { from: number; to: number };

/** Moments at which this log got a row (the first when the instance was built), newest first, each with a number to draw its content from. */
function moments(instance: Instance, kind: string, span: Span, now: number): { at: number; draw: number }[] {
  const first = Math.max(instance.builtAt ?? now, now - MONTH_MS, span.from);
  const last = Math.min(now, span.to, instance.stoppedAt ?? now);
  const found = [];
  for (let slot = Math.floor(last / EVERY_MS); slot * EVERY_MS >= first && found.length < MAX_ROWS; slot--) {
    const hash = createHash('sha256').update(`${instance.id} ${kind} ${slot}`).digest();
    found.push({ at: slot * EVERY_MS, draw: hash.readUInt32BE(0) });
  }
  const { builtAt } = instance;
  const hasFirst = builtAt !== undefined && builtAt >= first && builtAt <= last && found.length < MAX_ROWS;
  return hasFirst ? [...found, { at: builtAt, draw: 0 }] : found;
}

const pick = <T>(items: readonly T[], draw: number): T => items[draw % items.length] as T;

const messages: Record<Instance['engine'], [level: string, content: string][]> = {
  MySQL: [
    [
      'WARNING',
      "[Warning] Aborted connection 112 to db: 'shop' user: 'app' (Got timeout reading communication packets)",
    ],
    ['NOTE', '[Note] Event Scheduler: Purging the queue. 0 events'],
    ['ERROR', '[ERROR] Could not open file for reading: No such file or directory'],
  ],
  PostgreSQL: [
    ['LOG', 'checkpoint complete: wrote 42 buffers (0.3%)'],
    ['ERROR', 'duplicate key value violates unique constraint "orders_pkey"'],
    ['FATAL', 'password authentication failed for user "app"'],
    ['WARNING', 'there is no transaction in progress'],
  ],
  SQLServer: [
    ['INFO', "Starting up database 'tempdb'."],
    ['WARNING', 'SQL Server has encountered 1 occurrence(s) of I/O requests taking longer than 15 seconds'],
  ],
};

type ErrorRow = { time: string; level: string; content: string };

export function errorRows(instance: Instance, span: Span, now: number, level: string): ErrorRow[] {
  return moments(instance, 'error', span, now)
    .map(({ at, draw }) => {
      const [rowLevel, content] = pick(messages[instance.engine], draw);
      return { time: bareTime(at), level: rowLevel, content };
    })
    .filter((row) => level === 'ALL' || row.level === level);
}

const statements: [type: string, query: string][] = [
  ['SELECT', 'SELECT * FROM orders WHERE customer_id = ? ORDER BY created DESC'],
  ['UPDATE', 'UPDATE stock SET amount = amount - ? WHERE item = ?'],
  ['INSERT', 'INSERT INTO audit (who, what) SELECT who, what FROM inbox'],
  ['DELETE', 'DELETE FROM sessions WHERE seen < ?'],
  ['CREATE', 'CREATE INDEX orders_by_day ON orders (created)'],
];

export type SlowRow = {
  at: number;
  type: string;
  query: string;
  seconds: number;
  count: number;
  sent: number;
  examined: number;
};

export function slowRows(instance: Instance, span: Span, now: number, type: string | undefined): SlowRow[] {
  return moments(instance, 'slow', span, now)
    .map(({ at, draw }) => {
      const [rowType, query] = pick(statements, draw);
      const seconds = 1 + (draw % 900) / 100;
      return {
        at,
        type: rowType,
        query,
        seconds,
        count: 1 + (draw % 7),
        sent: draw % 100,
        examined: draw % 100_000,
      };
    })
    .filter((row) => !type || row.type === type);
}
