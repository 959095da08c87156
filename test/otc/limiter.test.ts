import t from 'tap';
import { RetryableError } from '../../src/errors.ts';
import { createScripted, credentials, failure, instancesRoute } from './scripted-cloud.ts';

const noInstances = { body: { instances: [], total_count: 0 } };

t.test('after a burst of twenty, ten calls a second go out', async (t) => {
  const times: number[] = [];
  const cloud = createScripted({
    [instancesRoute]: () => {
      times.push(cloud.clock.now());
      return noInstances;
    },
  });
  const startedAt = cloud.clock.now();
  const many = Array.from({ length: 49 }, (_, n) => cloud.open().findInstanceById(`id-${n}`));
  await cloud.clock.run(Promise.all(many));
  const offsets = times.map((time) => time - startedAt);
  t.equal(offsets.filter((offset) => offset === 0).length, 19, 'the login took one of the burst');
  t.equal(offsets.at(-1), 3_000);
});

t.test('the bucket fills again', async (t) => {
  const cloud = createScripted({ [instancesRoute]: () => noInstances });
  await Promise.all(Array.from({ length: 19 }, () => cloud.open().findInstanceById('a')));
  await cloud.clock.advance(10_000);
  const startedAt = cloud.clock.now();
  await Promise.all(Array.from({ length: 20 }, () => cloud.open().findInstanceById('a')));
  t.equal(cloud.clock.now(), startedAt);
});

t.test('a call that would wait beyond its budget fails at once and is not sent', async (t) => {
  const cloud = createScripted({ [instancesRoute]: () => noInstances });
  const many = Array.from({ length: 60 }, () => cloud.open(30_000).findInstanceById('a'));
  await cloud.clock.advance(0);
  const error = await failure(cloud.open(2_000).findInstanceById('hasty'));
  t.ok(error instanceof RetryableError);
  t.match(error, { code: 'THROTTLED', outcome: 'refused', retryAfterSeconds: 5 });
  await cloud.clock.run(Promise.all(many));
  t.notOk(cloud.calls.some(({ url }) => url.includes('hasty')));
});

t.test('a 429 with Retry-After holds back every call of the same credentials, and no other', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: ({ url }) =>
      url.includes('first') ? { status: 429, headers: { 'retry-after': '20' } } : noInstances,
  });
  const other = { ...credentials, username: 'other' };
  await cloud.open(15_000, other).findInstanceById('a');
  t.match(await failure(cloud.open().findInstanceById('first')), { code: 'HTTP_429', retryAfterSeconds: 20 });
  t.match(await failure(cloud.open().findInstanceById('second')), {
    code: 'THROTTLED',
    retryAfterSeconds: 20,
  });
  await cloud.open(15_000, other).findInstanceById('a');
  await cloud.clock.advance(10_000);
  t.match(
    await failure(cloud.open().findInstanceById('third')),
    { code: 'THROTTLED', retryAfterSeconds: 10 },
    'a long pause is not waited for: the caller holds a worker that others need',
  );
  await cloud.clock.advance(8_500);
  const startedAt = cloud.clock.now();
  await cloud.clock.run(cloud.open().findInstanceById('fourth'));
  t.equal(cloud.clock.now() - startedAt, 1_500, 'a short one is');
});

t.test('a pause that begins while a call waits counts for it too', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: async ({ url }) => {
      if (!url.includes('first')) return noInstances;
      await cloud.clock.sleep(50);
      return { status: 429, headers: { 'retry-after': '20' } };
    },
  });
  const first = failure(cloud.open().findInstanceById('first'));
  const burst = Array.from({ length: 18 }, () => cloud.open().findInstanceById('a'));
  const waiting = failure(cloud.open().findInstanceById('waiting'));
  t.match(await cloud.clock.run(waiting), { code: 'THROTTLED' });
  t.match(await cloud.clock.run(first), { code: 'HTTP_429' });
  await Promise.all(burst);
});

t.test('there is no burst after a 429', async (t) => {
  const times: number[] = [];
  const cloud = createScripted({
    [instancesRoute]: ({ url }) => {
      times.push(cloud.clock.now());
      return url.includes('first') ? { status: 429, headers: { 'retry-after': '20' } } : noInstances;
    },
  });
  await failure(cloud.open().findInstanceById('first'));
  await cloud.clock.advance(20_000);
  times.length = 0;
  await cloud.clock.run(Promise.all([1, 2, 3].map((n) => cloud.open().findInstanceById(`id-${n}`))));
  t.same(
    times.map((time) => time - (times[0] ?? 0)),
    [0, 100, 200],
  );
});

t.test('the rate is a setting', async (t) => {
  const cloud = createScripted(
    { [instancesRoute]: () => noInstances },
    { limits: { callsPerSecond: 1, burst: 1 } },
  );
  const startedAt = cloud.clock.now();
  await cloud.clock.run(Promise.all([1, 2].map(() => cloud.open().findInstanceById('a'))));
  t.equal(cloud.clock.now() - startedAt, 2_000);
});
