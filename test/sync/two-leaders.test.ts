// Two leaders of Metacontroller for a while, and the watch of one of them lags: an old picture takes nothing back.

import t from 'tap';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

type Body = { parent: object; children: Record<string, Record<string, unknown>> };

const lastCall = (world: World) => world.calls.findLast(({ path }) => path.endsWith('/sync'))?.body as Body;

async function ask(world: World, payload: object) {
  const answer = world.app.inject({ method: 'POST', url: '/sync', payload });
  await world.clock.advance(5 * SECOND);
  return await answer;
}

t.test('a list of children that is behind does not unsay the password that was just told', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Creating'));
  world.pauseLoops();
  const parent = (await world.rds('shop')) as object;
  const safe = async () => {
    const { status } = (await ask(world, { ...lastCall(world), parent, children: {} })).json();
    return condition(status, 'CredentialsSafe');
  };
  t.match(await safe(), { status: 'True', reason: 'PasswordInSecret' });
  await world.clock.advance(2 * MINUTE);
  t.match(await safe(), { status: 'Unknown', reason: 'RootPasswordUnknown' }, 'but what lasts is told');
});

t.test('a spec from before an upgrade was ordered does not let it be ordered again', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const past = lastCall(world);
  const upgrades = () => world.simulator.state.counts.upgrade;
  await world.apply('shop', { minorUpgrade: 'Now' });
  await world.clock.advance(30 * MINUTE);
  t.equal(upgrades(), 1);
  // One that has not seen the newer spec.
  const other = await world.startReplica();
  t.teardown(() => other.close());
  const answer = other.inject({ method: 'POST', url: '/sync', payload: past });
  await world.clock.advance(5 * SECOND);
  t.match(await answer, { statusCode: 429 });
  await world.clock.advance(30 * MINUTE);
  t.equal(upgrades(), 1);
  await world.apply('shop', {});
  await world.clock.advance(5 * MINUTE);
  await world.apply('shop', { minorUpgrade: 'Now' });
  await world.clock.advance(30 * MINUTE);
  t.equal(upgrades(), 2, 'taken back and given again');
});
