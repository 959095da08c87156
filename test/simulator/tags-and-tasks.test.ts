import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { MINUTE, testCloud } from './test-cloud.ts';

t.test('tags are added, overwritten, shown, searched and removed', async (t) => {
  const { build, call, rds, show } = await testCloud();
  const id = await build();
  const change = (action: string, ...tags: object[]) =>
    rds('POST', `/instances/${id}/tags/action`, { action, tags });
  t.match(await change('create', { key: 'team', value: 'a' }, { key: 'env', value: 'dev' }), {
    status: 200,
    text: '',
  });
  t.match(await change('create', { key: 'team', value: 'a' }), {
    status: 400,
    body: { error_code: 'DBS.200098' },
  });
  t.equal((await change('create', { key: 'team', value: 'b' })).status, 200);
  t.strictSame((await show(id)).tags, [
    { key: 'team', value: 'b' },
    { key: 'env', value: 'dev' },
  ]);
  t.match((await rds('GET', `/instances/${id}/tags`)).body.tags, [
    { key: 'team', value: 'b', tag_type: String },
    {},
  ]);
  t.strictSame((await rds('GET', '/tags')).body.tags, [
    { key: 'team', values: ['b'] },
    { key: 'env', values: ['dev'] },
  ]);
  t.equal((await rds('GET', '/instances?tags=team=b,env=dev')).body.total_count, 1);
  t.equal((await rds('GET', '/instances?tags=team=a')).body.total_count, 0);
  t.equal((await change('delete', { key: 'env' })).status, 200);
  t.equal((await show(id)).tags.length, 1);
  t.equal((await change('create', { key: 'x'.repeat(37), value: '' })).status, 400);
  t.equal((await change('create', { key: 'k', value: 'ü' })).status, 400);
  t.equal((await change('paint', { key: 'k', value: 'v' })).status, 400);
  const old = `/rds/v1/${DEMO_PROJECT.id}/rds/${id}/tags`;
  t.equal((await call('POST', old, { tag: { key: 'old', value: 'way' } })).status, 200);
  t.equal((await call('GET', old)).body.tags.length, 2);
  t.equal((await call('DELETE', old, { key: 'old' })).status, 200);
});

t.test('an instance has at most twenty tags', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  const tags = Array.from({ length: 21 }, (_, n) => ({ key: `k${n}`, value: 'v' }));
  t.match(await rds('POST', `/instances/${id}/tags/action`, { action: 'create', tags }), {
    status: 400,
    body: { error_code: 'DBS.200087' },
  });
});

t.test('the task list tells what was done to an instance and when', async (t) => {
  const { build, clock, rds } = await testCloud();
  const id = await build();
  await build({ name: 'other' });
  await rds('POST', `/instances/${id}/action`, { restart: {} });
  const list = async (query: string) => (await rds('GET', `/tasklist?${query}`)).body;
  const all = await list(`instance_id=${id}`);
  t.equal(all.total_count, 2);
  t.match(all.tasks, [
    {
      name: 'RestartMysqlInstance',
      status: 'Running',
      instance_status: 'REBOOTING',
      create_time: clock.now(),
    },
    {
      name: 'CreateMysqlSingleHAInstance',
      status: 'Completed',
      instance_id: id,
      instance_name: 'shop_db',
      fail_reason: '',
    },
  ]);
  t.equal((await list('status=Running')).total_count, 1);
  t.equal((await list(`start_time=${clock.now()}&end_time=${clock.now() + MINUTE}`)).total_count, 1);
  t.equal((await list('limit=1&offset=1')).tasks.length, 1);
  t.equal((await rds('GET', '/tasklist?limit=51')).status, 400);
});

t.test('a new job may be unknown for a while', async (t) => {
  const { clock, order, rds } = await testCloud({ jobLagMs: 10_000 });
  const { job_id } = (await rds('POST', '/instances', await order())).body;
  t.equal((await rds('GET', `/jobs?id=${job_id}`)).status, 400);
  clock.advance(10_000);
  t.equal((await rds('GET', `/jobs?id=${job_id}`)).status, 200);
});

t.test('the recycle bin keeps deleted instances for its days', async (t) => {
  const { build, clock, login, rds } = await testCloud();
  const id = await build();
  const set = (days: unknown) =>
    rds('PUT', '/instances/recycle-policy', { recycle_policy: { retention_period_in_days: days } });
  t.strictSame((await rds('GET', '/instances/recycle-policy')).body, { retention_period_in_days: 7 });
  t.strictSame((await set('2')).body, { result: 'success' });
  t.equal((await set(2)).status, 400, 'a string is needed');
  t.equal((await set('9')).status, 400);
  await rds('DELETE', `/instances/${id}`);
  clock.advance(MINUTE);
  t.equal((await rds('GET', '/recycle-instances?offset=0&limit=50')).body.total_count, 1);
  clock.advance(2 * 24 * 60 * MINUTE + 1);
  await login();
  t.equal((await rds('GET', '/recycle-instances')).body.total_count, 0);
});
