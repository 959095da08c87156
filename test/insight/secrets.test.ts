// No secret on either page of metrics; and the look itself, tried with a leak planted in each.
import t, { type Test } from 'tap';
import { createMetrics } from '../../src/metrics.ts';
import { MINUTE } from '../support/world.ts';
import { createInsightWorld } from './insight-world.ts';

type Leak = 'operator' | 'databases';

async function leaksOn(t: Test, planted?: Leak): Promise<string[]> {
  const world = await createInsightWorld(t, { seed: 11 });
  await world.secret('own', { pw: 'Canary-One_1' });
  await world.secret('otc-credentials', {
    OS_AUTH_URL: 'http://127.0.0.1:9090/v3',
    OS_REGION_NAME: 'eu-de',
    OS_PROJECT_NAME: 'eu-de',
    OS_DOMAIN_NAME: 'OTC-DEMO',
    OS_USERNAME: 'demo',
    OS_PASSWORD: 'demo-Passw0rd',
  });
  await world.apply('by-secret', { passwordSecretRef: { name: 'own', key: 'pw' } });
  const inClear = planted === 'databases' ? 'canary-two-2' : 'in-clear';
  await world.apply(inClear, {
    password: 'Canary-Two_2',
    users: [{ name: 'app', password: 'Canary-Two_3' }],
  });
  await world.apply('drawn', {});
  for (const name of ['by-secret', inClear, 'drawn']) t.ok(await world.reaches(name, 'Ready'), name);
  await world.clock.advance(3 * MINUTE);
  const metrics = createMetrics({ process: true });
  metrics.watchFleet(world.counts);
  world.onCloudCall(({ service, method, route }) =>
    metrics.otcCalled({ service, method, route, result: '200', seconds: 0.1 }),
  );
  const { state } = world.simulator;
  const given = state.instances.map(({ password }) => password);
  const tokens = state.tokens.map(({ id }) => id);
  t.ok(given.length === 3 && tokens.length > 0, 'there are secrets to look for');
  if (planted === 'operator')
    metrics.otcCalled({ service: 'iam', method: 'GET', route: `/${tokens[0]}`, result: '200', seconds: 1 });
  await world.clock.advance(2 * MINUTE);
  const pages = { operator: await metrics.registry.metrics(), databases: await world.page() };
  t.match(pages.databases, /rds_pilot_database_cpu_ratio\{/, 'databases are told');
  t.match(pages.operator, /rds_pilot_known_rds 3\n/);
  const canaries = ['Canary-', 'canary-two', 'demo-Passw0rd', 'OS_PASSWORD', ...given, ...tokens].filter(
    (one) => one.length > 5,
  );
  return Object.entries(pages).flatMap(([page, text]) =>
    canaries.some((canary) => text.includes(canary)) ? [page] : [],
  );
}

t.test('no password, key or token on either page', async (t) => {
  t.same(await leaksOn(t), []);
});

for (const leak of ['operator', 'databases'] as const)
  t.test(`a leak on the page of the ${leak} is found`, async (t) => {
    t.same(await leaksOn(t, leak), [leak]);
  });
