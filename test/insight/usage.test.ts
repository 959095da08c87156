import pino from 'pino';
import t from 'tap';
import { createInsight, type Insight } from '../../src/insight/insight.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import type { Usage } from '../../src/otc/observe.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { demoCredentials, MINUTE, SECOND, START } from '../support/world.ts';
import { createLogWorld } from '../sync/log-world.ts';

t.test(
  'a shared list is a hit until it is too old, and a full limiter shows as waits and refusals',
  async (t) => {
    const clock = createVirtualClock(START);
    const simulator = createSimulator({ clock, baseUrl: 'http://127.0.0.1:9090' });
    const events: string[] = [];
    const waits: { waitedMs: number; result: string }[] = [];
    const usage: Usage = {
      cache: (name, event) => events.push(`${event} ${name}`),
      limiter: (waitedMs, result) => waits.push({ waitedMs, result }),
    };
    const limits = { callsPerSecond: 1, burst: 2 };
    const open = createOpenCloud({ send: simulator.send, clock, random: () => 0.5, usage, limits });
    const cloud = (ms: number) => {
      const end = clock.elapsed() + ms;
      return open(readCredentials(demoCredentials), { remainingMs: () => end - clock.elapsed() });
    };
    const during = async <T>(work: Promise<T>): Promise<T> => {
      await clock.advance(10 * SECOND);
      return work;
    };
    await during(cloud(9_000).snapshot(60));
    await during(cloud(9_000).snapshot(60));
    t.same(events, ['read instances', 'load instances', 'read instances']);
    await clock.advance(MINUTE);
    await during(cloud(9_000).snapshot(60));
    t.equal(events.filter((event) => event === 'load instances').length, 2, 'too old: asked again');
    t.ok(
      waits.every(({ waitedMs, result }) => waitedMs === 0 && result === 'sent'),
      'nobody waited so far',
    );
    const many = Array.from({ length: 6 }, () =>
      cloud(3_000)
        .findInstanceById('x')
        .catch(() => undefined),
    );
    await during(Promise.all(many));
    t.ok(waits.some(({ waitedMs, result }) => waitedMs >= 900 && result === 'sent'));
    t.ok(waits.some(({ result }) => result === 'refused'));
  },
);

t.test('the credential of a log Job counts as alive until it is revoked or over', async (t) => {
  let insight: Insight | undefined;
  const world = await createLogWorld(t, { deps: { synced: (...told) => insight?.synced(...told) } });
  const { clock } = world;
  insight = createInsight({
    clock,
    openCloud: createOpenCloud({ send: world.simulator.send, clock, random: () => 0.5 }),
    defaultCredentials: readCredentials(demoCredentials),
    readCredentials,
    log: pino({ level: 'silent' }),
  });
  await world.ready();
  t.same(insight.counts().jobCredentials, []);
  await world.order('2h');
  t.same(insight.counts().jobCredentials, ['keys']);
  await clock.advance(20 * MINUTE);
  t.same(insight.counts().jobCredentials, [], 'keys expire by themselves');
  world.withoutKeys();
  await world.order('3h');
  t.same(insight.counts().jobCredentials, ['token']);
  const [job] = await world.jobs();
  if (job) await world.run(job);
  await clock.advance(2 * MINUTE);
  t.same(insight.counts().jobCredentials, [], 'a token is revoked when its Job ends');
});
