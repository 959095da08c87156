// Every way in which a log Job can end, and the credential that must be dead after it.

import t from 'tap';
import type { JobDeps } from '../../src/jobs/logs/run.ts';
import { credentialEndsAt, KEY_LIFE_SECONDS } from '../../src/rds/log-order.ts';
import { MINUTE, SECOND } from '../support/world.ts';
import { createLogWorld, GIVE_KEYS, type LogWorld } from './log-world.ts';

const KEY_LIFE = 18 * MINUTE;
const TOKENS = '/v3/auth/tokens';

type Checks = Pick<typeof t, 'ok' | 'notOk' | 'equal' | 'same'>;

/** A Job with a credential of the given form, just started. */
async function started(t: Parameters<typeof createLogWorld>[0], form: 'keys' | 'token', spec = {}) {
  const world = await createLogWorld(t);
  await world.ready('shop', spec);
  if (form === 'token') world.withoutKeys();
  await world.order('a');
  const job = await world.onlyJob();
  return { world, job, access: await world.accessOf(job.metadata.name) };
}

/** Dead, off the list, and its Secret gone; a token at once, keys when they expire. */
async function isOver(t: Checks, world: LogWorld, access: Awaited<ReturnType<LogWorld['accessOf']>>) {
  if (access.errorlog?.form === 'keys') {
    t.equal((await world.secrets()).length > 0, true, 'the Secret stays as long as its keys');
    await world.clock.advance(KEY_LIFE);
  }
  t.ok(await world.isRefused(access), 'the cloud refuses it');
  t.same((await world.journal()).credentials, []);
  t.notOk(
    (await world.secrets()).some(({ metadata }) => metadata.name.endsWith('-1')),
    'no Secret is left',
  );
}

for (const form of ['keys', 'token'] as const) {
  t.test(`${form}: the Job succeeds`, async (t) => {
    const { world, job, access } = await started(t, form);
    t.equal(access.slowlog?.form, form);
    t.notOk(await world.isRefused(access));
    await world.run(job);
    t.match((await world.status('shop')).logJob, { state: 'Succeeded', errorlog: { exitCode: 0 } });
    await isOver(t, world, access);
  });

  t.test(`${form}: a container is killed and leaves nothing`, async (t) => {
    const { world, job, access } = await started(t, form);
    await world.end(job, 'Failed', 'BackoffLimitExceeded');
    t.match((await world.status('shop')).logJob, { state: 'Failed', message: /could not be read/ });
    t.match(await world.logsCondition(), { status: 'False', reason: 'LogsFailed' });
    await isOver(t, world, access);
  });

  t.test(`${form}: the Job runs into its deadline`, async (t) => {
    const { world, job, access } = await started(t, form);
    await world.clock.advance(13 * MINUTE);
    await world.end(job, 'Failed', 'DeadlineExceeded');
    t.match((await world.status('shop')).logJob, { state: 'Failed', message: /did not end within 780 s/ });
    await isOver(t, world, access);
  });

  t.test(`${form}: nobody ever runs the Job`, async (t) => {
    const { world, access } = await started(t, form);
    await world.clock.advance(KEY_LIFE);
    t.match((await world.status('shop')).logJob, { state: 'Failed', message: /did not end before/ });
    t.ok(await world.isRefused(access));
    t.same(await world.secrets(), []);
  });

  t.test(`${form}: a newer order takes its place`, async (t) => {
    const { world, job, access } = await started(t, form);
    await world.order('b');
    const next = await world.onlyJob();
    t.not(next.metadata.name, job.metadata.name);
    const renewed = await world.accessOf(next.metadata.name);
    t.notSame(renewed, access, 'a credential of its own');
    if (form === 'token') t.ok(await world.isRefused(access), 'the old one is revoked at once');
    await world.run(next);
    t.match((await world.status('shop')).logJob, { name: next.metadata.name, state: 'Succeeded' });
    await world.clock.advance(KEY_LIFE);
    t.ok((await world.isRefused(access)) && (await world.isRefused(renewed)));
    t.same(await world.secrets(), []);
    t.same((await world.journal()).credentials, []);
  });

  for (const deletionPolicy of ['Delete', 'Retain'] as const) {
    t.test(`${form}: the Rds is deleted with ${deletionPolicy}`, async (t) => {
      const { world, access } = await started(t, form, { deletionPolicy });
      await world.remove('shop');
      t.ok(await world.isGone('shop', 10 * MINUTE), 'and need not wait for keys to expire');
      if (form === 'keys') await world.clock.advance(KEY_LIFE);
      t.ok(await world.isRefused(access));
      t.same(await world.secrets(), []);
      t.same(await world.jobs(), []);
    });
  }

  t.test(`${form}: the hook dies between the issue and the answer`, async (t) => {
    let dies: 'not yet' | 'now' | 'once' = 'not yet';
    const publish = () => {
      if (dies !== 'now') return;
      dies = 'once';
      throw new Error('killed');
    };
    const world = await createLogWorld(t, { deps: { publish } });
    await world.ready();
    if (form === 'token') world.withoutKeys();
    // Seen at the wire: from here on the hook holds a credential that its answer will not bring.
    const path = form === 'keys' ? GIVE_KEYS : TOKENS;
    world.onCloudCall(({ method, route }) => {
      if (method === 'POST' && route === path && dies === 'not yet') dies = 'now';
    });
    await world.order('a');
    t.equal(world.calls.filter(({ status }) => status === 500).length, 1, 'the answer never came');
    t.same(await world.secrets(), []);
    const [listed] = (await world.journal()).credentials ?? [];
    t.match(listed, { form }, 'but the journal knows');

    await world.clock.advance(6 * MINUTE);
    const job = await world.onlyJob();
    t.not(job.metadata.name, listed?.name, 'the next attempt has a name of its own');
    await world.run(job);
    t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
    await world.clock.advance(KEY_LIFE);
    t.same(world.simulator.state.accessKeys, [], 'no key lives');
    t.equal(world.simulator.state.tokens.length, 1, "and no token but the operator's own");
  });

  t.test(`${form}: the answer to the issue is lost`, async (t) => {
    const world = await createLogWorld(t);
    await world.ready();
    if (form === 'token') world.withoutKeys();
    world.failing('timeout-after', { method: 'POST', path: form === 'keys' ? GIVE_KEYS : TOKENS });
    await world.order('a');
    await world.clock.advance(20 * SECOND);
    t.same(await world.secrets(), []);
    t.equal((await world.journal()).credentials?.length, 1);
    await world.clock.advance(6 * MINUTE);
    await world.run(await world.onlyJob());
    t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
    await world.clock.advance(KEY_LIFE);
    t.same(world.simulator.state.accessKeys, []);
    // The one case that cannot be closed: a token that nobody holds lives unused for a day.
    t.equal(world.simulator.state.tokens.length, form === 'keys' ? 1 : 2);
  });
}

