import t from 'tap';
import { UID_TAG } from '../../src/rds/names.ts';
import { HOUR, MINUTE, SECOND } from '../support/world.ts';
import { createDrillWorld, withDrill } from './drill-world.ts';

t.test('a drill restores the newest backup beside the primary, checks it and leaves nothing', async (t) => {
  const world = await createDrillWorld(t, { hasJobs: true });
  await world.apply(
    'shop',
    withDrill({ flavor: 'rds.mysql.c2.medium', checks: ['SELECT count(*) FROM shop.orders'] }),
  );
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(2 * MINUTE);
  t.match(await world.drill(), { schedule: '0 * * * *', nextAt: '2026-11-16T09:00:00Z' });
  t.match(await world.told(), { status: 'Unknown', reason: 'DrillPending' });
  const { ip, id } = await world.status('shop');

  t.ok(await world.until(() => world.jobs().length === 1, 2 * HOUR));
  const [throwaway, ...others] = world.throwaways();
  t.same(others, []);
  t.match(throwaway, {
    flavor: 'rds.mysql.c2.medium',
    volumeGb: 40,
    type: 'Single',
    restoredFrom: { instanceId: id },
  });
  t.match(throwaway?.name, /^drill-[0-9a-f]{12}-202611160900$/);
  const uid = (await world.rds('shop'))?.metadata.uid;
  t.match(throwaway?.tags, [
    { key: UID_TAG, value: uid },
    { key: 'rds-pilot-drill', value: throwaway?.name },
  ]);
  const values = world.valuesOf(world.secrets()[0]);
  t.match(values, { ip: throwaway?.ip, port: '3306', username: 'root', password: throwaway?.password });
  t.same(JSON.parse(values['wish.json'] ?? ''), {
    engine: 'MySQL',
    checks: ['SELECT count(*) FROM shop.orders'],
  });
  t.notOk(JSON.stringify(await world.rds('shop')).includes(values.password ?? '-'));
  t.notOk(JSON.stringify(world.jobs()).includes(values.password ?? '-'));
  t.match((await world.drill())?.running, { name: throwaway?.name, id: throwaway?.id, step: 'Checking' });
  t.match(await world.status('shop'), { phase: 'Ready', ip, id });

  const [job] = world.jobs();
  if (!job) return;
  await world.ends(job, { passed: 1 });
  t.same(world.secrets(), [], 'the password is needed no more');
  t.match(await world.told(), {
    status: 'True',
    reason: 'DrillPassed',
    message: /restored in \d+ s; .* 1 check passed/,
  });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
  await world.clock.advance(10 * MINUTE);
  t.match(await world.drill(), {
    nextAt: '2026-11-16T10:00:00Z',
    running: undefined,
    last: { result: 'Passed', scheduledFor: '2026-11-16T09:00:00Z', source: /^Backup / },
  });
  t.same([world.jobs(), world.secrets()], [[], []]);
  t.equal((await world.journal()).drill?.run, undefined);
  t.match(await world.status('shop'), { phase: 'Ready', ip, id });
  const { operation, restarts } = {
    operation: (await world.status('shop')).operation,
    restarts: world.simulator.state.counts.restart,
  };
  t.same([operation, restarts], [undefined, undefined], 'the primary was never touched');
  await world.clock.advance(5 * SECOND);
});
