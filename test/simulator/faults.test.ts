import t from 'tap';
import { type OtcRequest, SendError } from '../../src/otc/send.ts';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { type Json, MINUTE, testCloud } from './test-cloud.ts';

const creates = { service: 'rds', method: 'POST', path: '/v3/{project}/instances' } as const;
const lists = { service: 'rds', method: 'GET', path: '/v3/{project}/instances' } as const;

/** A cloud, and a way to send through its `Send` as the client of the project does. */
async function faultyCloud() {
  const cloud = await testCloud();
  const token = await cloud.login();
  const send = (method: 'GET' | 'POST', path: string, body?: unknown) =>
    cloud.simulator.send({
      service: 'rds',
      method,
      url: `https://rds.eu-de.otc.t-systems.com/rds/v3/${DEMO_PROJECT.id}${path}`,
      route: `/v3/{project}${path}`,
      headers: { 'X-Auth-Token': token },
      body: body === undefined ? undefined : JSON.stringify(body),
      deadlineMs: 8_000,
    } satisfies OtcRequest);
  const create = async () => send('POST', '/instances', await cloud.order());
  return { ...cloud, send, create };
}

t.test('without faults, send answers like handle does', async (t) => {
  const { create, send } = await faultyCloud();
  t.equal((await create()).status, 202);
  const list = await send('GET', '/instances');
  t.equal(list.status, 200);
  t.equal(list.headers.date, 'Wed, 01 Jan 2025 10:00:00 GMT');
  t.equal(JSON.parse(list.body).total_count, 1);
});

const losses: [
  kind: 'timeout-before' | 'timeout-after' | 'connection',
  code: string,
  instances: number,
  waitedMs: number,
][] = [
  ['timeout-before', 'TIMEOUT', 0, 8_000],
  ['timeout-after', 'TIMEOUT', 1, 8_000],
  ['connection', 'CONNECTION', 0, 0],
];

for (const [kind, code, instances, waitedMs] of losses)
  t.test(`${kind} loses the answer; ${instances} instance(s) exist afterwards`, async (t) => {
    const { clock, create, simulator } = await faultyCloud();
    simulator.faults.add({ match: creates, kind });
    const before = clock.now();
    await t.rejects(create(), { name: 'SendError', code });
    t.equal(clock.now() - before, waitedMs);
    t.equal(simulator.state.instances.length, instances);
    t.equal((await create()).status, 202, 'it strikes once');
    t.equal(simulator.faults.list()[0]?.fired, 1);
  });

t.test('late: the answer is lost at once and the effect comes later', async (t) => {
  const { clock, create, simulator } = await faultyCloud();
  simulator.faults.add({ match: creates, kind: 'late', lateMs: 45_000 });
  await t.rejects(create(), { code: 'CONNECTION' });
  clock.advance(44_999);
  t.equal(simulator.state.instances.length, 0);
  clock.advance(1);
  t.equal(simulator.state.instances.length, 1);
  clock.advance(6 * MINUTE);
  t.equal(simulator.state.instances[0]?.status, 'ACTIVE', 'counted from when it took effect');
});

t.test('500-before has no effect, 500-after has', async (t) => {
  const { create, simulator } = await faultyCloud();
  simulator.faults.add({ match: creates, kind: '500-before' });
  simulator.faults.add({ match: creates, kind: '500-after' });
  const first = await create();
  t.equal(first.status, 500);
  t.match(JSON.parse(first.body), { error_code: 'DBS.200005' });
  t.equal(simulator.state.instances.length, 0);
  t.equal((await create()).status, 500);
  t.equal(simulator.state.instances.length, 1);
});

t.test('refusals come in the shape of the service, and change nothing', async (t) => {
  const { call, create, rds, simulator } = await faultyCloud();
  const wanted = {
    '401': 'APIGW.0301',
    '403': 'DBS.200044',
    '404': 'DBS.200002',
    '409': 'DBS.200047',
    '503': 'APIGW.0613',
  } as const;
  for (const [kind, code] of Object.entries(wanted)) {
    simulator.faults.add({ match: creates, kind: kind as keyof typeof wanted });
    const reply = await create();
    t.equal(reply.status, Number(kind));
    t.match(JSON.parse(reply.body), { error_code: code });
  }
  t.equal(simulator.state.instances.length, 0);
  simulator.faults.add({ match: { service: 'rds' }, kind: '429', retryAfterSeconds: 7 });
  t.match(await rds('GET', '/instances'), {
    status: 429,
    headers: { 'retry-after': '7' },
    body: { error_code: 'APIGW.0308' },
  });
  simulator.faults.add({ kind: '429-no-header' });
  t.notOk('retry-after' in (await rds('GET', '/instances')).headers);
  simulator.faults.add({ match: { service: 'iam' }, kind: '401' });
  t.equal((await rds('GET', '/instances')).status, 200, 'meant for another service');
  t.match(await call('GET', '/v3/projects'), { status: 401, body: { error: { code: 401 } } });
  simulator.faults.add({ match: { service: 'vpc' }, kind: '500-before' });
  t.match(await call('GET', '/vpc/v2.0/networks'), { status: 500, body: { NeutronError: {} } });
});

