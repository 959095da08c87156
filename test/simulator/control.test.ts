import t from 'tap';
import { MINUTE, passwordAuth, testCloud } from './test-cloud.ts';

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

t.test('any status can be put upon an instance, and stays', async (t) => {
  const { build, call, clock, rds, show } = await testCloud();
  const id = await build();
  const set = (status: unknown) => call('POST', `/_sim/instances/${id}`, { status });
  t.match(await set('FROZEN'), { status: 200, body: { id, status: 'FROZEN' } });
  clock.advance(60 * MINUTE);
  t.equal((await show(id)).status, 'FROZEN');
  for (const reply of [
    await rds('POST', `/instances/${id}/action`, { restart: {} }),
    await rds('POST', `/instances/${id}/action`, { enlarge_volume: { size: 50 } }),
    await rds('POST', `/instances/${id}/password`, { db_user_pwd: 'Neu-12345678' }),
    await rds('DELETE', `/instances/${id}`),
  ])
    t.match(reply, { status: 400, body: { error_code: 'DBS.280449' } });

  await set('FAILED');
  const resize = { resize_flavor: { spec_code: 'rds.mysql.n1.xlarge.2' } };
  t.match(await rds('POST', `/instances/${id}/action`, resize), {
    status: 400,
    body: { error_code: 'DBS.200086' },
  });
  await set('SHUTDOWN');
  t.equal((await rds('POST', `/instances/${id}/action/startup`, {})).status, 200);
  clock.advance(10 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  await set('MIGRATING');
  clock.advance(60 * MINUTE);
  t.match(await rds('DELETE', `/instances/${id}`), { status: 409, body: { error_code: 'DBS.200047' } });

  for (const bad of ['HAPPY', '', 7, 'constructor']) t.equal((await set(bad)).status, 400);
  t.equal((await call('POST', '/_sim/instances/none', { status: 'ACTIVE' })).status, 400);
  t.equal((await call('GET', `/_sim/instances/${id}`)).status, 404);
});

t.test('a status put upon a running operation ends it: its job and backup fail', async (t) => {
  const { call, clock, order, rds, show, build } = await testCloud();
  const { body } = await rds('POST', '/instances', await order());
  await call('POST', `/_sim/instances/${body.instance.id}`, { status: 'CREATE FAIL' });
  clock.advance(10 * MINUTE);
  t.match(await show(body.instance.id), { status: 'CREATE FAIL', private_ips: [] });
  t.equal((await rds('GET', `/jobs?id=${body.job_id}`)).body.job.status, 'Failed');
  const id = await build();
  await rds('POST', '/backups', { instance_id: id, name: 'good' });
  await call('POST', `/_sim/instances/${id}`, { status: 'ACTIVE' });
  clock.advance(10 * MINUTE);
  const { backups } = (await rds('GET', `/backups?instance_id=${id}&backup_type=manual`)).body;
  t.match(backups, [{ status: 'FAILED' }]);
  t.equal((await show(id)).status, 'ACTIVE');
});

t.test('a locked user cannot log in, a disabled one loses what he has', async (t) => {
  const { call, rds, simulator } = await testCloud();
  const login = () => call('POST', '/v3/auth/tokens', passwordAuth());
  t.same((await call('GET', '/_sim/user')).body, { state: 'active' });
  t.equal((await call('POST', '/_sim/user', { state: 'locked' })).status, 200);
  t.match(await login(), { status: 401, body: { error: { code: 401, message: /locked/ } } });
  t.equal((await rds('GET', '/instances')).status, 200, 'his token goes on');
  await call('POST', '/_sim/user', { state: 'console-only' });
  t.match(await login(), { status: 403, body: { error: { code: 403, title: 'Forbidden' } } });
  await call('POST', '/_sim/user', { state: 'disabled' });
  t.match(await login(), { status: 403, body: { error: { message: /disabled/ } } });
  t.match(await rds('GET', '/instances'), { status: 401, body: { error_code: 'APIGW.0301' } });
  simulator.load(simulator.save());
  t.equal((await login()).status, 403, 'also after a restart');
  await call('POST', '/_sim/user', { state: 'active' });
  t.equal((await login()).status, 201);
  for (const bad of [{ state: 'sleepy' }, {}, { state: 1 }])
    t.equal((await call('POST', '/_sim/user', bad)).status, 400);
});

t.test('with a rate, calls beyond it get 429 and when to come back', async (t) => {
  const { call, clock, rds } = await testCloud({ ratePerSecond: 2 });
  clock.advance(1000);
  t.equal((await rds('GET', '/instances')).status, 200);
  t.equal((await rds('GET', '/instances')).status, 200);
  t.match(await rds('GET', '/instances'), {
    status: 429,
    headers: { 'retry-after': '1' },
    body: { error_code: 'APIGW.0308' },
  });
  t.match(await call('POST', '/v3/auth/tokens', passwordAuth()), {
    status: 429,
    body: { error: { code: 429 } },
  });
  t.equal((await call('GET', '/_sim/calls')).status, 200, 'controls are free');
  clock.advance(500);
  t.equal((await rds('GET', '/instances')).status, 200);
  t.equal((await rds('GET', '/instances')).status, 429);
  const slow = await testCloud({ ratePerSecond: 0.25 });
  t.equal((await slow.rds('GET', '/instances')).headers['retry-after'], '4');
});
