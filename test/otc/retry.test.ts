import fc from 'fast-check';
import t from 'tap';
import { RetryableError } from '../../src/errors.ts';
import type { Cloud } from '../../src/otc/cloud.ts';
import type { Observation } from '../../src/otc/observe.ts';
import { SendError } from '../../src/otc/send.ts';
import {
  createRoute,
  createScripted,
  failure,
  instancesRoute,
  newInstance,
  tokenRoute,
} from './scripted-cloud.ts';

const noInstances = { body: { instances: [], total_count: 0 } };

for (const status of [429, 502, 503, 504]) {
  t.test(`a read answered with ${status} is tried again`, async (t) => {
    const cloud = createScripted({ [instancesRoute]: (_, n) => (n < 3 ? { status } : noInstances) });
    t.equal((await cloud.clock.run(cloud.open().findInstanceById('a'))).value, undefined);
    t.equal(cloud.count(instancesRoute), 3);
  });
}

t.test('a read is tried again after a lost connection', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (_, n) => {
      if (n === 1) throw new SendError('CONNECTION', 'reset');
      return noInstances;
    },
  });
  await cloud.clock.run(cloud.open().findInstanceById('a'));
  t.equal(cloud.count(instancesRoute), 2);
});

t.test('a read answered with 500 or 404 is not tried again', async (t) => {
  for (const status of [500, 404]) {
    const cloud = createScripted({ [instancesRoute]: () => ({ status }) });
    await failure(cloud.open().findInstanceById('a'));
    t.equal(cloud.count(instancesRoute), 1);
  }
});

t.test('a login is tried again, although it is a POST', async (t) => {
  const cloud = createScripted({
    [tokenRoute]: () => ({ status: 503 }),
    [instancesRoute]: () => noInstances,
  });
  await cloud.clock.run(failure(cloud.open().findInstanceById('a')));
  t.equal(cloud.count(tokenRoute), 4);
});

t.test('the pauses grow, with full jitter', async (t) => {
  for (const random of [0, 0.25, 0.999]) {
    const times: number[] = [];
    const cloud = createScripted(
      {
        [instancesRoute]: () => {
          times.push(cloud.clock.now());
          return { status: 503 };
        },
      },
      { random: () => random },
    );
    await cloud.clock.run(failure(cloud.open().findInstanceById('a')));
    const pauses = times.slice(1).map((time, n) => Math.round(time - (times[n] ?? 0)));
    t.same(
      pauses,
      [500, 1_000, 2_000].map((most) => Math.round(random * most)),
    );
  }
});

t.test('no pause leads beyond the budget: the last answer is handed on', async (t) => {
  const cloud = createScripted(
    { [instancesRoute]: () => ({ status: 503, headers: { 'retry-after': '2' } }) },
    { random: () => 1 },
  );
  const startedAt = cloud.clock.now();
  const error = await cloud.clock.run(failure(cloud.open(3_000).findInstanceById('a')));
  t.match(error, { code: 'HTTP_503', retryAfterSeconds: 2 });
  t.equal(cloud.count(instancesRoute), 2);
  t.ok(cloud.clock.now() - startedAt <= 3_000);
});

t.test('a long pause that the cloud asks for is left to the next hook call', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: () => ({ status: 503, headers: { 'retry-after': '3' } }),
  });
  const startedAt = cloud.clock.now();
  const error = await cloud.clock.run(failure(cloud.open().findInstanceById('a')));
  t.match(error, { code: 'HTTP_503', retryAfterSeconds: 3 });
  t.equal(cloud.count(instancesRoute), 1);
  t.equal(cloud.clock.now(), startedAt);
});

t.test('each attempt gets the rest of the budget, at most eight seconds', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: async (request) => {
      await cloud.clock.sleep(request.deadlineMs);
      throw new SendError('TIMEOUT', 'late');
    },
  });
  await cloud.clock.run(failure(cloud.open(10_000).findInstanceById('a')));
  const deadlines = cloud.calls
    .filter(({ service }) => service === 'rds')
    .map(({ deadlineMs }) => deadlineMs);
  t.equal(deadlines[0], 8_000);
  t.ok((deadlines[1] ?? 0) < 2_000);
});

t.test('without any budget nothing is sent', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: () => noInstances,
    [createRoute]: () => ({ status: 202 }),
  });
  t.match(await failure(cloud.open(0).createInstance(newInstance)), { code: 'BUDGET', outcome: 'refused' });
  t.match(await failure(cloud.open(0).snapshot(60)), { code: 'BUDGET' });
  t.equal(cloud.calls.length, 0, 'not even a login');
  await cloud.open().findInstanceById('a');
  const before = cloud.calls.length;
  const error = await failure(cloud.open(0).findInstanceById('a'));
  t.ok(error instanceof RetryableError);
  t.match(error, { code: 'BUDGET', outcome: 'refused' });
  t.match(
    await failure(cloud.open(400).createInstance(newInstance)),
    { code: 'BUDGET' },
    'too little for a write',
  );
  t.equal(cloud.calls.length, before);
});

const writes: Record<string, (cloud: Cloud) => Promise<unknown>> = {
  [createRoute]: (cloud) => cloud.createInstance(newInstance),
  'DELETE /v3/{project}/instances/{id}': (cloud) => cloud.deleteInstance('i'),
  'POST /v3/{project}/backups': (cloud) =>
    cloud.createBackup({ instanceId: 'i', name: 'b', description: '' }),
  'POST /v3/{project}/instances/{id}/action': (cloud) => cloud.restartInstance('i'),
  'POST /v3/{project}/instances/{id}/tags/action': (cloud) => cloud.tagInstance('i', { a: 'b' }),
};

t.test('no write goes out twice, whatever the cloud answers (401 aside)', async (t) => {
  const answers = fc.oneof(
    fc.integer({ min: 200, max: 599 }).filter((status) => status !== 401),
    fc.constantFrom('TIMEOUT' as const, 'CONNECTION' as const),
  );
  await fc.assert(
    fc.asyncProperty(fc.constantFrom(...Object.keys(writes)), answers, async (route, reply) => {
      const cloud = createScripted({
        [route]: () => {
          if (typeof reply === 'string') throw new SendError(reply, 'lost');
          return { status: reply, headers: { 'retry-after': '1' } };
        },
      });
      await cloud.clock.run(Promise.allSettled([writes[route]?.(cloud.open())]));
      return cloud.count(route) === 1;
    }),
    { numRuns: 300 },
  );
  t.pass();
});

t.test('every request that left is observed, with its route and not its ids', async (t) => {
  const seen: Observation[] = [];
  const cloud = createScripted(
    {
      [instancesRoute]: async (_, n) => {
        await cloud.clock.sleep(40);
        if (n === 1) throw new SendError('CONNECTION', 'reset');
        if (n === 2) throw new TypeError('a bug');
        return noInstances;
      },
    },
    { observe: (observation) => seen.push(observation) },
  );
  await cloud.clock.run(failure(cloud.open().findInstanceById('a')));
  const read = { service: 'rds', method: 'GET', route: '/v3/{project}/instances', durationMs: 40 };
  t.same(seen, [
    { service: 'iam', method: 'POST', route: '/v3/auth/tokens', status: 201, code: undefined, durationMs: 0 },
    { ...read, status: undefined, code: 'CONNECTION' },
    { ...read, status: undefined, code: 'ERROR' },
  ]);
});
