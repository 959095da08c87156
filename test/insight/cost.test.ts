import pino from 'pino';
import t from 'tap';
import { createCollector } from '../../src/insight/collect.ts';
import type { KnownRds } from '../../src/insight/fleet.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import type { Cloud } from '../../src/otc/cloud.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { demoCredentials, MINUTE, SECOND, START } from '../support/world.ts';

const CALL_TAKES_MS = 150;

/** So many databases of one project, scraped every 30 s for a quarter of an hour. */
async function scraped(databases: number) {
  const clock = createVirtualClock(START, { turns: 1 });
  const credentials = readCredentials(demoCredentials);
  const known = Array.from(
    { length: databases },
    (_, index): KnownRds => ({
      uid: `${index}`,
      namespace: 'team-a',
      name: `db-${index}`,
      phase: 'Ready',
      impacts: [],
      lastBackup: undefined,
      backupProblem: undefined,
      instance: { id: `${index}`, engine: 'MySQL', volumeGb: 40, isBuilt: true, followers: [] },
      jobCredentials: [],
      credentials,
      seenAt: START,
      elapsedAt: 0,
    }),
  );
  const calls: number[] = [];
  const metricData: Cloud['metricData'] = async ({ wanted, toMs }) => {
    if (wanted.length > 10) throw new Error('more than ten metrics');
    calls.push(clock.now());
    await clock.sleep(CALL_TAKES_MS);
    return { at: toMs, value: wanted.map((id) => ({ ...id, unit: '', points: [{ at: toMs, value: 1 }] })) };
  };
  const collector = createCollector({
    clock,
    openCloud: () => ({ metricData }) as Cloud,
    fleet: { known: () => known, synced: () => {}, syncedAgain: () => {} },
    log: pino({ level: 'silent' }),
  });
  for (let scrape = 0; scrape < 30; scrape += 1) {
    void collector.refresh();
    await clock.advance(30 * SECOND);
  }
  const oldest = Math.max(...known.map(({ uid }) => clock.elapsed() - collector.sampleOf(uid).askedAt));
  return { calls, oldest, perSecond: calls.length / (15 * 60) };
}

t.test(
  'a thousand databases cost a third of the rate limit, and no value is much older than four minutes',
  async (t) => {
    const { oldest, perSecond } = await scraped(1_000);
    t.ok(perSecond > 3 && perSecond <= 3.34, `${perSecond.toFixed(2)} calls a second`);
    t.ok(oldest <= 5 * MINUTE, `${Math.round(oldest / SECOND)} s`);
  },
);

t.test('a hundred are read about once a minute', async (t) => {
  const { calls, oldest } = await scraped(100);
  t.ok(calls.length >= 14 * 80 && calls.length <= 16 * 80, `${calls.length} calls in a quarter of an hour`);
  t.ok(oldest <= 90 * SECOND, `${Math.round(oldest / SECOND)} s`);
});
