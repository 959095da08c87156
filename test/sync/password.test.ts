import t from 'tap';
import { JournalUnavailable } from '../../src/kube/journal.ts';
import { createWorld, MINUTE, type World } from '../support/world.ts';

const RESET = {
  service: 'rds' as const,
  method: 'POST' as const,
  path: '/v3/{project}/instances/{id}/password',
};
const resets = (world: World) =>
  world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/password'] ?? 0;
const inCloud = (world: World) => world.simulator.state.instances[0]?.password;

async function published(world: World): Promise<string | undefined> {
  const secret = await world.object('/api/v1/namespaces/team-a/secrets/shop-connection');
  const encoded = (secret?.data as Record<string, string> | undefined)?.password;
  return encoded === undefined ? undefined : Buffer.from(encoded, 'base64').toString();
}

async function change(world: World, password: string): Promise<void> {
  const data = { pw: Buffer.from(password).toString('base64') };
  await world.kube(
    'PATCH',
    '/api/v1/namespaces/team-a/secrets/own',
    { data },
    'application/merge-patch+json',
  );
}

async function readyWorld(t: { teardown(run: () => Promise<void>): void }): Promise<World> {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.secret('own', { pw: 'Chang3-me_now' });
  await world.apply('shop', { passwordSecretRef: { name: 'own', key: 'pw' } });
  await world.reaches('shop', 'Ready');
  return world;
}

t.test('a changed Secret resets the password in the cloud first and is published after that', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: RESET, kind: '409', times: 5 });
  await change(world, 'An0ther-one_now');
  await world.clock.advance(20_000);
  t.equal(inCloud(world), 'Chang3-me_now');
  t.equal(await published(world), 'Chang3-me_now', 'clients keep the one that works');
  await world.clock.advance(10 * MINUTE);
  t.equal(inCloud(world), 'An0ther-one_now');
  t.equal(await published(world), 'An0ther-one_now');
  t.equal(resets(world), 6);
  await world.clock.advance(60 * MINUTE);
  t.equal(resets(world), 6, 'and rests');
});

for (const kind of ['timeout-after', 'timeout-before', 'late'] as const) {
  t.test(`${kind} on the reset ends with one and the same password on both sides`, async (t) => {
    const world = await readyWorld(t);
    world.simulator.faults.add({ match: RESET, kind, times: 1, lateMs: 50_000 });
    await change(world, 'An0ther-one_now');
    await world.clock.advance(30 * MINUTE);
    t.equal(inCloud(world), 'An0ther-one_now');
    t.equal(await published(world), 'An0ther-one_now');
  });
}

t.test('a Secret changed while the instance is built is reset before it is published', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.secret('own', { pw: 'Chang3-me_now' });
  await world.apply('shop', { passwordSecretRef: { name: 'own', key: 'pw' } });
  t.ok(await world.reaches('shop', 'Creating'));
  await change(world, 'An0ther-one_now');
  await world.clock.advance(20 * MINUTE);
  t.equal(inCloud(world), 'An0ther-one_now');
  t.equal(await published(world), 'An0ther-one_now');
});

t.test('a new password that breaks the rules is told and left alone', async (t) => {
  const world = await readyWorld(t);
  await change(world, 'short');
  await world.clock.advance(10 * MINUTE);
  t.match((await world.status('shop')).plan, [
    { field: 'root password', impact: 'impossible', when: /8 to 32/ },
  ]);
  t.equal(await published(world), 'Chang3-me_now');
  t.equal(resets(world), 0);
});

t.test('a Secret that only got a label resets nothing', async (t) => {
  const world = await readyWorld(t);
  const labels = { metadata: { labels: { team: 'a' } } };
  await world.kube('PATCH', '/api/v1/namespaces/team-a/secrets/own', labels, 'application/merge-patch+json');
  await world.clock.advance(10 * MINUTE);
  t.equal(resets(world), 0);
});

t.test('an adopted instance is never reset', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const id = await world.createByHand('team-a_shop', { password: 'Origina1-one' });
  await world.clock.advance(10 * MINUTE);
  await world.secret('own', { pw: 'Chang3-me_now' });
  await world.apply('shop', { passwordSecretRef: { name: 'own', key: 'pw' } }, { 'otc.mcsps.de/adopt': id });
  t.ok(await world.reaches('shop', 'Ready'));
  await change(world, 'An0ther-one_now');
  await world.clock.advance(10 * MINUTE);
  t.equal(inCloud(world), 'Origina1-one');
  t.equal(resets(world), 0);
  t.equal(await published(world), 'An0ther-one_now', 'what its owner tells is what is handed out');
});

t.test('a journal that cannot be read publishes nothing that the cloud does not have', async (t) => {
  const world = await readyWorld(t);
  await world.clock.advance(3 * MINUTE);
  const settled = world.calls.findLast(({ path }) => path.endsWith('/sync'));
  const replica = await world.startReplica({
    journal: {
      isLiving: () => Promise.reject(new JournalUnavailable('the API server answered 429')),
      read: () => Promise.reject(new JournalUnavailable('the API server answered 429')),
      create: () => Promise.reject(new JournalUnavailable('the API server answered 429')),
      swap: () => Promise.reject(new JournalUnavailable('the API server answered 429')),
    },
  });
  t.teardown(() => replica.close());
  const body = structuredClone(settled?.body) as {
    related: { 'Secret.v1': Record<string, { data: { pw: string } }> };
  };
  const secret = body.related['Secret.v1']['team-a/own'];
  if (secret) secret.data.pw = Buffer.from('An0ther-one_now').toString('base64');
  const answer = replica.inject({ method: 'POST', url: '/sync', payload: body });
  await world.clock.advance(1_000);
  type Child = { metadata: { name: string }; data?: { password?: string } };
  const children = (await answer).json<{ children: Child[] }>().children;
  const handed = children.find(({ metadata }) => metadata.name === 'shop-connection')?.data?.password;
  t.equal(Buffer.from(handed ?? '', 'base64').toString(), 'Chang3-me_now');
});
