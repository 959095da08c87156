import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { createWorld, HOUR, MINUTE } from '../support/world.ts';
import { ACT, autopilotWorld, BASE } from './autopilot-world.ts';

const ENGINES: { name: string; spec: RdsSpec; dimension: string }[] = [
  { name: 'MySQL', spec: ACT, dimension: 'rds_cluster_id' },
  {
    name: 'PostgreSQL with a standby',
    spec: {
      ...ACT,
      datastoretype: 'PostgreSQL',
      datastoreversion: '16',
      port: '5432',
      hamode: 'Ha',
      availabilityzone: 'eu-de-01,eu-de-02',
      flavorref: 'rds.pg.n1.large.2.ha',
    },
    dimension: 'postgresql_cluster_id',
  },
  {
    name: 'SQL Server',
    spec: {
      ...ACT,
      datastoretype: 'SQLServer',
      datastoreversion: '2019_SE',
      port: '1433',
      flavorref: 'rds.mssql.n1.large.2',
    },
    dimension: 'rds_cluster_sqlserver_id',
  },
];

for (const { name, spec, dimension } of ENGINES) {
  t.test(`three alarms on the instance as a whole: ${name}`, async (t) => {
    const world = await autopilotWorld(t, spec);
    const alarms = world.alarms();
    const uid = (await world.rds('shop'))?.metadata.uid;
    t.same(alarms.map((alarm) => alarm.name).sort(), [
      `rds-pilot-${uid}-cpu`,
      `rds-pilot-${uid}-disk`,
      `rds-pilot-${uid}-memory`,
    ]);
    for (const { metric } of alarms)
      t.same(metric.dimensions, [{ name: dimension, value: world.instance()?.id }]);
    t.same(alarms.map(({ metric }) => metric.name).sort(), [
      'rds001_cpu_util',
      'rds002_mem_util',
      'rds039_disk_util',
    ]);
    await world.wait(30);
    t.same(
      world.alarms().map(({ state }) => state),
      ['ok', 'ok', 'ok'],
      'and they get values',
    );
    t.equal((await world.status('shop')).alarms?.length, 3);
  });
}

t.test('without the autopilot nobody asks for alarms', async (t) => {
  const world = await autopilotWorld(t, BASE);
  await world.wait(60);
  t.same(world.simulator.calls().ces ?? {}, {});
  t.equal((await world.status('shop')).autopilot, undefined);
});

t.test('what people change at an alarm is put right', async (t) => {
  const world = await autopilotWorld(t);
  const [first, second, third] = world.alarms();
  await world.ces('PUT', `/alarms/${first?.id}/action`, { alarm_enabled: false });
  await world.ces('DELETE', `/alarms/${third?.id}`);
  await world.ces('PUT', `/alarms/${second?.id}`, {
    condition: {
      period: 300,
      filter: 'average',
      comparison_operator: '>=',
      value: 10,
      unit: '%',
      count: 3,
      suppress_duration: 0,
    },
  });
  await world.wait(12);
  t.equal(world.alarms().length, 3);
  t.ok(world.alarms().every(({ isEnabled, condition }) => isEnabled && condition.value === 90));
  await world.apply('shop', {
    ...BASE,
    autopilot: { mode: 'Act', storage: { thresholdPercent: 80, maxGb: 100 } },
  });
  await world.wait(5);
  t.same(
    world
      .alarms()
      .map(({ name, condition }) => [name.replace(/.*-/, ''), condition.value])
      .sort(),
    [
      ['cpu', 90],
      ['disk', 80],
      ['memory', 90],
    ],
  );
});

t.test('of several alarms of one name the oldest stays', async (t) => {
  const world = await autopilotWorld(t);
  const [first] = world.alarms();
  await world.ces('POST', '/alarms', {
    alarm_name: first?.name,
    metric: {
      namespace: 'SYS.RDS',
      metric_name: first?.metric.name,
      dimensions: first?.metric.dimensions,
    },
    condition: { period: 300, filter: 'average', comparison_operator: '>=', value: 90, unit: '%', count: 3 },
    alarm_action_enabled: false,
  });
  t.equal(world.alarms().length, 4);
  await world.wait(5);
  t.equal(world.alarms().length, 3);
  t.ok(world.alarms().some(({ id }) => id === first?.id));
});

t.test('an alarm whose answer was lost is made once', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  for (const kind of ['timeout-after', '500-after'] as const)
    world.simulator.faults.add({
      match: { service: 'ces', method: 'POST', path: '/V1.0/{project}/alarms' },
      kind,
    });
  await world.apply('shop', ACT);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(20 * MINUTE);
  t.equal(world.simulator.state.alarms.length, 3);
  t.equal(world.simulator.calls().ces?.['POST /V1.0/{project}/alarms'], 3, 'no create was sent twice');
});

