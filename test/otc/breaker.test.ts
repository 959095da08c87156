import t from 'tap';
import { RetryableError } from '../../src/errors.ts';
import { SendError } from '../../src/otc/send.ts';
import { createScripted, credentials, failure, instancesRoute, newInstance } from './scripted-cloud.ts';

const noInstances = { body: { instances: [], total_count: 0 } };

/** A cloud that does not answer while `hangs`. */
function hangingCloud() {
  const state = { hangs: true };
  const cloud = createScripted({
    [instancesRoute]: async (request) => {
      if (!state.hangs) return noInstances;
      await cloud.clock.sleep(request.deadlineMs);
      throw new SendError('TIMEOUT', 'late');
    },
  });
  const ask = (id: string) => failure(cloud.open().findInstanceById(id));
  return { state, cloud, ask };
}

t.test('a cloud that hangs is soon asked by one call at a time; the others fail at once', async (t) => {
  const { state, cloud, ask } = hangingCloud();
  await cloud.clock.run(Promise.all([ask('a'), ask('b')]));
  const sentBefore = cloud.count(instancesRoute);
  t.equal(sentBefore, 4, 'two attempts fit into the time of a hook call');
  const startedAt = cloud.clock.now();
  const error = await ask('c');
  t.ok(error instanceof RetryableError);
  t.match(error, { code: 'NO_ANSWER', outcome: 'refused', retryAfterSeconds: 10 });
  t.match(await failure(cloud.open().createInstance(newInstance)), { code: 'NO_ANSWER', outcome: 'refused' });
  t.equal(cloud.clock.now(), startedAt, 'nobody waited');
  t.equal(cloud.count(instancesRoute), sentBefore);

  await cloud.clock.advance(10_000);
  const probe = ask('d');
  await cloud.clock.advance(0);
  t.match(await ask('e'), { code: 'NO_ANSWER' }, 'one at a time finds out');
  await cloud.clock.run(probe);

  state.hangs = false;
  await cloud.clock.advance(10_000);
  await cloud.clock.run(cloud.open().findInstanceById('f'));
  await cloud.clock.run(cloud.open().findInstanceById('g'));
});

t.test('another account and another service are not concerned', async (t) => {
  const { cloud, ask } = hangingCloud();
  await cloud.clock.run(Promise.all([ask('a'), ask('b')]));
  const other = { ...credentials, username: 'other' };
  t.match(await cloud.clock.run(failure(cloud.open(15_000, other).findInstanceById('a'))), {
    code: 'TIMEOUT',
  });
  t.match(await failure(cloud.open().securityGroup('default')), { code: /^(?!NO_ANSWER)/ });
});