t.test('a token is revoked until IAM says so, and its Secret stays until then', async (t) => {
  const { world, job, access } = await started(t, 'token');
  world.failing('503', { method: 'DELETE' }, 1e6);
  await world.end(job, 'Failed', 'BackoffLimitExceeded');
  await world.clock.advance(5 * MINUTE);
  t.equal((await world.secrets()).length, 1);
  t.notOk(await world.isRefused(access));
  await world.order('b');
  t.equal((await world.jobs()).length, 1, 'a new order does not wait for that');
  world.simulator.faults.clear();
  await world.clock.advance(3 * MINUTE);
  t.ok(await world.isRefused(access));
  t.equal((await world.secrets()).length, 1, 'only the new one is left');
});

t.test('a delete waits for its token, and for nothing longer', async (t) => {
  const { world, access } = await started(t, 'token', { deletionPolicy: 'Retain' });
  world.failing('503', { method: 'DELETE' }, 1e6);
  await world.remove('shop');
  t.notOk(await world.isGone('shop', 5 * MINUTE));
  t.match(
    (await world.status('shop')).conditions?.find(({ type }) => type === 'Progressing'),
    {
      message: /token of a log Job/,
    },
  );
  world.simulator.faults.clear();
  t.ok(await world.isGone('shop', 5 * MINUTE));
  t.ok(await world.isRefused(access));
});

t.test('a delete waits one settle time for a token that nobody has seen', async (t) => {
  const world = await createLogWorld(t);
  await world.ready('shop', { deletionPolicy: 'Retain' });
  world.withoutKeys();
  world.failing('timeout-after', { method: 'POST', path: TOKENS });
  await world.order('a');
  await world.clock.advance(10 * SECOND);
  await world.remove('shop');
  t.notOk(await world.isGone('shop', 2 * MINUTE));
  t.ok(await world.isGone('shop', 6 * MINUTE));
});

t.test('one refusal of the cloud does not let a delete go with a token that lives', async (t) => {
  const { world, access } = await started(t, 'token', { deletionPolicy: 'Retain' });
  world.simulator.faults.add({ match: { service: 'rds', method: 'GET' }, kind: '403', times: 2 });
  await world.remove('shop');
  t.ok(await world.isGone('shop', 5 * MINUTE));
  t.ok(await world.isRefused(access));
});

