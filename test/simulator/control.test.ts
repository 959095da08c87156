import t from 'tap';
import { MINUTE, testCloud } from './test-cloud.ts';

t.test('calls are counted per service by method and template', async (t) => {
  const { build, call, rds, simulator } = await testCloud();
  await build();
  await rds('GET', '/instances?limit=5');
  await rds('GET', '/instances');
  await rds('GET', '/nowhere');
  const { body } = await call('GET', '/_sim/calls');
  t.equal(body.rds['POST /v3/{project}/instances'], 1);
  t.equal(body.rds['GET /v3/{project}/instances'], 2);
  t.equal(body.rds['GET *'], 1);
  t.equal(body.iam['POST /v3/auth/tokens'], 1);
  t.equal(body.vpc['GET /v1/{project}/vpcs'], 1);
  t.strictSame(simulator.calls(), body);
});

t.test('faults are ordered, listed with their count, and cleared', async (t) => {
  const { call, rds } = await testCloud();
  const fault = {
    match: { service: 'rds', method: 'GET', path: '/v3/{project}/instances' },
    kind: '429',
    times: 2,
  };
  t.equal((await call('POST', '/_sim/faults', fault)).status, 200);
  t.equal((await rds('GET', '/instances')).status, 429);
  t.match((await call('GET', '/_sim/faults')).body.faults, [{ ...fault, fired: 1 }]);
  t.equal((await call('DELETE', '/_sim/faults')).status, 200);
  t.equal((await rds('GET', '/instances')).status, 200);
  for (const bad of [
    { kind: 'gremlin' },
    { kind: '429', times: 'many' },
    { kind: '429', match: { service: 'dns' } },
    {},
  ])
    t.equal((await call('POST', '/_sim/faults', bad)).status, 400);
  t.equal((await call('POST', '/_sim/faults', '[')).status, 400);
});

t.test('a disk at 97 percent makes the instance STORAGE FULL until it is enlarged', async (t) => {
  const { build, call, clock, rds, show, simulator } = await testCloud();
  const id = await build();
  t.match((await call('POST', '/_sim/load', { id, cpu: 80, mem: 70, disk: 97 })).body, {
    status: 'STORAGE FULL',
  });
  t.equal((await show(id)).status, 'STORAGE FULL');
  const resize = { resize_flavor: { spec_code: 'rds.mysql.n1.xlarge.2' } };
  t.match(await rds('POST', `/instances/${id}/action`, resize), {
    status: 409,
    body: { error_code: 'DBS.200316' },
  });
  t.equal((await rds('POST', `/instances/${id}/action`, { enlarge_volume: { size: 50 } })).status, 202);
  clock.advance(3 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  t.match(
    simulator.state.instances[0]?.load,
    { cpu: 80, mem: 70, disk: 77.6 },
    'the same data on a bigger disk',
  );
  await call('POST', '/_sim/load', { id, disk: 99 });
  await call('POST', '/_sim/load', { id, disk: null });
  t.equal((await show(id)).status, 'ACTIVE');
  t.equal((await call('POST', '/_sim/load', { id, disk: 101 })).status, 400);
  t.equal((await call('POST', '/_sim/load', { id: 'none' })).status, 400);
});

t.test('a reset clears databases, faults and counts, but no token', async (t) => {
  const { build, call, rds, simulator } = await testCloud();
  await build();
  simulator.faults.add({ kind: '503', times: 9, match: { path: '/none' } });
  t.equal((await call('POST', '/_sim/reset')).status, 200);
  t.strictSame((await call('GET', '/_sim/calls')).body, {});
  t.strictSame(simulator.state.instances, []);
  t.strictSame(simulator.state.backups, []);
  t.strictSame(simulator.faults.list(), []);
  t.equal((await rds('GET', '/instances')).body.total_count, 0);
});

t.test('oracles see instances without passwords, backups and events', async (t) => {
  const { build, call } = await testCloud();
  const id = await build();
  const { instances } = (await call('GET', '/_sim/instances')).body;
  t.match(instances, [{ id, name: 'shop_db', status: 'ACTIVE' }]);
  t.notOk('password' in instances[0]);
  t.match((await call('GET', '/_sim/events')).body.events, [{ kind: 'create' }, { kind: 'built' }]);
  t.equal((await call('GET', '/_sim/backups')).body.backups.length, 1);
  t.equal((await call('GET', '/_sim/nothing')).status, 404);
});

t.test('every answer has the cloud’s time and a request id', async (t) => {
  const { call, rds } = await testCloud();
  for (const reply of [
    await rds('GET', '/instances'),
    await rds('GET', '/nowhere'),
    await call('GET', '/_sim/calls'),
  ]) {
    t.equal(reply.headers.date, 'Wed, 01 Jan 2025 10:00:00 GMT');
    t.ok(reply.headers['x-request-id']);
  }
});
