import t from 'tap';
import { HOUR, MINUTE, SECOND } from '../support/world.ts';
import { createInsightWorld, type Series } from './insight-world.ts';

const HA = {
  datastoretype: 'PostgreSQL',
  datastoreversion: '16',
  port: '5432',
  hamode: 'Ha',
  availabilityzone: 'eu-de-01,eu-de-02',
  flavorref: 'rds.pg.n1.large.2.ha',
} as const;

const gaugeOf = (series: Series[], metric: string, name = 'shop', more: Record<string, string> = {}) =>
  series.find(
    (one) =>
      one.name === `rds_pilot_database_${metric}` &&
      one.labels.name === name &&
      Object.entries(more).every(([key, value]) => one.labels[key] === value),
  )?.value;

t.test('a scrape tells what Cloud Eye measured, in ratios and seconds, with few labels', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', { readReplicas: [{ name: 'reports' }] });
  await world.apply('orders', HA);
  for (const name of ['shop', 'orders']) t.ok(await world.reaches(name, 'Ready'), name);
  await world.clock.advance(20 * MINUTE);
  await world.load('shop', { cpu: 97, mem: 55, disk: 91.5 });
  await world.load('orders', { cpu: 20 });
  await world.clock.advance(3 * MINUTE);
  const series = await world.scrape();
  t.equal(gaugeOf(series, 'cpu_ratio'), 0.97);
  t.equal(gaugeOf(series, 'memory_ratio'), 0.55);
  t.equal(gaugeOf(series, 'disk_ratio'), 0.915);
  t.equal(gaugeOf(series, 'disk_size_bytes'), 40 * 1024 ** 3);
  for (const metric of ['iops', 'connections', 'connections_ratio', 'queries_per_second'])
    t.ok((gaugeOf(series, metric) ?? 0) > 0, metric);
  t.ok((gaugeOf(series, 'transactions_per_second', 'orders') ?? 0) > 0);
  t.equal(gaugeOf(series, 'replication_delay_seconds', 'shop', { follower: 'standby' }), undefined);
  t.equal(
    gaugeOf(series, 'replication_delay_seconds', 'orders', { follower: 'standby' }),
    0.1,
    'PostgreSQL tells milliseconds',
  );
  t.ok((gaugeOf(series, 'replication_delay_seconds', 'shop', { follower: 'reports' }) ?? 0) >= 0.1);
  const { id } = await world.status('shop');
  const [cpu] = series.filter(({ name, labels }) => name.endsWith('_cpu_ratio') && labels.name === 'shop');
  t.same(cpu?.labels, { namespace: 'team-a', name: 'shop', instance_id: id, engine: 'MySQL' });
  const now = world.clock.now() / 1000;
  const seen = gaugeOf(series, 'seen_timestamp_seconds', 'shop', { phase: 'Ready' }) ?? 0;
  t.ok(now - seen < 80, 'synced within the last minute or so');
  t.ok(now - (gaugeOf(series, 'sample_timestamp_seconds') ?? 0) < 180);
});

t.test('SQL Server does not tell how many connections there may be: that one is left out', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('ms', {
    datastoretype: 'SQLServer',
    datastoreversion: '2019_SE',
    flavorref: 'rds.mssql.n1.large.2',
    port: '1433',
  });
  t.ok(await world.reaches('ms', 'Ready'));
  await world.clock.advance(3 * MINUTE);
  const series = await world.scrape();
  t.ok(gaugeOf(series, 'connections', 'ms') !== undefined);
  t.equal(gaugeOf(series, 'connections_ratio', 'ms'), undefined);
});

t.test('the age of the last backup, and whether backups can be relied on', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', {});
  await world.apply('bare', { backupkeepdays: 0 });
  for (const name of ['shop', 'bare']) t.ok(await world.reaches(name, 'Ready'), name);
  await world.clock.advance(7 * HOUR);
  const series = await world.scrape();
  const age = world.clock.now() / 1000 - (gaugeOf(series, 'last_backup_timestamp_seconds') ?? 0);
  t.ok(age > 0 && age < 8 * 3600, `${age} s`);
  t.equal(gaugeOf(series, 'backup_problem'), 0);
  t.equal(gaugeOf(series, 'backup_problem', 'bare'), undefined, 'off by the wish of its owner');
});

t.test('the result of the last restore drill', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', { backup: { drill: { schedule: '0 9 * * *' } } });
  await world.apply('lost', { backup: { drill: { schedule: '0 9 * * *', flavor: 'rds.no.such' } } });
  await world.apply('plain', {});
  for (const name of ['shop', 'lost', 'plain']) t.ok(await world.reaches(name, 'Ready'), name);
  t.equal(gaugeOf(await world.scrape(), 'drill_failed'), undefined, 'none was made yet');
  await world.clock.advance(2 * HOUR);
  const series = await world.scrape();
  t.equal(gaugeOf(series, 'drill_failed'), 0);
  t.equal(gaugeOf(series, 'drill_failed', 'lost'), 1);
  t.equal(gaugeOf(series, 'drill_failed', 'plain'), undefined);
  const { last } = (await world.status('shop')).backup?.drill ?? {};
  t.equal(gaugeOf(series, 'drill_timestamp_seconds'), Date.parse(last?.endedAt ?? '') / 1000);
  t.ok((gaugeOf(series, 'drill_duration_seconds') ?? 0) > 60);
  await world.apply('lost', {});
  await world.clock.advance(2 * MINUTE);
  t.equal(gaugeOf(await world.scrape(), 'drill_failed', 'lost'), undefined, 'no alarm without a schedule');
});

