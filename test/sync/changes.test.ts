import t from 'tap';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

const ACTION = {
  service: 'rds' as const,
  method: 'POST' as const,
  path: '/v3/{project}/instances/{id}/action',
};
const actions = (world: World) =>
  world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0;
const done = (world: World, kind: RegExp) =>
  world.simulator.state.jobs.filter(({ name }) => kind.test(name)).length;

async function readyWorld(t: { teardown(run: () => Promise<void>): void }, spec = {}): Promise<World> {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2', volumesize: 40, ...spec });
  await world.reaches('shop', 'Ready');
  return world;
}

t.test('disk and machine follow the spec, one at a time, with the plan told', async (t) => {
  const world = await readyWorld(t);
  const plans = new Set<string>();
  world.api.watch(({ object }) => {
    const status =
      object.kind === 'Rds' ? (object.status as { plan?: { field: string; impact: string }[] }) : {};
    for (const { field, impact } of status.plan ?? []) plans.add(`${field} ${impact}`);
  });
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 80 });
  await world.clock.advance(30 * MINUTE);
  t.match(await world.status('shop'), {
    phase: 'Ready',
    volumeGb: 80,
    flavor: 'rds.mysql.n1.xlarge.2',
    plan: [],
  });
  t.same([...plans], ['spec.volumesize none', 'spec.flavorref restart']);
  t.equal(actions(world), 2);
});

t.test('a disk that somebody grew is not drift, and a shrink is refused at admission', async (t) => {
  const world = await readyWorld(t);
  const { id } = await world.status('shop');
  await world.byHand('POST', `/instances/${id}/action`, { enlarge_volume: { size: 100 } });
  await world.clock.advance(10 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', volumeGb: 100, plan: [] });
  const refused = await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2', volumesize: 30 });
  t.equal(refused.status, 422);
  t.equal(actions(world), 1, 'only the one by hand');
});

t.test('a change of mind midway ends at the last spec', async (t) => {
  const world = await readyWorld(t);
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 40 });
  await world.clock.advance(MINUTE);
  await world.apply('shop', { flavorref: 'rds.mysql.n1.large.4', volumesize: 60 });
  await world.clock.advance(60 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', flavor: 'rds.mysql.n1.large.4', volumeGb: 60 });
});

for (const kind of ['timeout-after', '500-after', 'late', 'timeout-before'] as const) {
  t.test(`${kind} on a resize: it happens once`, async (t) => {
    const world = await readyWorld(t);
    world.simulator.faults.add({ match: ACTION, kind, times: 1, lateMs: 50 * SECOND });
    await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 40 });
    await world.clock.advance(60 * MINUTE);
    t.match(await world.status('shop'), { phase: 'Ready', flavor: 'rds.mysql.n1.xlarge.2' });
    t.equal(
      done(world, /resize|flavor/i),
      1,
      JSON.stringify(world.simulator.state.jobs.map(({ name }) => name)),
    );
  });
}

for (const kind of [undefined, 'timeout-after', '500-after', 'late', 'timeout-before', '409'] as const) {
  t.test(`a restart ordered by annotation happens once${kind ? `, also with ${kind}` : ''}`, async (t) => {
    const world = await readyWorld(t);
    if (kind) world.simulator.faults.add({ match: ACTION, kind, times: 1, lateMs: 50 * SECOND });
    await world.annotate('shop', { 'otc.mcsps.de/restart': '2026-11-16' });
    await world.clock.advance(30 * MINUTE);
    const status = await world.status('shop');
    t.match(status, { phase: 'Ready', handled: { 'otc.mcsps.de/restart': '2026-11-16' } });
    t.equal(done(world, /restart/i), 1, JSON.stringify(world.simulator.state.jobs.map(({ name }) => name)));
    const old = world.calls.find(({ body }) => {
      const { parent } = body as {
        parent: { metadata: { annotations?: Record<string, string> }; status?: { handled?: unknown } };
      };
      return parent.metadata.annotations?.['otc.mcsps.de/restart'] !== undefined && !parent.status?.handled;
    });
    const replay = world.app.inject({ method: 'POST', url: '/sync', payload: old?.body as object });
    await world.clock.advance(10 * SECOND);
    t.equal((await replay).statusCode, 200);
    await world.clock.advance(10 * MINUTE);
    t.equal(done(world, /restart/i), 1, 'an old picture of the parent orders nothing');
  });
}

t.test('an older generation never undoes a newer change', async (t) => {
  const world = await readyWorld(t);
  await world.clock.advance(MINUTE);
  const old = world.calls.findLast(({ path }) => path.endsWith('/sync'));
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 40 });
  await world.clock.advance(30 * MINUTE);
  const before = actions(world);
  const replay = world.app.inject({ method: 'POST', url: '/sync', payload: old?.body as object });
  await world.clock.advance(20 * SECOND);
  t.equal((await replay).statusCode, 429);
  t.equal(actions(world), before);
});

t.test('paused and dry-run tell the plan and act on nothing', async (t) => {
  const world = await readyWorld(t);
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 40, paused: true });
  await world.clock.advance(10 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Paused', plan: [{ field: 'spec.flavorref' }] });
  t.equal(actions(world), 0);
  await world.annotate('shop', { 'otc.mcsps.de/dry-run': 'true' });
  await world.apply(
    'shop',
    { flavorref: 'rds.mysql.n1.xlarge.2', volumesize: 40 },
    { 'otc.mcsps.de/dry-run': 'true' },
  );
  await world.clock.advance(10 * MINUTE);
  t.match(condition(await world.status('shop'), 'Synced'), { reason: 'DryRun' });
  t.equal(actions(world), 0);
  await world.annotate('shop', { 'otc.mcsps.de/dry-run': null });
  await world.clock.advance(30 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', flavor: 'rds.mysql.n1.xlarge.2' });
});

t.test('the old way to order a restart, status.reboot: true, works once per order', async (t) => {
  const world = await readyWorld(t);
  const order = () =>
    world.kube(
      'PATCH',
      `${world.rdsPath('shop')}/status`,
      { status: { reboot: true } },
      'application/merge-patch+json',
    );
  await order();
  await world.clock.advance(10 * MINUTE);
  t.match(await world.status('shop'), { phase: 'Ready', reboot: false });
  t.equal(done(world, /restart/i), 1);
  const old = world.calls.find(
    ({ body }) => (body as { parent: { status?: { reboot?: boolean } } }).parent.status?.reboot === true,
  );
  const replay = world.app.inject({ method: 'POST', url: '/sync', payload: old?.body as object });
  await world.clock.advance(10 * MINUTE);
  t.equal((await replay).statusCode, 429);
  t.equal(done(world, /restart/i), 1, 'an old picture of the parent orders nothing');
  await order();
  await world.clock.advance(10 * MINUTE);
  t.notOk(
    world.calls.some(({ answer }) => (answer as { status?: { reboot?: boolean } }).status?.reboot === true),
    'no answer says true',
  );
  t.equal(done(world, /restart/i), 2, 'a second order is a second restart');
});

t.test('an order with a very long value is carried out like any other', async (t) => {
  const world = await readyWorld(t);
  await world.annotate('shop', { 'otc.mcsps.de/restart': 'x'.repeat(5_000) });
  await world.clock.advance(30 * MINUTE);
  t.equal(done(world, /restart/i), 1);
  t.match(await world.status('shop'), { phase: 'Ready' });
});
