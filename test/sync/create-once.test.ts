import t from 'tap';
import { TerminalError } from '../../src/errors.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import type { Fault } from '../../src/simulator/faults.ts';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

const CREATE = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/instances' };

const journalOf = async (world: World) => {
  const uid = (await world.rds('shop'))?.metadata.uid;
  const lease = await world.object(`/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
  return JSON.parse(lease?.metadata.annotations?.['otc.mcsps.de/journal'] ?? '{}') as Record<string, unknown>;
};

const lostAnswers: { kind: Fault['kind']; lateMs?: number; lag?: number; because: string }[] = [
  { kind: '500-after', because: 'a 5xx after the effect is no refusal' },
  { kind: 'timeout-after', because: 'a time-out after the effect is no refusal' },
  { kind: 'connection', because: 'a cut connection tells nothing' },
  { kind: 'late', lateMs: 55 * SECOND, because: 'an effect that comes late is waited for' },
  { kind: 'timeout-after', lag: 115 * SECOND, because: 'a list that lags is not absence' },
  { kind: 'truncated', because: 'an answer that cannot be read is no answer' },
  { kind: 'empty', because: 'an empty 202 names no instance' },
];

for (const { kind, lateMs, lag, because } of lostAnswers) {
  t.test(
    `${kind}${lag ? ' with a lagging list' : ''} on the create: one instance, because ${because}`,
    async (t) => {
      const world = await createWorld({ simulator: { listLagMs: lag ?? 0 } });
      t.teardown(() => world.stop());
      world.simulator.faults.add({ match: CREATE, kind, times: 1, ...(lateMs ? { lateMs } : {}) });
      await world.apply('shop', {});
      t.ok(await world.reaches('shop', 'Ready'), JSON.stringify(await world.status('shop')));
      await world.clock.advance(20 * MINUTE);
      t.equal(world.simulator.state.instances.length, 1);
      t.equal((await world.status('shop')).id, world.simulator.state.instances[0]?.id);
    },
  );
}

t.test(
  'a create that left nothing is repeated after the settle time and three empty reads, not before',
  async (t) => {
    const world = await createWorld();
    t.teardown(() => world.stop());
    world.simulator.faults.add({ match: CREATE, kind: 'timeout-before', times: 1 });
    await world.apply('shop', {});
    await world.clock.advance(30 * SECOND);
    const status = await world.status('shop');
    t.match(condition(status, 'Ready'), { status: 'False', reason: 'CreateOutcomeUnknown' });
    t.match(condition(status, 'Ready')?.message, /not before 2026-11-16T08:06:0/);
    t.equal(status.operation?.kind, 'create');
    await world.clock.advance(5 * MINUTE);
    t.equal(world.creates(), 1, 'still one call 330 s after the first');
    t.ok(await world.reaches('shop', 'Ready'));
    t.equal(world.creates(), 2);
    t.equal(world.simulator.state.instances.length, 1);
  },
);

t.test('a create that left nothing and cannot be repeated is told once, not in turns', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  world.simulator.faults.add({ match: CREATE, kind: 'timeout-before', times: 1 });
  await world.apply('shop', {});
  await world.clock.advance(30 * SECOND);
  await world.apply('shop', { securitygroup: 'nowhere' });
  await world.clock.advance(20 * MINUTE);
  t.match(condition(await world.status('shop'), 'Synced'), { reason: 'CloudRefused', message: /nowhere/ });
  t.equal((await journalOf(world)).op, undefined, 'nothing is on its way any more');
  const before = (await world.rds('shop'))?.metadata.resourceVersion;
  await world.clock.advance(40 * MINUTE);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, before);
  await world.apply('shop', { securitygroup: 'default' });
  t.ok(await world.reaches('shop', 'Ready'));
  t.equal(world.simulator.state.instances.length, 1);
});

t.test('a drawn password that got lost is waited for without haste', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Pending'));
  const { body } = world.calls.find(({ path }) => path.endsWith('/sync')) as unknown as {
    body: { parent: { metadata: object } };
  };
  const metadata = { ...body.parent.metadata, name: 'other', uid: '00000000-0000-4000-8000-000000000001' };
  const payload = { ...body, parent: { ...body.parent, metadata } };
  const call = async () => {
    const answer = world.app.inject({ method: 'POST', url: '/sync', payload });
    await world.clock.advance(SECOND);
    return (await answer).json() as { resyncAfterSeconds: number };
  };
  t.equal((await call()).resyncAfterSeconds, 1, 'drawn, and nobody gets it');
  t.equal((await call()).resyncAfterSeconds, 5);
});

t.test('a definite refusal frees the claim at once', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  world.simulator.faults.add({ match: CREATE, kind: '409', times: 1 });
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Creating', 2 * MINUTE));
  t.equal(world.simulator.state.instances.length, 1);
});

t.test('two replicas that get the same first call create once', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { password: 'A12345678+' });
  t.ok(await world.reaches('shop', 'Pending'));
  const other = await world.startReplica();
  t.teardown(() => other.close());
  const first = world.calls.find(({ path }) => path.endsWith('/sync'));
  const answers = Promise.all(
    [world.app, other, world.app, other].map((app) =>
      app.inject({ method: 'POST', url: '/sync', payload: first?.body as object }),
    ),
  );
  await world.clock.advance(20 * SECOND);
  const codes = (await answers).map(({ statusCode }) => statusCode);
  t.ok(
    codes.every((code) => code === 200 || code === 429),
    `${codes}`,
  );
  t.equal(world.creates(), 1);
  t.ok(await world.reaches('shop', 'Ready'));
  t.equal(world.creates(), 1);
});

t.test('an old picture of the parent, or a wiped status, finds the instance again', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const id = (await world.status('shop')).id;
  const past = world.calls.find(({ path }) => path.endsWith('/sync'));
  const replay = world.app.inject({ method: 'POST', url: '/sync', payload: past?.body as object });
  await world.clock.advance(SECOND);
  t.match(
    (await replay).json(),
    { status: { id } },
    'a parent from before the create is answered with the id',
  );

  await world.kube(
    'PATCH',
    `${world.rdsPath('shop')}/status`,
    { status: null },
    'application/merge-patch+json',
  );
  await world.clock.advance(MINUTE);
  t.match(await world.status('shop'), { id, phase: 'Ready' });
  t.equal(world.creates(), 1);
});

t.test(
  'a journal that only seems to be missing costs no id, also while the cloud is out of reach',
  async (t) => {
    const world = await createWorld();
    t.teardown(() => world.stop());
    await world.apply('shop', {});
    t.ok(await world.reaches('shop', 'Ready'));
    const past = world.calls.find(({ path }) => path.endsWith('/sync'));
    const lease = { namespace: 'rds-pilot', nonce: () => 'n', deadlineMs: 2_500 };
    const store = createJournalStore({ call: world.api.call, ...lease });
    const openCloud = () => {
      throw new TerminalError('no', { code: 'IAM', outcome: 'refused' });
    };
    const other = await world.startReplica({ openCloud, journal: { ...store, read: async () => undefined } });
    t.teardown(() => other.close());
    const answer = await other.inject({ method: 'POST', url: '/sync', payload: past?.body as object });
    t.equal(answer.statusCode, 429, answer.body);
  },
);

t.test('two instances of our name: nothing is touched, and a condition says so', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  world.simulator.faults.add({ match: CREATE, kind: 'timeout-before', times: 1 });
  await world.apply('shop', {});
  await world.clock.advance(SECOND);
  const digits = (await world.rds('shop'))?.metadata.uid?.replaceAll('-', '').slice(0, 12);
  for (const _twice of [1, 2]) await world.createByHand(`team-a_shop_${digits}`);
  await world.clock.advance(20 * MINUTE);
  t.match(condition(await world.status('shop'), 'Ready'), { reason: 'DuplicateInstances' });
  t.equal(world.simulator.state.instances.length, 2);
  t.equal(world.creates(), 3, 'one call of ours, two by hand');
});

t.test('an instance that vanished is not re-created', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const { id } = await world.status('shop');
  await world.byHand('DELETE', `/instances/${id}`);
  await world.clock.advance(30 * MINUTE);
  const status = await world.status('shop');
  t.match(condition(status, 'Ready'), { status: 'False', reason: 'InstanceGone' });
  t.equal(status.id, id);
  t.equal(world.creates(), 1);
});

t.test('wrong empty answers for a while do not make an instance gone', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(10 * MINUTE);
  const list = { service: 'rds' as const, method: 'GET' as const, path: '/v3/{project}/instances' };
  world.simulator.faults.add({ match: list, kind: 'empty-list', times: 4 });
  await world.clock.advance(10 * MINUTE);
  t.match(condition(await world.status('shop'), 'Ready'), { status: 'True', reason: 'Available' });
  t.notOk((await journalOf(world)).absence, 'one hit starts the count over');
});
