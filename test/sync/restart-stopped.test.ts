// The cloud restarts only what runs: an order for a stopped database waits, and says so.

import t from 'tap';
import { condition, createWorld, MINUTE } from '../support/world.ts';

const SPEC = { flavorref: 'rds.mysql.c2.medium' };
const RESTART = 'otc.mcsps.de/restart';

t.test('a restart of a stopped instance comes once, when it is started again', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', SPEC);
  t.ok(await world.reaches('shop', 'Ready'));
  await world.apply('shop', { ...SPEC, stopped: true });
  t.ok(await world.reaches('shop', 'Stopped'));
  let restarts = 0;
  world.onCloudCall(({ body }) => {
    if (body?.includes('"restart"')) restarts += 1;
  });

  await world.annotate('shop', { [RESTART]: 'now' });
  await world.clock.advance(10 * MINUTE);
  const waiting = await world.status('shop');
  t.match(condition(waiting, 'Progressing'), {
    status: 'False',
    reason: 'Stopped',
    message: 'The restart that was ordered comes when the instance is started again.',
  });
  t.equal(waiting.handled?.[RESTART], undefined);
  t.equal(restarts, 0, 'nothing was sent');

  await world.apply('shop', SPEC);
  t.ok(await world.clock.runUntil(() => restarts > 0, 30 * MINUTE));
  await world.clock.advance(10 * MINUTE);
  const done = await world.status('shop');
  t.equal(restarts, 1);
  t.equal(done.phase, 'Ready');
  t.equal(done.handled?.[RESTART], 'now');
  t.equal(condition(done, 'Progressing')?.reason, 'Idle');
});
