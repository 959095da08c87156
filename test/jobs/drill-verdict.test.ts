import t from 'tap';
import { whyNot } from '../../src/jobs/drill/verdict.ts';

const row = (value: unknown) => [{ first: value, second: 'never told' }];

for (const [rows, want, because] of [
  [row(3), '', 'a number'],
  [row('3'), '', 'a count of PostgreSQL'],
  [row('12.50'), '', 'an exact number'],
  [row(7n), '', 'a large number'],
  [row(true), '', 'true'],
  [row('Großmann'), '', 'a text'],
  [row(new Date(0)), '', 'a time'],
  [row(Buffer.from('')), '', 'bytes'],
  [row(-1), '', 'less than nothing is something'],
  [[...row(1), ...row(0)], '', 'only the first row counts'],
  [[], 'the query gave no row', 'no row'],
  [row(null), 'the first of 1 row begins with NULL', 'NULL'],
  [row(0), 'the first of 1 row begins with 0, false or nothing', '0'],
  [row('0'), 'the first of 1 row begins with 0, false or nothing', 'an empty table of PostgreSQL'],
  [row('0.00'), 'the first of 1 row begins with 0, false or nothing', 'an exact 0'],
  [row(0n), 'the first of 1 row begins with 0, false or nothing', 'a large 0'],
  [row(false), 'the first of 1 row begins with 0, false or nothing', 'false'],
  [row(''), 'the first of 1 row begins with 0, false or nothing', 'an empty text'],
  [[...row(0), ...row(5)], 'the first of 2 rows begins with 0, false or nothing', 'the first of two'],
  [[{}], 'the first of 1 row begins with NULL', 'a row without columns'],
] as const) {
  t.equal(whyNot(rows as Record<string, unknown>[]), want, because);
}
