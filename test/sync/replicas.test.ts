import t from 'tap';
import { RetryableError } from '../../src/errors.ts';
import { isoTime } from '../../src/rds/conditions.ts';
import { condition, createWorld, MINUTE, SECOND } from '../support/world.ts';

t.test('a replica that cannot reach the cloud does not talk over one that can', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const blind = await world.startReplica({
    openCloud: () => {
      throw new RetryableError('no route to the cloud', { code: 'CONNECTION', outcome: 'unknown' });
    },
  });
  t.teardown(() => blind.close());
  const ask = async (syncedSince: number) => {
    const parent = structuredClone(await world.rds('shop'));
    const told = condition(parent?.status ?? {}, 'Synced');
    if (told) told.lastTransitionTime = isoTime(syncedSince);
    const payload = { parent, children: {}, related: {}, finalizing: false };
    const answer = blind.inject({ method: 'POST', url: '/sync', payload });
    await world.clock.advance(SECOND);
    return answer;
  };
  const early = await ask(world.clock.now() - 5 * SECOND);
  t.equal(early.statusCode, 429, 'nothing is written over fresh good news');
  t.equal(early.headers['retry-after'], '10');
  const later = await ask(world.clock.now() - 2 * MINUTE);
  t.equal(later.statusCode, 200, 'after a while it is told');
  t.match(condition(later.json().status, 'Synced'), { status: 'Unknown', reason: 'CloudUnreachable' });
});

t.test('a parent from before its children does not make a running database look unfinished', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(MINUTE);
  const building = world.calls.findLast(
    ({ answer }) => (answer as { status?: { phase?: string } }).status?.phase === 'Creating',
  );
  const settled = world.calls.findLast(({ path }) => path.endsWith('/sync'));
  const children = (settled?.body as { children?: object } | undefined)?.children;
  const answer = world.app.inject({
    method: 'POST',
    url: '/sync',
    payload: { ...(building?.body as object), children },
  });
  await world.clock.advance(SECOND);
  t.match((await answer).json(), { status: { phase: 'Ready' } });
});
