import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createWorld, HOUR, MINUTE } from '../support/world.ts';
import { createDrillWorld, withDrill } from './drill-world.ts';

t.test('no secret reaches logs, status, events, metrics or error bodies, whatever fails', async (t) => {
  const lines: string[] = [];
  const world = await createWorld({ logTo: { write: (line) => lines.push(line) }, seed: 7 });
  t.teardown(() => world.stop());
  await world.secret('own', { pw: 'Canary-One_1' });
  await world.secret('otc-credentials', {
    OS_AUTH_URL: 'http://127.0.0.1:9090/v3',
    OS_REGION_NAME: 'eu-de',
    OS_PROJECT_NAME: 'eu-de',
    OS_DOMAIN_NAME: 'OTC-DEMO',
    OS_USERNAME: 'demo',
    OS_PASSWORD: 'demo-Passw0rd',
  });
  world.simulator.faults.add({
    match: { service: 'rds', method: 'POST' },
    kind: '500-after',
    seed: 3,
    times: 5,
  });
  world.simulator.faults.add({ match: { service: 'iam' }, kind: '503', times: 2 });
  await world.apply('by-secret', { passwordSecretRef: { name: 'own', key: 'pw' } });
  await world.apply('in-clear', {
    password: 'Canary-Two_2',
    users: [{ name: 'app', password: 'Canary-Three_3' }],
  });
  await world.apply('weak', { password: 'canaryfour' });
  await world.apply('drawn', {});
  for (const name of ['by-secret', 'in-clear', 'drawn']) t.ok(await world.reaches(name, 'Ready'), name);
  await world.remove('by-secret');
  t.ok(await world.isGone('by-secret'));
  const refused = await world.app.inject({
    method: 'POST',
    url: '/sync',
    payload: {
      parent: { metadata: {}, spec: { password: 'Canary-Five_5' } },
      children: {},
      finalizing: false,
    },
  });
  t.equal(refused.statusCode, 400);
  const metrics = await world.app.inject({ url: '/metrics' });
  await world.clock.advance(MINUTE);

  const drawn = world.simulator.state.instances.map(({ password }) => password);
  const tokens = world.simulator.state.tokens.map(({ id }) => id);
  const canaries = ['Canary-', 'canaryfour', 'demo-Passw0rd', ...drawn, ...tokens].filter(
    (one) => one.length > 5,
  );
  const told = world.api
    .dump()
    .filter(({ kind }) => kind !== 'Secret')
    .map(({ spec: _mayHoldOne, ...object }) => {
      const { managedFields: _fields, ...metadata } = object.metadata;
      return JSON.stringify({ ...object, metadata });
    });
  const leaks = canaries.flatMap((canary) =>
    [...lines, ...told, refused.body, metrics.body]
      .filter((text) => text.includes(canary))
      .map((text) => `${canary} in ${text.slice(0, 200)}`),
  );
  t.same(leaks, []);
  t.ok(lines.length > 0 && told.length > 10, 'there was something to look through');
});

t.test('nor does the password of a restore drill', async (t) => {
  const lines: string[] = [];
  const world = await createDrillWorld(t, { hasJobs: true, logTo: { write: (line) => lines.push(line) } });
  world.simulator.faults.add({
    match: { service: 'rds', method: 'POST' },
    kind: '500-after',
    seed: 3,
    times: 3,
  });
  await world.apply('shop', withDrill({ checks: ['SELECT 1'] }));
  const drawn = new Set<string>();
  const told: string[] = [];
  world.api.watch(({ object }) => {
    if (object.kind !== 'Secret') told.push(JSON.stringify(object));
    else if (object.metadata.name.startsWith('drill-'))
      drawn.add(world.valuesOf(object as KubeObject).password ?? '');
  });
  t.ok(await world.until(() => world.jobs().length === 1, 4 * HOUR));
  const [job] = world.jobs();
  if (job) await world.ends(job, { failed: [{ check: 1, why: 'the query gave no row' }] });
  await world.clock.advance(30 * MINUTE);
  const texts = [...lines, ...told, ...world.calls.map(({ answer }) => JSON.stringify(statusOf(answer)))];
  const leaks = [...drawn].flatMap((password) => texts.filter((text) => text.includes(password)));
  t.same(leaks, []);
  t.ok(drawn.size > 0 && lines.length > 0 && told.length > 10, 'there was something to look through');
});

const statusOf = (answer: unknown): unknown => (answer as { status?: unknown }).status ?? answer;
