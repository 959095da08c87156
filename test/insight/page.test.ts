import t from 'tap';
import { databaseMetrics } from '../../src/insight/database-metrics.ts';
import type { KnownRds } from '../../src/insight/fleet.ts';
import { START } from '../support/world.ts';

const rds: KnownRds = {
  uid: '1',
  namespace: 'team-a',
  name: 'shop',
  phase: 'Ready',
  impacts: [],
  lastBackup: undefined,
  backupProblem: undefined,
  instance: undefined,
  jobCredentials: [],
  credentials: undefined,
  seenAt: START,
  elapsedAt: 0,
};
const sample = { askedAt: 0, measures: new Map(), delays: new Map() };

t.test('text in a label cannot break out of it', async (t) => {
  const page = databaseMetrics([{ rds: { ...rds, name: 'a"} 1\nevil{x="\\' }, sample }], START);
  t.match(page, 'name="a\\"} 1\\nevil{x=\\"\\\\",instance_id=""');
  t.notMatch(page, /^evil/m);
});

t.test('a thousand databases are written without making hook calls wait', async (t) => {
  const points = new Map([['cpuRatio', { value: 0.123, at: START }] as const]);
  const fleet = Array.from({ length: 1_000 }, (_, index) => ({
    rds: { ...rds, name: `db-${index}` },
    sample: { ...sample, measures: points },
  }));
  const times = Array.from({ length: 5 }, () => {
    // Of the processor, which others may be using as well.
    const before = process.cpuUsage();
    databaseMetrics(fleet, START);
    const { user, system } = process.cpuUsage(before);
    return (user + system) / 1_000;
  });
  t.ok(Math.min(...times) < 200, `${Math.round(Math.min(...times))} ms`);
});
