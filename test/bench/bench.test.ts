// The benchmark still runs, and says what it measured. Its numbers at this size mean nothing and are not looked at.

import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import t from 'tap';
import { svg } from '../../bench/plot.ts';
import { percentile, slopeOf, spreadOf } from '../../bench/statistics.ts';

const run = promisify(execFile);

t.test('every figure is measured', async (t) => {
  const { stdout } = await run(
    process.execPath,
    [join(import.meta.dirname, '..', '..', 'bench', 'main.ts'), '--tiny'],
    { timeout: 900_000 },
  );
  const wanted = [
    /hook \/ route that parses +\d/,
    /calls per sync, 3 Rds +\d/,
    /3 Rds created at once: .+ \d+ s/,
    /fitted heap per 1,000 Rds +-?\d/,
    /another's cloud hangs \/ quiet p99 +\d/,
    /first answered hook, ms .+ \d/,
  ];
  for (const line of wanted) t.match(stdout, line);
  t.notMatch(stdout, /NaN|undefined|Infinity/);
});

t.test('the few numbers that sum it up', async (t) => {
  const values = [5, 1, 4, 2, 3, 100];
  t.equal(percentile(values, 50), 3);
  t.equal(percentile(values, 99), 100);
  t.same(spreadOf([1, 2, 3, 4]), { median: 2, low: 1, high: 3 });
  const line = [1, 2, 5].map((x) => ({ x, y: 3 * x + 7 }));
  t.ok(Math.abs(slopeOf(line) - 3) < 1e-9, 'a straight line has its own slope');
});

t.test('a plot shows its points, its limit and escapes its words', async (t) => {
  const picture = svg({
    name: 'x',
    title: 'a < b',
    x: 'Rds',
    y: 'calls',
    logX: true,
    series: [{ name: 'calls', points: [10, 100, 1_000].map((x) => ({ x, y: 1 / x })) }],
    limit: { y: 0.02, name: 'target' },
  });
  t.equal(picture.match(/<circle /g)?.length, 3);
  t.match(picture, 'target 0.02');
  t.match(picture, 'a &#60; b');
  t.notMatch(picture, /NaN/);
  const [first, second, third] = [...picture.matchAll(/<circle cx="([\d.]+)"/g)].map(([, cx]) => Number(cx));
  t.equal(
    Math.round((second ?? 0) - (first ?? 0)),
    Math.round((third ?? 0) - (second ?? 0)),
    'decades are even',
  );
});
