import t from 'tap';
import { systemClock } from '../../src/clock.ts';
import { instanceDimension } from '../../src/otc/ces-wire.ts';
import type { AlarmRule, MetricQuery } from '../../src/otc/monitoring.ts';
import { failure } from './scripted-cloud.ts';
import { servedSimulator } from './served-simulator.ts';

const MINUTE = 60_000;
const HOUR = 60 * MINUTE;
const batches = 'POST /V1.0/{project}/batch-query-metric-data';
const lists = 'GET /V1.0/{project}/alarms';

const dimensionOf = (id: string) => instanceDimension({ engine: 'PostgreSQL', id });

const rule = (id: string, changes: Partial<AlarmRule> = {}): AlarmRule => ({
  name: 'shop-cpu',
  description: 'too busy',
  isEnabled: true,
  level: 2,
  metric: 'rds001_cpu_util',
  dimension: dimensionOf(id),
  periodSeconds: 300,
  filter: 'average',
  operator: '>=',
  threshold: 90,
  unit: '%',
  count: 3,
  suppressSeconds: 1800,
  topicUrns: [],
  ...changes,
});

t.test('data of many metrics comes in calls of ten, in the order that was asked for', async (t) => {
  const { advance, build, control, open, openByKeys, simulator } = await servedSimulator(t);
  const ids = [await build('shop_one'), await build('shop_two'), await build('shop_three')];
  for (const [index, id] of ids.entries()) await control('load', { id, cpu: 10 * (index + 1), mem: 50 });
  advance(30 * MINUTE);
  const now = Date.UTC(2026, 0, 1, 11);
  const metrics = [
    'rds001_cpu_util',
    'rds002_mem_util',
    'rds039_disk_util',
    'rds046_replication_lag',
    'rds081_qps',
  ];
  const wanted = ids.flatMap((id) => metrics.map((metric) => ({ metric, dimension: dimensionOf(id) })));
  const query: MetricQuery = {
    wanted: [...wanted, { metric: 'rds001_cpu_util', dimension: dimensionOf('nobody') }],
    fromMs: now - 15 * MINUTE,
    toMs: now,
    periodSeconds: 300,
    filter: 'average',
  };
  const { value, at } = await open().metricData(query);
  t.equal(simulator.calls().ces?.[batches], 2, '16 metrics are two calls');
  t.equal(at, now, 'by the clock of the cloud');
  t.equal(value.length, 16);
  t.match(value[5], {
    metric: 'rds001_cpu_util',
    dimension: { name: 'postgresql_cluster_id', value: ids[1] },
    unit: '%',
    points: [
      { at: now - 15 * MINUTE, value: 20 },
      { at: now - 10 * MINUTE, value: 20 },
      { at: now - 5 * MINUTE, value: 20 },
    ],
  });
  t.match(value[15], { dimension: { value: 'nobody' }, points: [] }, 'nothing is an answer too');
  t.match((await openByKeys().metricData({ ...query, filter: 'max' })).value[10]?.points[0], { value: 30 });
  t.same((await open().metricData({ ...query, wanted: [] })).value, []);
});

t.test('long spans take fewer metrics a call, so that nothing is cut off', async (t) => {
  const { advance, build, open, simulator } = await servedSimulator(t);
  const id = await build('shop_one');
  advance(20 * 24 * HOUR);
  await open().alarms(0); // renews the token
  const now = Date.UTC(2026, 0, 21, 10, 10);
  const wanted = ['rds001_cpu_util', 'rds002_mem_util', 'rds039_disk_util', 'rds003_iops'].map((metric) => ({
    metric,
    dimension: dimensionOf(id),
  }));
  const week: MetricQuery = {
    wanted,
    fromMs: now - 7 * 24 * HOUR,
    toMs: now,
    periodSeconds: 300,
    filter: 'average',
  };
  const { value } = await open().metricData(week);
  t.same(
    value.map(({ points }) => points.length),
    [2016, 2016, 2016, 2016],
  );
  t.equal(simulator.calls().ces?.[batches], 4);
});

t.test('a read that looks like a write is repeated, a create is not', async (t) => {
  const { build, open, simulator } = await servedSimulator(t);
  const id = await build('shop_one');
  simulator.faults.add({ match: { service: 'ces' }, kind: '503' });
  const now = Date.UTC(2026, 0, 1, 10, 10);
  const wanted = [{ metric: 'rds001_cpu_util', dimension: dimensionOf(id) }];
  await open().metricData({ wanted, fromMs: now - HOUR, toMs: now, periodSeconds: 300, filter: 'average' });
  t.equal(simulator.calls().ces?.[batches], 2);
  simulator.faults.add({ match: { service: 'ces' }, kind: '503' });
  t.match(await failure(open().createAlarm(rule(id))), { name: 'RetryableError', outcome: 'unknown' });
  t.equal(simulator.state.alarms.length, 0);
});

