import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { formatAge, formatTable, tableRows } from '../../src/local/table.ts';
import { createTableWriter } from '../../src/local/terminal.ts';
import { startMs } from './toy.ts';

const rds = (name: string, status: Record<string, unknown>, metadata = {}): KubeObject => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: { name, namespace: 'team-a', ...metadata },
  spec: { datastoretype: 'MySQL', datastoreversion: '8.0', flavorref: 'rds.mysql.c2.medium', volumesize: 40 },
  status,
});

const ready = rds('shop', {
  phase: 'Ready',
  status: 'ACTIVE',
  ip: '192.168.0.5',
  engineVersion: '8.0.28',
  volumeGb: 50,
  conditions: [{ type: 'Ready', status: 'True', message: 'all is well' }],
});
const creating = rds('cart', {
  phase: 'Creating',
  operation: { kind: 'create', startedAt: '2026-11-16T02:36:50Z' },
  conditions: [{ type: 'Ready', status: 'False', message: 'waiting\u001b[2J\nfor the cloud' }],
});

t.test('the table shows what is known, and how long it takes', (t) => {
  const rows = tableRows([ready, creating, rds('new', {})], { now: startMs, ages: true });
  t.strictSame(formatTable(rows), [
    'NAMESPACE  NAME  READY  PHASE     STATUS  ENGINE        FLAVOR               VOLUME  IP           MESSAGE',
    'team-a     cart  False  Creating  -       MySQL 8.0     rds.mysql.c2.medium  40 GB   -            create for 3m10s: waiting [2J for the cloud',
    'team-a     new   -      -         -       MySQL 8.0     rds.mysql.c2.medium  40 GB   -            -',
    'team-a     shop  True   Ready     ACTIVE  MySQL 8.0.28  rds.mysql.c2.medium  50 GB   192.168.0.5  -',
  ]);
  const cut = formatTable(rows, { columns: 40 });
  t.ok(cut.every((line) => line.length <= 40));
  const [leaving] = tableRows([rds('x', {}, { deletionTimestamp: 'now' })], { now: startMs, ages: true });
  t.equal(leaving?.[3], 'Deleting');
  t.end();
});

t.test('a backup is told apart from the database it is of', (t) => {
  const backup = {
    ...rds('shop', { phase: 'Completed', status: 'COMPLETED' }),
    kind: 'RdsBackup',
    spec: { rds: 'shop' },
  };
  const [first, second] = tableRows([backup, ready], { now: startMs, ages: true });
  t.strictSame(first?.slice(0, 5), ['team-a', 'rdsbackup/shop', '-', 'Completed', 'COMPLETED']);
  t.equal(second?.[1], 'shop');
  t.end();
});

t.test('ages are short', (t) => {
  const cases: [number, string][] = [
    [-5, '0s'],
    [45_000, '45s'],
    [190_000, '3m10s'],
    [7_500_000, '2h5m'],
    [356_400_000, '4d3h'],
    [3_600_000, '1h'],
  ];
  for (const [ms, text] of cases) t.equal(formatAge(ms), text);
  t.end();
});

const record = (isTTY: boolean) => {
  const written: string[] = [];
  return { written, output: { isTTY, columns: 120, write: (text: string) => written.push(text) } };
};

t.test('a terminal is redrawn in place, in colour, and only when something changed', (t) => {
  const { written, output } = record(true);
  const writer = createTableWriter(output);
  const rows = tableRows([ready], { now: startMs, ages: true });
  writer.draw(rows);
  writer.draw(rows);
  writer.draw(tableRows([ready, creating], { now: startMs, ages: true }));
  t.equal(written.length, 2);
  t.match(written[0], '\u001b[32m');
  t.ok(written[1]?.startsWith('\u001b[2A'));
  t.end();
});

t.test('a pipe gets changed lines only, without colour', (t) => {
  const { written, output } = record(false);
  const writer = createTableWriter(output);
  const draw = (objects: KubeObject[], later = 0) =>
    writer.draw(tableRows(objects, { now: startMs + later, ages: false }));
  draw([]);
  draw([ready, creating]);
  draw([ready, creating], 5000);
  draw([ready]);
  t.equal(written.length, 4);
  t.match(written[0], /^NAMESPACE/);
  t.equal(written[3], 'team-a/cart is gone\n');
  t.notMatch(written.join(''), '\u001b');
  t.end();
});
