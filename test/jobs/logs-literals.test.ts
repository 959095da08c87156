import fc from 'fast-check';
import t from 'tap';
import { stripLiterals } from '../../src/jobs/logs/strip-literals.ts';
import { createTopQueries } from '../../src/jobs/logs/top-queries.ts';
import type { SlowRow } from '../../src/otc/rds-logs.ts';

type Case = [engine: Parameters<typeof stripLiterals>[1], given: string, want: string];

const cases: Case[] = [
  ['MySQL', "SELECT * FROM t WHERE a='it''s' AND b = \"x\\\"y\"", 'SELECT * FROM t WHERE a=? AND b = ?'],
  ['MySQL', "SELECT a FROM t WHERE n = 'x\\' OR 1=1' AND m = 2", 'SELECT a FROM t WHERE n = ? AND m = ?'],
  ['MySQL', "UPDATE t SET a='cut off in the mid", 'UPDATE t SET a=?'],
  ['MySQL', 'SELECT 1 -- card 4111\n, 0xFF, .5, 2e-3 # pin 1234', 'SELECT ? , ?, ?, ?'],
  [
    'MySQL',
    "SELECT _utf8'a', N'b', x'41', `k 1`, @v1 FROM db1.orders_2025",
    'SELECT ?, ?, ?, `k 1`, @v1 FROM db1.orders_2025',
  ],
  ['MySQL', 'INSERT INTO t (a, b) VALUES (1, 2), (3, 4),(5, 6)', 'INSERT INTO t (a, b) VALUES (?)'],
  ['MySQL', 'SELECT a FROM t WHERE b IN (1,2, 3) /* for 77 */', 'SELECT a FROM t WHERE b IN (?)'],
  [
    'PostgreSQL',
    `SELECT "Or'der 1" FROM t WHERE a = E'x\\'y' AND b = $1`,
    `SELECT "Or'der 1" FROM t WHERE a = ? AND b = ?`,
  ],
  ['PostgreSQL', 'SELECT $tag$ it is $$ secret $tag$, $$more$$, 5', 'SELECT ?, ?, ?'],
  ['PostgreSQL', "SELECT 'a\\', 'b'", 'SELECT ?, ?'],
  ['PostgreSQL', "SELECT $q$ cut off 'here", 'SELECT ?'],
  [
    'SQLServer',
    "SELECT [col 1] FROM t WHERE a = N'geheim' AND b = 0xAB",
    'SELECT [col 1] FROM t WHERE a = ? AND b = ?',
  ],
];

for (const [engine, given, want] of cases)
  t.test(`${engine}: ${given}`, async (t) => t.equal(stripLiterals(given, engine), want));

t.test('whatever a text holds, nothing of it is left', async (t) => {
  const value = fc.string({
    unit: fc.constantFrom('Z', 'Q', "'", '\\', '"', ';', '-', '/', '*', '$', ' ', '\n'),
    minLength: 1,
  });
  fc.assert(
    fc.property(value, value, (first, second) => {
      const quoted = (text: string) => `'${text.replaceAll('\\', '\\\\').replaceAll("'", "''")}'`;
      const bare = stripLiterals(
        `select a from t where b = ${quoted(first)} and c = ${quoted(second)}`,
        'MySQL',
      );
      t.equal(bare, 'select a from t where b = ? and c = ?');
    }),
    { numRuns: 500 },
  );
  fc.assert(
    fc.property(value, (text) => {
      const quoted = `'${text.replaceAll("'", "''")}'`;
      t.equal(
        stripLiterals(`select a from t where b = ${quoted}`, 'PostgreSQL'),
        'select a from t where b = ?',
      );
    }),
    { numRuns: 500 },
  );
});

t.test('any statement, cut anywhere, loses all its digits and never hangs', async (t) => {
  const engines = fc.constantFrom('MySQL', 'PostgreSQL', 'SQLServer');
  const text = fc.string({
    unit: fc.constantFrom('7', "'", '"', '$', ' ', '(', ')', ',', '.', '-', '/', '*', '\\', '='),
  });
  fc.assert(
    fc.property(engines, text, (engine, statement) => {
      const quotesAreNames = engine !== 'MySQL';
      const bare = stripLiterals(statement, engine);
      t.notMatch(quotesAreNames ? bare.replace(/"[^"]*("|$)/g, '') : bare, /7/);
    }),
    { numRuns: 500 },
  );
});

t.test('statements that differ in values only are one, the dearest first', async (t) => {
  const row = (query: string, seconds: number, count = 1): SlowRow => ({
    query,
    seconds,
    count,
    time: undefined,
    lockSeconds: undefined,
    rowsSent: undefined,
    rowsExamined: undefined,
    database: 'shop',
    user: undefined,
    client: undefined,
    type: undefined,
  });
  const top = createTopQueries('MySQL');
  top.add(row('SELECT a FROM t WHERE b = 1', 1.004, 2));
  top.add(row("SELECT  a FROM t WHERE b = 'x'", 3));
  top.add(row('DELETE FROM t', 6));
  top.add(row('SELECT 1', 0.5));
  t.same(top.list(2), [
    { query: 'DELETE FROM t', count: 1, seconds: 6, longest: 6, databases: ['shop'] },
    { query: 'SELECT a FROM t WHERE b = ?', count: 3, seconds: 5.01, longest: 3, databases: ['shop'] },
  ]);
});