t.test('the life of an alarm', async (t) => {
  const { advance, build, control, open } = await servedSimulator(t);
  const dbId = await build('shop_one');
  const topic = await open().createTopic('shop');
  const wanted = rule(dbId, { topicUrns: [topic.urn] });
  const { id } = await open().createAlarm(wanted);
  const { at, byId } = await open().alarms(0);
  t.equal(at, Date.UTC(2026, 0, 1, 10, 10));
  const { changedAt, ...read } = byId.get(id) ?? { changedAt: 0 };
  t.strictSame(read, { ...wanted, id, state: 'insufficient_data' }, 'what was written is what is read');
  t.equal(changedAt, at);

  await control('load', { id: dbId, cpu: 95 });
  advance(15 * MINUTE);
  t.match((await open().alarms(0)).byId.get(id), { state: 'alarm', changedAt: Date.UTC(2026, 0, 1, 10, 25) });
  await open().updateAlarm(id, rule(dbId, { threshold: 99, name: 'other', level: 3 }));
  advance(5 * MINUTE);
  t.match((await open().alarms(0)).byId.get(id), {
    name: 'other',
    level: 3,
    threshold: 99,
    state: 'ok',
    topicUrns: [],
  });
  await open().enableAlarm(id, false);
  t.equal((await open().alarms(0)).byId.get(id)?.isEnabled, false);
  await open().deleteAlarm(id);
  await open().deleteAlarm(id);
  t.equal((await open().alarms(0)).byId.size, 0);
  t.match(await failure(open().enableAlarm(id, true)), { name: 'TerminalError', code: 'ces.0016' });
  t.match(await failure(open().createAlarm(rule(dbId, { count: 9 }))), {
    name: 'TerminalError',
    code: 'ces.0014',
  });
});

t.test('alarms come in pages, are shared, and may have equal names', async (t) => {
  const { open, simulator } = await servedSimulator(t);
  for (let n = 0; n < 11; n++)
    await Promise.all(Array.from({ length: 20 }, (_, i) => open().createAlarm(rule(`db-${n * 20 + i}`))));
  const before = simulator.calls().ces?.[lists] ?? 0;
  const [first, second] = await Promise.all([open().alarms(60), open().alarms(60)]);
  t.equal(first.byId.size, 220);
  t.equal(first.byName.get('shop-cpu')?.length, 220);
  t.equal(second, first);
  t.equal(await open().alarms(60), first);
  t.equal((simulator.calls().ces?.[lists] ?? 0) - before, 3);
  simulator.faults.add({ match: { service: 'ces', method: 'GET' }, kind: 'missing-page' });
  t.equal((await open().alarms(0)).byId.size, 220, 'a page that is missing is noticed');
});

t.test('a rule that vanishes between two pages does not make a half list', async (t) => {
  const [slow, deleted] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { open, simulator } = await servedSimulator(t, {
    clock: {
      ...systemClock,
      now: () => Date.UTC(2026, 0, 1, 10),
      sleep: () => {
        slow.resolve();
        return deleted.promise;
      },
    },
  });
  for (let n = 0; n < 6; n++)
    await Promise.all(Array.from({ length: 20 }, (_, i) => open().createAlarm(rule(`db-${n * 20 + i}`))));
  const ids = simulator.state.alarms.map(({ id }) => id).reverse();
  // The first page is slow; meanwhile the rule that the second goes on after is deleted.
  simulator.faults.add({ match: { service: 'ces', method: 'GET' }, kind: 'slow' });
  const list = open().alarms(0);
  await slow.promise;
  await open().deleteAlarm(ids[99] ?? '');
  deleted.resolve();
  t.equal((await list).byId.size, 119);
});

t.test('rules on other things are left out', async (t) => {
  const { open, url, simulator } = await servedSimulator(t);
  await open().createAlarm(rule('db-1'));
  const token = simulator.state.tokens[0];
  const reply = await fetch(`${url}/ces/V1.0/${token?.projectId}/alarms`, {
    method: 'POST',
    headers: { 'x-auth-token': token?.id ?? '' },
    body: JSON.stringify({
      alarm_name: 'bandwidth',
      alarm_action_enabled: false,
      metric: {
        namespace: 'SYS.VPC',
        metric_name: 'upstream_bandwidth',
        dimensions: [{ name: 'bandwidth_id', value: 'x' }],
      },
      condition: { period: 300, filter: 'max', comparison_operator: '>', value: 1, count: 1 },
    }),
  });
  t.equal(reply.status, 201);
  t.same([...(await open().alarms(0)).byName.keys()], ['shop-cpu']);
});