t.test('alarms go when the autopilot is switched off', async (t) => {
  const world = await autopilotWorld(t);
  await world.apply('shop', BASE);
  await world.wait(10);
  t.equal(world.alarms().length, 0);
  t.match(await world.told(), { status: 'False', reason: 'AutopilotOff' });
  t.match(await world.status('shop'), { autopilot: false, alarms: undefined });
  const before = world.simulator.calls().ces?.['GET /V1.0/{project}/alarms'];
  await world.wait(60);
  t.equal(world.simulator.calls().ces?.['GET /V1.0/{project}/alarms'], before, 'nobody asks any more');
});

t.test('off is told of the spec as it is, also when nobody had to look closer for it', async (t) => {
  const world = await autopilotWorld(t);
  await world.apply('shop', BASE);
  await world.wait(10);
  t.match(await world.told(), { reason: 'AutopilotOff' });
  await world.apply('shop', { ...BASE, deletionPolicy: 'Retain' });
  await world.wait(2);
  const { observedGeneration } = await world.status('shop');
  t.match(await world.told(), { reason: 'AutopilotOff', observedGeneration });
});

for (const deletionPolicy of ['Snapshot', 'Delete', 'Retain'] as const) {
  t.test(`alarms and topic go with their Rds (${deletionPolicy})`, async (t) => {
    const spec = { ...ACT, endpoint: 'https://alarms.example.com/', deletionPolicy };
    const world = await autopilotWorld(t, spec);
    t.equal(world.alarms().length, 3);
    t.equal((await world.topics()).length, 1);
    await world.remove('shop');
    t.ok(await world.isGone('shop'));
    t.equal(world.alarms().length, 0);
    t.equal((await world.topics()).length, 0);
  });
}

t.test('a topic goes with its Rds, also when the cloud once denies that there is one', async (t) => {
  const spec = { ...ACT, endpoint: 'https://alarms.example.com/', deletionPolicy: 'Delete' as const };
  const world = await autopilotWorld(t, spec);
  await world.wait(10);
  const match = {
    service: 'smn',
    method: 'DELETE',
    path: '/v2/{project}/notifications/topics/{urn}',
  } as const;
  world.simulator.faults.add({ match, kind: '404', times: 1 });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.equal((await world.topics()).length, 0);
});

t.test('a cloud that refuses to list alarms does not keep a delete for ever', async (t) => {
  const world = await autopilotWorld(t, { ...ACT, deletionPolicy: 'Delete' });
  world.simulator.faults.add({
    match: { service: 'ces', method: 'GET', path: '/V1.0/{project}/alarms' },
    kind: '403',
    times: 100_000,
  });
  await world.remove('shop');
  t.notOk(await world.isGone('shop', 40 * MINUTE));
  t.equal(world.instance(), undefined, 'the database itself is gone');
  t.match((await world.told('Progressing'))?.message, /alarms/);
  t.ok(await world.isGone('shop', HOUR));
});

t.test('alarms go when the instance is let go', async (t) => {
  const world = await autopilotWorld(t);
  await world.annotate('shop', { 'otc.mcsps.de/release': 'true' });
  await world.reaches('shop', 'Released');
  await world.wait(8);
  t.equal(world.alarms().length, 0);
  t.equal((await world.status('shop')).id, undefined);
  await world.annotate('shop', { 'otc.mcsps.de/release': null });
  await world.reaches('shop', 'Ready');
  await world.wait(5);
  t.equal(world.alarms().length, 3, 'and they come back with it');
});

t.test('a cloud without the right to alarms is told, and the database is managed on', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  world.simulator.faults.add({
    match: { service: 'ces', method: 'POST', path: '/V1.0/{project}/alarms' },
    kind: '403',
    times: 100_000,
  });
  await world.apply('shop', ACT);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * MINUTE);
  const { conditions } = await world.status('shop');
  t.match(
    conditions?.find(({ type }) => type === 'AutopilotReady'),
    { status: 'False', reason: 'CloudForbidden' },
  );
  await world.apply('shop', { ...ACT, volumesize: 60 });
  await world.clock.advance(10 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', volumeGb: 60 });
});

t.test('a fleet with the autopilot costs its shared pages and a little more', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  const fleet = 100;
  for (let index = 0; index < fleet; index += 1)
    await world.apply(`db-${index}`, { autopilot: { mode: 'Act' } });
  await world.reaches(`db-${fleet - 1}`, 'Ready');
  await world.clock.advance(12 * MINUTE);
  const cloudCalls = () =>
    Object.values(world.simulator.calls())
      .flatMap((routes) => Object.values(routes))
      .reduce((sum, count) => sum + count, 0);
  t.equal(world.simulator.state.alarms.length, 3 * fleet);
  const [before, calls] = [cloudCalls(), world.calls.length];
  await world.clock.advance(18 * MINUTE);
  const syncs = world.calls.length - calls;
  const perSync = (cloudCalls() - before) / syncs;
  t.comment(`${perSync.toFixed(4)} calls per sync (${syncs} syncs of ${fleet} Rds)`);
  t.ok(perSync <= 0.05, `${perSync}`);
});
