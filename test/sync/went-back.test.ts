// Whoever writes a status last may have seen the past: what the journal knows is told again, at the latest some hours later.

import t from 'tap';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import { createWorld, HOUR, MINUTE } from '../support/world.ts';

t.test(
  'a report that an old status wrote over comes back within hours, and nothing else happens',
  async (t) => {
    const world = await createWorld({ simulator: { automatedBackups: false } });
    t.teardown(() => world.stop());
    await world.apply('shop', {}, { [ANNOTATIONS.logs]: '1h' });
    t.ok(await world.reaches('shop', 'Ready'));
    await world.clock.advance(5 * MINUTE);
    const { logJob } = await world.status('shop');
    t.match(logJob, { state: 'Refused' });
    const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop/status';
    await world.kube('PATCH', path, { status: { logJob: null } }, 'application/merge-patch+json');
    await world.clock.advance(MINUTE);
    t.equal((await world.status('shop')).logJob, undefined, 'a cheap look sees nothing of it');
    const writes = () =>
      Object.entries(world.simulator.calls().rds ?? {}).filter(([call]) => !call.startsWith('GET'));
    const wrote = writes();
    await world.clock.advance(7 * HOUR);
    t.same((await world.status('shop')).logJob, logJob);
    t.same(writes(), wrote);
  },
);
