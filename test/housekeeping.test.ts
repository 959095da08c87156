import pino from 'pino';
import t from 'tap';
import { keepHouse } from '../src/housekeeping.ts';
import { createMetrics } from '../src/metrics.ts';
import { readCredentials } from '../src/otc/credentials.ts';
import { createOpenCloud } from '../src/otc/open.ts';
import { createWorld, demoCredentials, MINUTE } from './support/world.ts';

t.test('closed journals go after a day, and instances without an Rds are told, never touched', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  const metrics = createMetrics({ process: false });
  const open = createOpenCloud({ send: world.simulator.send, clock: world.clock, random: () => 0.5 });
  const keep = () =>
    keepHouse({
      call: world.api.call,
      namespace: 'rds-pilot',
      cloud: open(readCredentials(demoCredentials), { remainingMs: () => 8_000 }),
      metrics,
      now: world.clock.now,
      log: pino({ level: 'silent' }),
    });
  const journals = () =>
    world.api
      .dump()
      .filter(({ kind, metadata }) => kind === 'Lease' && /^rds-[0-9a-f]{8}-/.test(metadata.name)).length;
  const gauge = async () => /rds_pilot_unowned_instances (\d+)/.exec(await metrics.registry.metrics())?.[1];

  await world.apply('kept', {});
  await world.apply('gone', { deletionPolicy: 'Delete' });
  await world.reaches('gone', 'Ready');
  await world.remove('gone');
  t.ok(await world.isGone('gone'));
  const stray = await world.createByHand('team-a_lost_0123456789ab');
  const foreign = await world.createByHand('somebody-elses');
  await world.clock.advance(10 * MINUTE);

  await keep();
  t.equal(journals(), 2, 'a closed journal stays for a day');
  t.equal(await gauge(), '1', 'the stray one counts, a foreign one does not');
  await world.clock.advance(25 * 60 * MINUTE);
  await keep();
  t.equal(journals(), 1, "the living one's stays");
  t.same(
    world.simulator.state.instances.map(({ id }) => id).includes(stray) &&
      world.simulator.state.instances.some(({ id }) => id === foreign),
    true,
  );
});
