import t from 'tap';
import { createWorld, MINUTE } from '../support/world.ts';

t.test('describe shows each transition once, with two replicas and through a whole life', async (t) => {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.restartReplica();
  await world.annotate('shop', { 'otc.mcsps.de/restart': 'monday' });
  await world.clock.advance(10 * MINUTE);
  await world.annotate('shop', { 'otc.mcsps.de/restart': 'tuesday' });
  await world.clock.advance(10 * MINUTE);
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const told = world.api
    .dump()
    .filter(
      ({ kind, source }) => kind === 'Event' && (source as { component?: string })?.component === 'rds-pilot',
    )
    .sort((a, b) => String(a.firstTimestamp).localeCompare(String(b.firstTimestamp)))
    .map(({ type, reason }) => `${type} ${reason}`);
  const count = (line: string) => told.filter((one) => one === line).length;
  t.equal(count('Normal Creating'), 1, told.join(', '));
  t.equal(count('Normal Restarting'), 2, 'one per order');
  t.equal(count('Normal FinalBackup'), 1);
  t.ok(count('Normal Available') >= 1);
  t.equal(count('Normal Deleting'), 1, 'though a final backup and a proof of absence come between its steps');
  t.notOk(
    told.some((one) => one.startsWith('Warning')),
    told.join(', '),
  );
  t.ok(told.length <= 10, `${told.length} in all: ${told.join(', ')}`);
});
