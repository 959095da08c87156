import fc from 'fast-check';
import t from 'tap';
import { judge } from '../../src/simulator/ces/judge.ts';
import { cesRoutes } from '../../src/simulator/ces/routes.ts';
import { DEMO_PROJECT, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { HOUR, type Json, MINUTE, mysqlHa, postgres, testCloud } from './test-cloud.ts';

const TOPIC = `urn:smn:eu-de:${DEMO_PROJECT.id}:shop`;

const rule = (dimension: { name: string; value: string }, changes: Json = {}): Json => ({
  alarm_name: 'shop-cpu',
  metric: {
    namespace: 'SYS.RDS',
    metric_name: changes.metric ?? 'rds001_cpu_util',
    dimensions: [dimension],
  },
  condition: {
    period: 300,
    filter: 'average',
    comparison_operator: '>=',
    value: 90,
    unit: '%',
    count: 3,
    suppress_duration: 0,
    ...changes.condition,
  },
  alarm_action_enabled: false,
  ...changes.rule,
});

async function monitoredCloud(options: SimulatorOptions = {}) {
  const cloud = await testCloud({ automatedBackups: false, ...options });
  const ces = (method: string, path: string, body?: unknown) =>
    cloud.call(method, `/ces/V1.0/${DEMO_PROJECT.id}${path}`, body);
  const load = (id: string, values: Json) => cloud.call('POST', '/_sim/load', { id, ...values });
  const create = async (body: Json): Promise<string> => (await ces('POST', '/alarms', body)).body.alarm_id;
  const stateOf = async (id: string) => (await ces('GET', `/alarms/${id}`)).body.metric_alarms[0].alarm_state;
  const latest = async (id: string, metric: string, name = 'rds_cluster_id') => {
    const now = cloud.clock.now();
    const body = {
      metrics: [{ namespace: 'SYS.RDS', metric_name: metric, dimensions: [{ name, value: id }] }],
      from: now - 10 * MINUTE,
      to: now,
      period: '300',
      filter: 'average',
    };
    return (await ces('POST', '/batch-query-metric-data', body)).body.metrics[0].datapoints.at(-1)?.average;
  };
  return { ...cloud, ces, load, create, stateOf, latest };
}

t.test('an alarm is judged by its last periods', (t) => {
  const gap = undefined;
  const cases = [
    { values: [95, 95, 95], was: 'ok', want: 'alarm', because: 'all periods meet the condition' },
    { values: [90, 90, 90], was: 'ok', want: 'alarm', because: 'the threshold itself counts for >=' },
    { values: [95, 95, 89], was: 'alarm', want: 'ok', because: 'the last period is fine' },
    { values: [89, 95, 95], was: 'ok', want: 'ok', because: 'too few in a row' },
    { values: [89, 95, 95], was: 'alarm', want: 'alarm', because: 'nothing says that it is over' },
    { values: [gap, gap, gap], was: 'alarm', want: 'insufficient_data', because: 'no data at all' },
    { values: [95, 95, gap], was: 'alarm', want: 'alarm', because: 'a gap ends nothing' },
    { values: [95, 95, gap], was: 'ok', want: 'ok', because: 'a gap begins nothing' },
    { values: [gap, gap, 95], was: 'insufficient_data', want: 'insufficient_data', because: 'too early' },
    { values: [gap, gap, 10], was: 'insufficient_data', want: 'ok', because: 'one good period is enough' },
  ] as const;
  for (const { values, was, want, because } of cases)
    t.equal(judge(was, { operator: '>=', value: 90 }, values), want, because);
  const operators = {
    '>': [91],
    '>=': [90, 91],
    '<': [89],
    '<=': [89, 90],
    '=': [90],
    '!=': [89, 91],
  } as const;
  for (const [operator, met] of Object.entries(operators) as [keyof typeof operators, readonly number[]][])
    for (const value of [89, 90, 91])
      t.equal(
        judge('ok', { operator, value: 90 }, [value]),
        met.includes(value) ? 'alarm' : 'ok',
        `${value} ${operator} 90`,
      );
  t.end();
});

t.test('load makes an alarm after as many periods as it needs, and its end makes it ok', async (t) => {
  const { build, ces, clock, create, load, rds, stateOf } = await monitoredCloud();
  const id = await build();
  const alarm = await create(rule({ name: 'rds_cluster_id', value: id }));
  t.equal(await stateOf(alarm), 'insufficient_data', 'nothing is known yet');
  clock.advance(5 * MINUTE);
  t.equal(await stateOf(alarm), 'ok');
  await load(id, { cpu: 95 });
  clock.advance(10 * MINUTE);
  t.equal(await stateOf(alarm), 'ok', 'two periods are not three');
  clock.advance(5 * MINUTE);
  t.equal(await stateOf(alarm), 'alarm');
  await load(id, { cpu: 20 });
  clock.advance(5 * MINUTE);
  t.equal(await stateOf(alarm), 'ok');
  await rds('POST', `/instances/${id}/action/shutdown`, {});
  clock.advance(22 * MINUTE);
  t.equal(await stateOf(alarm), 'insufficient_data', 'a stopped database reports nothing');

  const records = (await ces('GET', `/alarm-histories?alarm_id=${alarm}`)).body;
  t.match(records, { meta_data: { total: 4 } });
  t.same(
    records.alarm_histories.map(({ alarm_status }: Json) => alarm_status),
    ['insufficient_data', 'ok', 'alarm', 'ok'],
    'newest first',
  );
  const alarms = await ces('GET', '/alarm-histories?alarm_status=alarm&limit=1');
  t.match(alarms.body, { alarm_histories: [{ alarm_id: alarm }], meta_data: { total: 1 } });
  t.equal((await ces('GET', '/alarm-histories?alarm_status=odd')).status, 400);
});

t.test('however rarely anyone looks, alarms change at their time', async (t) => {
  const clouds = [await monitoredCloud(), await monitoredCloud()];
  for (const [index, cloud] of clouds.entries()) {
    const id = await cloud.build();
    await cloud.create(rule({ name: 'rds_cluster_id', value: id }, { condition: { count: 2 } }));
    await cloud.load(id, { cpu: 95 });
    for (let n = 0; n < 60; n++) {
      cloud.clock.advance(MINUTE);
      if (index === 0) cloud.simulator.settle();
    }
  }
  const [often, rarely] = clouds.map(({ simulator }) => simulator.state);
  t.strictSame(rarely?.alarms, often?.alarms);
  t.equal(often?.alarms[0]?.changedAt, Date.UTC(2025, 0, 1, 10, 20));
});

t.test('a saved cloud keeps its alarms, its load and what comes next', async (t) => {
  const first = await monitoredCloud();
  const id = await first.build();
  const alarm = await first.create(rule({ name: 'rds_cluster_id', value: id }));
  await first.load(id, { cpu: 95, growthGbPerDay: 5 });
  const second = await monitoredCloud();
  second.simulator.load(first.simulator.save());
  second.useToken(await first.login());
  second.simulator.load(first.simulator.save());
  second.clock.advance(30 * MINUTE);
  first.clock.advance(20 * MINUTE);
  t.equal(await second.stateOf(alarm), 'alarm');
  t.equal(await first.stateOf(alarm), 'alarm');
});

t.test('each engine has its own dimensions, for the instance and for its nodes', async (t) => {
  const { build, ces, clock, latest, load, show } = await monitoredCloud();
  const sqlserver = {
    name: 'ms_db',
    datastore: { type: 'SQLServer', version: '2022_SE' },
    flavor_ref: 'rds.mssql.n1.large.2',
    port: '1433',
  };
  const cases = [
    [await build(mysqlHa), 'rds_cluster_id', 'rds_instance_id', 'rds073_replication_delay'],
    [
      await build({ ...postgres, name: 'pg_db' }),
      'postgresql_cluster_id',
      'postgresql_instance_id',
      'rds042_database_connections',
    ],
    [
      await build(sqlserver),
      'rds_cluster_sqlserver_id',
      'rds_instance_sqlserver_id',
      'rds054_db_connections_in_use',
    ],
  ] as const;
  for (const [id] of cases) await load(id, { cpu: 50, mem: 60, disk: 70 });
  clock.advance(15 * MINUTE);
  for (const [id, instance, node, own] of cases) {
    t.equal(await latest(id, 'rds001_cpu_util', instance), 50);
    t.equal(await latest(id, 'rds002_mem_util', instance), 60);
    t.equal(await latest(id, 'rds039_disk_util', instance), 70);
    t.equal(await latest(id, 'rds047_disk_total_size', instance), 40);
    t.equal(await latest(id, 'rds048_disk_used_size', instance), 28);
    t.type(await latest(id, own, instance), 'number');
    const { nodes } = await show(id);
    for (const { id: nodeId, role } of nodes)
      t.equal(await latest(nodeId, 'rds001_cpu_util', node), role === 'slave' ? 15 : 50, role);
    t.equal(await latest(id, 'rds001_cpu_util', node), undefined, 'the id of an instance is none of a node');
    const listed = (await ces('GET', `/metrics?namespace=SYS.RDS&dim.0=${instance},${id}`)).body;
    t.ok(listed.metrics.length >= 20);
    t.match(
      listed.metrics.find(({ metric_name }: Json) => metric_name === own),
      { unit: String, dimensions: [{ name: instance, value: id }] },
    );
  }
  t.equal(await latest(cases[0][0], 'rds001_cpu_util', 'postgresql_cluster_id'), undefined, 'wrong engine');
  t.equal(await latest('nobody', 'rds001_cpu_util'), undefined);
});

t.test('metrics are listed in pages', async (t) => {
  const { build, ces } = await monitoredCloud();
  await build();
  const all = (await ces('GET', '/metrics')).body;
  t.equal(all.metrics.length, all.meta_data.total);
  const first = (await ces('GET', '/metrics?limit=10')).body;
  t.match(first.meta_data, {
    count: 10,
    total: all.meta_data.total,
    marker: /^SYS\.RDS\.rds\w+\.rds_cluster_id:/,
  });
  const second = (await ces('GET', `/metrics?limit=10&start=${first.meta_data.marker}`)).body;
  t.same(second.metrics, all.metrics.slice(10, 20));
  t.equal((await ces('GET', '/metrics?namespace=SYS.ECS')).body.meta_data.total, 0);
  for (const query of ['limit=0', 'limit=1001', 'start=nothing', 'dim.0=odd'])
    t.match(
      await ces('GET', `/metrics?${query}`),
      { status: 400, body: { message: { code: 'ces.0014' } } },
      query,
    );
});

t.test('metric data comes in whole periods, by the filter that was asked for', async (t) => {
  const { build, ces, clock, load } = await monitoredCloud();
  const id = await build();
  await load(id, { cpu: 40 });
  clock.advance(2 * MINUTE);
  await load(id, { cpu: 80 });
  clock.advance(13 * MINUTE);
  const at = (minute: number) => Date.UTC(2025, 0, 1, 10, minute);
  const ask = async (from: number, to: number, filter = 'average', period = 300): Promise<Json> => {
    const dimension = `dim.0=rds_cluster_id,${id}`;
    const query = `namespace=SYS.RDS&metric_name=rds001_cpu_util&${dimension}&period=${period}&filter=${filter}`;
    return (await ces('GET', `/metric-data?${query}&from=${from}&to=${to}`)).body;
  };
  t.strictSame(await ask(at(10), at(20)), {
    datapoints: [
      { average: 64, timestamp: at(10), unit: '%' },
      { average: 80, timestamp: at(15), unit: '%' },
    ],
    metric_name: 'rds001_cpu_util',
  });
  t.equal((await ask(at(12), at(15))).datapoints[0].timestamp, at(10), '`from` is rounded to its period');
  t.same((await ask(at(11), at(14))).datapoints, [], 'a window inside one period is empty');
  const filters = { max: 80, min: 40, sum: 320, variance: 384 };
  for (const [filter, want] of Object.entries(filters))
    t.strictSame((await ask(at(10), at(15), filter)).datapoints, [
      { [filter]: want, timestamp: at(10), unit: '%' },
    ]);
  const raw = (await ask(at(10), at(13), 'average', 1)).datapoints;
  t.same(
    raw.map(({ average }: Json) => average),
    [40, 40, 80, 80],
    'one a minute',
  );
  t.equal((await ask(at(0), clock.now() + HOUR)).datapoints.at(-1).timestamp, at(20), 'no future');
});

t.test('a batch is at most ten metrics and 3000 points', async (t) => {
  const { build, ces, clock, login } = await monitoredCloud();
  const id = await build();
  clock.advance(30 * 24 * HOUR);
  await login();
  const now = clock.now();
  const metric = {
    namespace: 'SYS.RDS',
    metric_name: 'rds001_cpu_util',
    dimensions: [{ name: 'rds_cluster_id', value: id }],
  };
  const query = (changes: Json) =>
    ces('POST', '/batch-query-metric-data', {
      metrics: [metric],
      from: now - HOUR,
      to: now,
      period: '300',
      filter: 'average',
      ...changes,
    });
  const whole = (await query({})).body;
  t.match(whole.metrics, [{ ...metric, unit: '%' }]);
  t.equal(whole.metrics[0].datapoints.length, 12);
  t.strictSame(Object.keys(whole.metrics[0].datapoints[0]).sort(), ['average', 'timestamp']);
  t.equal((await query({ metrics: Array(10).fill(metric) })).status, 200);
  const month = { from: now - 30 * 24 * HOUR };
  t.equal((await query(month)).body.metrics[0].datapoints.length, 3_000, '`from` is moved up');
  const ten = await query({ ...month, metrics: Array(10).fill(metric) });
  t.equal(ten.body.metrics[9].datapoints.length, 300);
  for (const [name, changes] of Object.entries({
    'eleven metrics': { metrics: Array(11).fill(metric) },
    'no metric': { metrics: [] },
    'a number as period': { period: 300 },
    'an odd period': { period: '60' },
    'an odd filter': { filter: 'median' },
    'no time': { from: undefined },
    'an empty window': { from: now },
    'no dimension': { metrics: [{ ...metric, dimensions: [] }] },
  }))
    t.match(
      await query(changes),
      { status: 400, body: { http_code: '400', message: { code: 'ces.0014', details: String } } },
      name,
    );
});

t.test('rules are checked, and their names may repeat', async (t) => {
  const { ces, create } = await monitoredCloud({ alarmQuota: 3 });
  const good = rule({ name: 'rds_cluster_id', value: 'x' });
  const topics = (...urns: string[]) => [{ type: 'notification', notificationList: urns }];
  const bad: Record<string, Json> = {
    name: { alarm_name: 'a b' },
    'long name': { alarm_name: 'a'.repeat(129) },
    description: { alarm_description: 'a'.repeat(257) },
    level: { alarm_level: 5 },
    period: { condition: { ...good.condition, period: 60 } },
    filter: { condition: { ...good.condition, filter: 'mean' } },
    operator: { condition: { ...good.condition, comparison_operator: '=>' } },
    count: { condition: { ...good.condition, count: 6 } },
    suppression: { condition: { ...good.condition, suppress_duration: 60 } },
    value: { condition: { ...good.condition, value: '90' } },
    namespace: { metric: { ...good.metric, namespace: 'RDS' } },
    'no actions': { alarm_action_enabled: true },
    'unequal actions': {
      alarm_action_enabled: true,
      alarm_actions: topics(TOPIC),
      ok_actions: topics(`${TOPIC}2`),
    },
    'too many topics': { alarm_actions: topics(...Array(6).fill(TOPIC)) },
    'no topic': { alarm_actions: topics('shop') },
  };
  for (const [name, changes] of Object.entries(bad))
    t.match(
      await ces('POST', '/alarms', { ...good, ...changes }),
      { status: 400, body: { http_code: '400', message: { code: 'ces.0014' } } },
      name,
    );
  const ids = [await create(good), await create(good)];
  t.match(ids, [/^al\d{13}\w{9}$/, /^al\d{13}\w{9}$/]);
  t.not(ids[0], ids[1]);
  const told = {
    ...good,
    alarm_action_enabled: true,
    alarm_actions: topics(TOPIC),
    ok_actions: topics(TOPIC),
  };
  const id = await create(told);
  t.match((await ces('GET', `/alarms/${id}`)).body.metric_alarms, [
    {
      ...told,
      alarm_id: id,
      alarm_enabled: true,
      alarm_level: 2,
      alarm_type: String,
      alarm_state: 'insufficient_data',
      update_time: Number,
    },
  ]);
  t.match(await ces('POST', '/alarms', good), { status: 403, body: { message: { code: 'ces.0018' } } });
});

t.test('rules are changed, switched and deleted', async (t) => {
  const { build, ces, clock, create, load, stateOf } = await monitoredCloud();
  const dimension = { name: 'rds_cluster_id', value: await build() };
  await load(dimension.value, { cpu: 95 });
  const id = await create(rule(dimension));
  t.equal((await ces('PUT', `/alarms/${id}/action`, { alarm_enabled: false })).status, 204);
  clock.advance(20 * MINUTE);
  t.equal(await stateOf(id), 'insufficient_data', 'switched off');
  await ces('PUT', `/alarms/${id}/action`, { alarm_enabled: true });
  clock.advance(5 * MINUTE);
  t.equal(await stateOf(id), 'alarm', 'the data was there all the time');
  const condition = { ...rule(dimension).condition, value: 98 };
  t.equal((await ces('PUT', `/alarms/${id}`, { alarm_name: 'other', condition })).status, 204);
  clock.advance(5 * MINUTE);
  t.match((await ces('GET', `/alarms/${id}`)).body.metric_alarms, [
    { alarm_name: 'other', alarm_state: 'ok', condition: { value: 98 } },
  ]);
  t.equal((await ces('PUT', `/alarms/${id}`, { alarm_level: 9 })).status, 400);
  const removed = await ces('DELETE', `/alarms/${id}`);
  t.match(removed, { status: 204, text: '' });
  for (const [method, path, body] of [
    ['GET', `/alarms/${id}`],
    ['PUT', `/alarms/${id}`, {}],
    ['PUT', `/alarms/${id}/action`, { alarm_enabled: true }],
    ['DELETE', `/alarms/${id}`],
  ] as const)
    t.match(await ces(method, path, body), { status: 404, body: { message: { code: 'ces.0016' } } });
});

t.test('rules are listed newest first, in pages that go on after the last one', async (t) => {
  const { call, ces, clock, create } = await monitoredCloud();
  const ids: string[] = [];
  for (let n = 0; n < 7; n++) {
    ids.unshift(await create(rule({ name: 'rds_cluster_id', value: 'x' })));
    clock.advance(1_000);
  }
  const idsOf = ({ body }: Json) => body.metric_alarms.map(({ alarm_id }: Json) => alarm_id);
  const first = await ces('GET', '/alarms?limit=3');
  t.match(first.body.meta_data, { count: 3, total: 7, marker: ids[2] });
  const second = await ces('GET', `/alarms?limit=3&start=${ids[2]}`);
  const third = await ces('GET', `/alarms?limit=3&start=${ids[5]}`);
  t.same([...idsOf(first), ...idsOf(second), ...idsOf(third)], ids);
  t.same(idsOf(await ces('GET', '/alarms?order=asc')), ids.toReversed());
  for (const query of ['limit=0', 'limit=101', 'order=odd', 'start=al0'])
    t.equal((await ces('GET', `/alarms?${query}`)).status, 400, query);
  t.match(await call('GET', `/ces/V1.0/${OTHER_PROJECT.id}/alarms`), {
    status: 403,
    body: { message: { code: 'ces.0017' } },
  });
  const { body } = await call('GET', '/_sim/calls');
  t.equal(body.ces['POST /V1.0/{project}/alarms'], 7);
  await call('POST', '/_sim/faults', { match: { service: 'ces', method: 'GET' }, kind: '429' });
  t.equal((await ces('GET', '/alarms')).status, 429);
});

t.test('speed makes periods shorter, stamps stay real', async (t) => {
  const { build, ces, clock, create, load, stateOf } = await monitoredCloud({ speed: 60 });
  const id = await build();
  await load(id, { disk: 92 });
  const alarm = await create(rule({ name: 'rds_cluster_id', value: id }, { metric: 'rds039_disk_util' }));
  clock.advance(15_000);
  t.equal(await stateOf(alarm), 'alarm', 'three periods of 300 s in 15 s');
  const { metric_alarms } = (await ces('GET', `/alarms/${alarm}`)).body;
  t.equal(metric_alarms[0].update_time, clock.now());
});

t.test('an alarm may be judged later than its period ends', async (t) => {
  const { build, clock, create, load, stateOf } = await monitoredCloud({ alarmDelayMs: 2 * MINUTE });
  const id = await build();
  await load(id, { cpu: 95 });
  const alarm = await create(rule({ name: 'rds_cluster_id', value: id }, { condition: { count: 1 } }));
  clock.advance(6 * MINUTE);
  t.equal(await stateOf(alarm), 'ok', 'what was before the load');
  clock.advance(MINUTE);
  t.equal(await stateOf(alarm), 'alarm');
});

t.test('no body, query or id makes CES fail', async (t) => {
  const { build, call, create } = await monitoredCloud();
  const value = await build();
  const good = rule({ name: 'rds_cluster_id', value });
  const ids = [await create(good), '__proto__', 'constructor', '%', 'x'];
  const json = fc.letrec((tie) => ({
    value: fc.oneof(
      { maxDepth: 4 },
      fc.constantFrom(
        null,
        true,
        0,
        -1,
        1.5,
        '',
        '300',
        'average',
        'SYS.RDS',
        '__proto__',
        good,
        good.metric,
      ),
      fc.array(tie('value'), { maxLength: 3 }),
      fc.dictionary(
        fc.constantFrom(...Object.keys(good), 'metrics', 'from', 'to', '__proto__'),
        tie('value'),
      ),
    ),
  })).value;
  const query = fc.dictionary(
    fc.constantFrom(
      'start',
      'limit',
      'order',
      'from',
      'to',
      'period',
      'filter',
      'dim.0',
      'namespace',
      'metric_name',
    ),
    fc.constantFrom('', '1', '-1', '300', 'average', `rds_cluster_id,${value}`, 'SYS.RDS', '%', '__proto__'),
  );
  const property = fc.asyncProperty(
    fc.constantFrom(...cesRoutes),
    fc.constantFrom(...ids),
    json,
    query,
    async (route, id, body, parameters) => {
      const path = route.template.replace('{project}', DEMO_PROJECT.id).replace('{id}', id);
      const search = new URLSearchParams(parameters).toString();
      const reply = await call(route.method, `/ces${path}?${search}`, JSON.stringify(body));
      t.ok(reply.status < 500 && (reply.status < 400 || reply.body), `${route.method} ${path}`);
    },
  );
  await fc.assert(property, { seed: 1, numRuns: 500 });
});