t.test('a cloud that refuses for good holds a delete no longer than one settle time', async (t) => {
  const { world } = await started(t, 'token', { deletionPolicy: 'Retain' });
  world.simulator.faults.add({ match: { service: 'rds' }, kind: '403', times: 1e6 });
  await world.remove('shop');
  t.notOk(await world.isGone('shop', 3 * MINUTE));
  t.ok(await world.isGone('shop', 4 * MINUTE));
});

t.test(
  'the second token is refused and the first cannot be revoked: it goes out, and dies later',
  async (t) => {
    const world = await createLogWorld(t);
    await world.ready();
    world.withoutKeys();
    let logins = 0;
    world.onCloudCall(({ method, route }) => {
      if (method !== 'POST' || route !== TOKENS) return;
      logins += 1;
      if (logins === 2) world.failing('403', { method: 'POST', path: TOKENS });
      if (logins === 1) world.failing('503', { method: 'DELETE' }, 2);
    });
    await world.order('a');
    const job = await world.onlyJob();
    const access = await world.accessOf(job.metadata.name);
    t.same(access.errorlog, access.slowlog, 'one for both');
    t.notOk(await world.isRefused(access));
    await world.end(job, 'Failed', 'BackoffLimitExceeded');
    await world.clock.advance(MINUTE);
    t.ok(await world.isRefused(access));
    t.equal(world.simulator.state.tokens.length, 1, "no token lives but the operator's own");
  },
);

t.test('a note ends after whatever was issued under it, however late', async (t) => {
  // Start, pause, deadline and late effect of a call, as the settle time counts them.
  const latestSeconds = 20 + 12 + 8 + 60;
  t.ok(credentialEndsAt({ name: 'a', form: 'keys', at: 0 }) >= (latestSeconds + KEY_LIFE_SECONDS) * SECOND);
});

t.test('a token revoked in mid-run: said in the output and in status', async (t) => {
  const { world, job, access } = await started(t, 'token');
  const send: JobDeps['send'] = async (request) => {
    const answer = await world.simulator.send(request);
    const token = request.headers['x-auth-token'];
    if (request.service !== 'rds' || !token || answer.status !== 200) return answer;
    const headers = { host: '127.0.0.1:9090', 'x-auth-token': token, 'x-subject-token': token };
    await world.simulator.handle({ method: 'DELETE', url: TOKENS, headers });
    return { ...answer, body: twoPages(answer.body) };
  };
  const output = await world.run(job, { send });
  t.match(output.join('\n'), /refused in mid-run: it was revoked or has expired/);
  t.match((await world.status('shop')).logJob, {
    state: 'Failed',
    errorlog: { lines: 100, exitCode: 1, note: /refused in mid-run/ },
    message: /errorlog: The credential was refused in mid-run/,
  });
  t.ok(await world.isRefused(access));
});

/** A young database has few lines: its first becomes a page, of two. */
function twoPages(body: string): string {
  const page = JSON.parse(body) as Record<string, unknown>;
  const full = Object.entries(page).map(([key, value]) =>
    Array.isArray(value) ? [key, Array(100).fill(value[0])] : [key, 200],
  );
  return JSON.stringify(Object.fromEntries(full));
}

t.test('neither form to be had: said, with the code of the cloud', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  world.failing('403', { method: 'POST' }, 1e6);
  await world.order('a');
  await world.clock.advance(20 * SECOND);
  t.match((await world.status('shop')).logJob, {
    state: 'Failed',
    message: /gives no credential to a Job: HTTP_403/,
  });
  t.same((await world.journal()).credentials, [], 'nothing was issued');
  t.same(await world.secrets(), []);
});

t.test('an operator that signs with permanent keys says what it would need', async (t) => {
  const world = await createLogWorld(t);
  await world.secret('otc-credentials', {
    OS_AUTH_URL: 'http://127.0.0.1:9090/v3',
    OS_REGION_NAME: 'eu-de',
    OS_PROJECT_NAME: 'eu-de',
    OS_ACCESS_KEY: 'DEMOACCESSKEY0000001',
    OS_SECRET_KEY: 'demoSecretKey00000000000000000000000001A',
  });
  await world.ready();
  await world.order('a');
  t.match((await world.status('shop')).logJob, { state: 'Failed', message: /OS_USERNAME and OS_PASSWORD/ });
});