t.test('slow waits, and beyond the deadline it is a time-out', async (t) => {
  const { clock, create, send, simulator } = await faultyCloud();
  simulator.faults.add({ match: lists, kind: 'slow', delayMs: 3_000 });
  const before = clock.now();
  t.equal((await send('GET', '/instances')).status, 200);
  t.equal(clock.now() - before, 3_000);
  simulator.faults.add({ match: creates, kind: 'slow', delayMs: 20_000 });
  await t.rejects(create(), { code: 'TIMEOUT' });
  t.equal(clock.now() - before, 11_000);
  t.equal(simulator.state.instances.length, 1);
});

t.test('answers are truncated, emptied, or lose their rows', async (t) => {
  const { build, rds, simulator } = await faultyCloud();
  await build();
  const struck = async (kind: 'truncated' | 'empty' | 'missing-page' | 'empty-list') => {
    simulator.faults.add({ match: lists, kind });
    return rds('GET', '/instances');
  };
  t.equal((await struck('truncated')).body, undefined);
  t.match(await struck('empty'), { status: 200, text: '' });
  t.strictSame((await struck('missing-page')).body, { instances: [], total_count: 1 });
  t.strictSame((await struck('empty-list')).body, { instances: [], total_count: 0 });
  t.equal((await rds('GET', '/instances')).body.total_count, 1);
});

t.test('builds fail or never end', async (t) => {
  const { clock, create, rds, show, simulator } = await faultyCloud();
  simulator.faults.add({ kind: 'failed-build' });
  simulator.faults.add({ kind: 'stuck-build' });
  const failed = JSON.parse((await create()).body);
  const stuck = JSON.parse((await create()).body);
  clock.advance(60 * MINUTE);
  t.equal((await show(failed.instance.id)).status, 'CREATE FAIL');
  t.match((await rds('GET', `/jobs?id=${failed.job_id}`)).body.job, {
    status: 'Failed',
    fail_reason: String,
  });
  t.equal((await show(stuck.instance.id)).status, 'BUILD');
  t.equal((await rds('GET', `/jobs?id=${stuck.job_id}`)).body.job.status, 'Running');
  t.equal(
    (await rds('DELETE', `/instances/${failed.instance.id}`)).status,
    202,
    'a failed one can be removed',
  );
  t.equal((await rds('DELETE', `/instances/${stuck.instance.id}`)).status, 409);
});

t.test('a fault matches by template, prefix or glob, and as often as it was told', async (t) => {
  const { build, rds, simulator } = await faultyCloud();
  const id = await build();
  const strikes = async (path: string) => {
    simulator.faults.clear();
    simulator.faults.add({ match: { path }, kind: '503', times: 2 });
    const statuses = [];
    for (const target of [`/instances/${id}/tags`, '/instances', '/jobs?id=x'])
      statuses.push((await rds('GET', target)).status);
    return statuses;
  };
  t.strictSame(await strikes('/v3/{project}/instances'), [200, 503, 400]);
  t.strictSame(await strikes('/v3/{project}/instances/{id}/tags'), [503, 200, 400]);
  t.strictSame(await strikes(`/v3/${DEMO_PROJECT.id}/instances`), [503, 503, 400]);
  t.strictSame(await strikes(`/rds/v3/${DEMO_PROJECT.id}/jobs`), [200, 200, 503]);
  t.strictSame(await strikes('*/instances*'), [503, 503, 400]);
  t.strictSame(await strikes('*'), [503, 503, 400], 'twice in all');
});

t.test('a seeded fault strikes at random, but the same way each time', async (t) => {
  const run = async (seed: number) => {
    const { rds, simulator } = await faultyCloud();
    simulator.faults.add({ match: lists, kind: '503', times: 100, seed });
    const statuses = [];
    for (let n = 0; n < 20; n++) statuses.push((await rds('GET', '/instances')).status);
    return statuses.join();
  };
  const first = await run(5);
  t.match(first, /503/);
  t.match(first, /200/);
  t.equal(await run(5), first);
  t.not(await run(6), first);
});

t.test('handle throws the same errors, for servers to act on', async (t) => {
  const { rds, simulator } = await faultyCloud();
  simulator.faults.add({ kind: 'timeout-before' });
  const error: Json = await rds('GET', '/instances').catch((thrown: unknown) => thrown);
  t.ok(error instanceof SendError);
  t.equal(error.code, 'TIMEOUT');
});
