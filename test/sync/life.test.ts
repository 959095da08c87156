import t from 'tap';
import { condition, createWorld, MINUTE } from '../support/world.ts';

t.test('an Rds with nothing but defaults becomes a Ready database with a connection', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { volumesize: 40 });
  t.ok(await world.reaches('shop', 'Ready'), JSON.stringify(await world.status('shop')));
  const status = await world.status('shop');
  console.log(JSON.stringify(status, null, 1));
  t.equal(condition(status, 'Ready')?.status, 'True');
  t.equal(world.creates(), 1);
  console.log(world.simulator.calls(), world.calls.length);
  await world.remove('shop');
  t.ok(await world.isGone('shop'), JSON.stringify(await world.status('shop')));
  console.log(world.simulator.calls(), world.calls.length);
  t.equal(world.simulator.state.instances.length, 0);
  await world.clock.advance(MINUTE);
});