t.test(
  'nothing is asked without a scrape, and ten metrics a call with one, at most once a minute',
  async (t) => {
    const world = await createInsightWorld(t);
    for (let index = 0; index < 15; index += 1) await world.apply(`db-${index}`, {});
    t.ok(await world.reaches('db-14', 'Ready'));
    await world.clock.advance(30 * MINUTE);
    t.equal(world.batches(), 0, 'no scrape, no call');
    const first = await world.scrape();
    t.equal(world.batches(), 12, '15 databases with 8 metrics are 12 calls');
    t.equal(first.filter(({ name }) => name.endsWith('_cpu_ratio')).length, 15);
    await world.scrape();
    t.equal(world.batches(), 12, 'a second scraper gets what is known');
    await world.clock.advance(MINUTE);
    await world.scrape();
    t.equal(world.batches(), 24);
  },
);

t.test('a fleet that takes longer than a scrape may is told step by step, and slowly', async (t) => {
  const world = await createInsightWorld(t);
  for (let index = 0; index < 25; index += 1) await world.apply(`db-${index}`, {});
  t.ok(await world.reaches('db-24', 'Ready'));
  await world.clock.advance(5 * MINUTE);
  const startedAt = world.clock.now();
  const known = (series: Series[]) => series.filter(({ name }) => name.endsWith('_disk_ratio')).length;
  const early = known(await world.scrape());
  t.ok(world.clock.now() - startedAt <= 4 * SECOND, 'a scraper waits four seconds at most');
  t.ok(early > 0 && early < 25, `${early} of 25`);
  await world.clock.advance(10 * SECOND);
  t.equal(known(await world.scrape()), 25);
  t.equal(world.batches(), 20, 'each was asked for once');
});

t.test('what this replica has not synced for a quarter of an hour is not told', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(3 * MINUTE);
  t.ok((await world.scrape()).length > 10);
  t.equal(world.counts().rds, 1);
  await world.stop();
  await world.clock.advance(16 * MINUTE);
  t.same(await world.scrape(), []);
  t.equal(world.counts().rds, 0);
});

t.test('a deleted Rds leaves no series behind', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', { deletionPolicy: 'Delete' });
  t.ok(await world.reaches('shop', 'Ready'));
  await world.remove('shop');
  await world.clock.advance(10 * SECOND);
  t.ok((await world.scrape()).some(({ labels }) => labels.phase === 'Deleting'));
  t.ok(await world.isGone('shop'));
  t.same(await world.scrape(), []);
});

t.test(
  'without the right to read Cloud Eye the state is told all the same, and the cloud is left alone',
  async (t) => {
    const world = await createInsightWorld(t);
    await world.apply('shop', {});
    t.ok(await world.reaches('shop', 'Ready'));
    world.simulator.faults.add({ match: { service: 'ces' }, kind: '403', times: 100 });
    for (let minute = 0; minute < 4; minute += 1) {
      const series = await world.scrape();
      t.ok(gaugeOf(series, 'seen_timestamp_seconds') !== undefined);
      t.equal(gaugeOf(series, 'cpu_ratio'), undefined);
      await world.clock.advance(MINUTE);
    }
    t.equal(world.batches(), 1, 'asked once in five minutes');
  },
);

t.test('old values vanish when Cloud Eye is silent, instead of looking like news', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(3 * MINUTE);
  t.ok(gaugeOf(await world.scrape(), 'cpu_ratio') !== undefined);
  world.simulator.faults.add({ match: { service: 'ces' }, kind: '503', times: 10_000 });
  await world.clock.advance(10 * MINUTE);
  t.ok(gaugeOf(await world.scrape(), 'cpu_ratio') !== undefined, 'still told');
  await world.clock.advance(10 * MINUTE);
  t.equal(gaugeOf(await world.scrape(), 'cpu_ratio'), undefined);
});

t.test('changes that wait are counted for the fleet by impact, and for each database', async (t) => {
  const world = await createInsightWorld(t);
  await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2' });
  t.ok(await world.reaches('shop', 'Ready'));
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2' });
  await world.clock.advance(10 * SECOND);
  const { plan } = await world.status('shop');
  t.equal(plan?.length, 1, JSON.stringify(plan));
  t.same(world.counts().pending, [plan?.[0]?.impact]);
  t.equal(gaugeOf(await world.scrape(), 'pending_changes'), 1);
});
