import t from 'tap';
import { TerminalError } from '../../src/errors.ts';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

const CREATE = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/instances' };
const DELETE = { service: 'rds' as const, method: 'DELETE' as const, path: '/v3/{project}/instances/{id}' };

const deletes = (world: World) => world.simulator.calls().rds?.['DELETE /v3/{project}/instances/{id}'] ?? 0;

async function readyWorld(t: { teardown(run: () => Promise<void>): void }, spec = {}): Promise<World> {
  const world = await createWorld({ simulator: { automatedBackups: false } });
  t.teardown(() => world.stop());
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  return world;
}

t.test('Snapshot: the backup is complete before the delete is sent, and tells how to restore', async (t) => {
  const world = await readyWorld(t);
  const { id } = await world.status('shop');
  let recipe: string | undefined;
  world.api.watch(({ object }) => {
    const status =
      object.kind === 'Rds' ? (object.status as { backup?: { finalBackup?: { restoreFrom?: string } } }) : {};
    recipe = status.backup?.finalBackup?.restoreFrom ?? recipe;
  });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const [backup, ...more] = world.simulator.state.backups;
  t.same(more, []);
  t.match(backup, { status: 'COMPLETED', instanceId: id });
  t.equal(recipe, `{backupId: ${backup?.id}, instanceId: ${id}}`);
  t.equal(world.simulator.state.instances.length, 0);
  t.equal(deletes(world), 1);
  const children = world.api
    .dump()
    .filter(({ kind }) => ['Secret', 'Service', 'EndpointSlice'].includes(kind));
  t.same(children, [], 'children went with their owner');
});

t.test('a failed backup stops the delete, is told and repeated', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ kind: 'failed-backup', times: 2 });
  await world.remove('shop');
  await world.clock.advance(3 * MINUTE);
  const told = condition(await world.status('shop'), 'Progressing');
  t.match(told, { reason: 'FinalBackupFailed', message: /force-delete/ });
  t.equal(deletes(world), 0);
  t.ok(await world.isGone('shop'));
  t.same(world.simulator.state.backups.map(({ status }) => status).sort(), ['COMPLETED', 'FAILED', 'FAILED']);
});

t.test('force-delete goes without a backup', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ kind: 'failed-backup', times: 1000 });
  await world.remove('shop');
  await world.clock.advance(20 * MINUTE);
  t.equal(deletes(world), 0, 'held as long as no backup is complete');
  await world.annotate('shop', { 'otc.mcsps.de/force-delete': 'true' });
  t.ok(await world.isGone('shop'));
  t.equal(world.simulator.state.instances.length, 0);
});

t.test('Delete makes no backup, Retain leaves the database without our tag', async (t) => {
  const gone = await readyWorld(t, { deletionPolicy: 'Delete' });
  await gone.remove('shop');
  t.ok(await gone.isGone('shop'));
  t.equal(gone.simulator.state.instances.length, 0);
  t.equal(gone.simulator.state.backups.length, 0);

  const kept = await readyWorld(t, { deletionPolicy: 'Retain' });
  await kept.remove('shop');
  t.ok(await kept.isGone('shop', MINUTE));
  t.match(kept.simulator.state.instances, [{ status: 'ACTIVE', tags: [] }]);
  t.equal(deletes(kept), 0);
});

t.test('the policy that counts is the one in the spec when the delete is sent', async (t) => {
  const world = await readyWorld(t, { deletionPolicy: 'Delete' });
  world.simulator.faults.add({ match: DELETE, kind: '409', times: 3 });
  await world.remove('shop');
  await world.clock.advance(2 * SECOND);
  await world.apply('shop', { deletionPolicy: 'Snapshot' });
  t.ok(await world.isGone('shop'));
  t.match(world.simulator.state.backups, [{ status: 'COMPLETED' }]);
});

t.test('a policy edited to Retain after the delete was sent comes too late: nothing is let go', async (t) => {
  const world = await readyWorld(t, { deletionPolicy: 'Delete' });
  await world.remove('shop');
  t.ok(await world.clock.runUntil(() => deletes(world) > 0, MINUTE));
  await world.apply('shop', { deletionPolicy: 'Retain' });
  t.notOk(await world.isGone('shop', 15 * SECOND));
  t.match(condition(await world.status('shop'), 'Progressing'), { reason: 'Deleting' });
  t.ok(await world.isGone('shop'));
  t.same([world.simulator.state.instances, deletes(world)], [[], 1]);
});

t.test(
  'a namespace or a CRD on its way out turns Snapshot into Retain; an explicit Delete stays',
  async (t) => {
    const kept = await readyWorld(t);
    await kept.kube('DELETE', '/api/v1/namespaces/team-a');
    t.ok(await kept.isGone('shop'));
    t.equal(kept.simulator.state.instances.length, 1, 'the database is kept');

    const crd = await readyWorld(t);
    const path = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de';
    await crd.kube(
      'PATCH',
      path,
      { metadata: { finalizers: ['customresourcecleanup.apiextensions.k8s.io'] } },
      'application/merge-patch+json',
    );
    await crd.kube('DELETE', path);
    await crd.remove('shop');
    t.ok(await crd.isGone('shop'));
    t.equal(crd.simulator.state.instances.length, 1);

    const asked = await readyWorld(t, { deletionPolicy: 'Delete' });
    await asked.kube('DELETE', '/api/v1/namespaces/team-a');
    t.ok(await asked.isGone('shop'));
    t.equal(asked.simulator.state.instances.length, 0);
  },
);

t.test('an Rds for which nothing was ever ordered goes at once, without the cloud', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { flavorref: 'rds.mysql.no.such' });
  await world.clock.advance(10 * SECOND);
  await world.byHand('GET', '/instances');
  world.simulator.faults.add({ kind: '503', times: 1000 });
  await world.remove('shop');
  t.ok(await world.isGone('shop', 10 * SECOND));
});

t.test('deleted while its create is on the way: the instance is waited for and removed', async (t) => {
  const world = await createWorld({ simulator: { listLagMs: 60 * SECOND } });
  t.teardown(() => world.stop());
  world.simulator.faults.add({ match: CREATE, kind: 'late', lateMs: 50 * SECOND, times: 1 });
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.clock.advance(5 * SECOND);
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.equal(world.simulator.state.instances.length, 0);
  t.equal(world.creates(), 1);
  await world.clock.advance(20 * MINUTE);
  t.equal(world.simulator.state.instances.length, 0, 'and nothing comes after');
});

t.test('lost answers of the delete and of the backup repeat neither', async (t) => {
  const world = await readyWorld(t);
  const backup = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/backups' };
  world.simulator.faults.add({ match: DELETE, kind: 'timeout-after', times: 1 });
  world.simulator.faults.add({ match: backup, kind: '500-after', times: 1 });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.equal(deletes(world), 1);
  t.equal(world.simulator.state.backups.length, 1);
});

t.test('a backup that may still be sent is settled before a delete without one', async (t) => {
  const world = await readyWorld(t);
  const backup = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/backups' };
  world.simulator.faults.add({ match: backup, kind: 'timeout-before', times: 1 });
  await world.remove('shop');
  await world.clock.advance(MINUTE);
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.clock.advance(3 * MINUTE);
  t.equal(deletes(world), 0, 'another replica may hold the claim of the backup');
  t.ok(await world.isGone('shop'));
  t.equal(deletes(world), 1);
  t.equal(world.simulator.state.instances.length, 0);
});

t.test('Retain lets nothing go while a backup or a change may still be sent', async (t) => {
  const sent = [
    { path: '/v3/{project}/backups', edit: {}, until: MINUTE },
    { path: '/v3/{project}/instances/{id}/action', edit: { volumesize: 60 }, until: 10 * SECOND },
  ] as const;
  for (const { path, edit, until } of sent) {
    const world = await readyWorld(t);
    const match = { service: 'rds' as const, method: 'POST' as const, path };
    world.simulator.faults.add({ match, kind: 'timeout-before', times: 1 });
    if ('volumesize' in edit) {
      await world.apply('shop', edit);
      const calls = () => world.simulator.calls().rds?.[`POST ${path}`] ?? 0;
      t.ok(await world.clock.runUntil(() => calls() > 0, MINUTE), 'the change was sent');
    }
    await world.remove('shop');
    await world.clock.advance(until);
    await world.apply('shop', { ...edit, deletionPolicy: 'Retain' });
    t.notOk(await world.isGone('shop', 3 * MINUTE), `another replica may hold the claim: ${path}`);
    t.match(condition(await world.status('shop'), 'Progressing'), { status: 'True' });
    t.ok(await world.isGone('shop'));
    t.match(world.simulator.state.instances, [{ status: 'ACTIVE', tags: [] }]);
    t.equal(deletes(world), 0);
  }
});

t.test('finalize for a living Rds (a label edit) destroys nothing', async (t) => {
  const world = await readyWorld(t);
  const settled = world.calls.findLast(({ path }) => path.endsWith('/sync'));
  const body = { ...(settled?.body as object), finalizing: true };
  const answer = world.app.inject({ method: 'POST', url: '/finalize', payload: body });
  await world.clock.advance(10 * SECOND);
  const { finalized, children } = (await answer).json();
  t.notOk(finalized);
  t.equal(children.length, 4);
  t.equal(world.simulator.state.instances.length, 1);
  t.equal(deletes(world), 0);
});

t.test('a late sync for a closed Rds starts nothing', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.reaches('shop', 'Ready');
  const first = world.calls.find(({ path }) => path.endsWith('/sync'));
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  const replay = world.app.inject({ method: 'POST', url: '/sync', payload: first?.body as object });
  await world.clock.advance(10 * SECOND);
  t.match(await replay, { statusCode: 429, headers: { 'retry-after': /\d+/ } });
  t.equal(world.creates(), 1);
});

t.test('a replica that cannot ask the cloud does not take turns with one that can', async (t) => {
  const world = await readyWorld(t, { deletionPolicy: 'Snapshot' });
  await world.remove('shop');
  await world.clock.advance(20 * SECOND);
  t.match(condition(await world.status('shop'), 'Progressing'), { status: 'True' });
  const last = world.calls.findLast(({ path }) => path.endsWith('/finalize'))?.body as { parent: object };
  const payload = { ...last, parent: (await world.rds('shop')) as object };
  const openCloud = () => {
    throw new TerminalError('no', { code: 'IAM', outcome: 'refused' });
  };
  const other = await world.startReplica({ openCloud });
  t.teardown(() => other.close());
  const ask = () => other.inject({ method: 'POST', url: '/finalize', payload });
  t.match(await ask(), { statusCode: 429 });
  world.pauseLoops();
  await world.clock.advance(2 * MINUTE);
  const { status } = (await ask()).json();
  t.match(condition(status, 'Progressing'), { status: 'Unknown', reason: 'CloudForbidden' }, 'old news');
});

t.test('Retain with credentials that do not work any more finalizes without the cloud', async (t) => {
  const world = await readyWorld(t, { deletionPolicy: 'Retain', credentialsSecretRef: { name: 'tenant' } });
  t.match(condition(await world.status('shop'), 'Synced'), { reason: 'CredentialsInvalid' });
  await world.remove('shop');
  t.ok(await world.isGone('shop', MINUTE));
});

t.test('an instance that was let go is never touched again, whatever the spec says later', async (t) => {
  const world = await readyWorld(t, { deletionPolicy: 'Retain' });
  const hold = {
    metadata: { finalizers: ['example.org/hold', 'metacontroller.io/compositecontroller-rds'] },
  };
  await world.kube('PATCH', world.rdsPath('shop'), hold, 'application/merge-patch+json');
  await world.remove('shop');
  await world.clock.advance(MINUTE);
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.clock.advance(30 * MINUTE);
  t.ok(await world.rds('shop'), 'somebody else still holds the object');
  t.match(world.simulator.state.instances, [{ status: 'ACTIVE', tags: [] }]);
  t.equal(deletes(world), 0);
});

t.test('a namespace on its way out takes its Events along: the trail is kept in our own', async (t) => {
  const world = await createWorld({});
  t.teardown(() => world.stop());
  await world.apply('shop', { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 });
  await world.reaches('shop', 'Ready');
  const { id } = await world.status('shop');
  await world.kube('DELETE', '/api/v1/namespaces/team-a');
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  await world.clock.advance(MINUTE);
  t.equal(world.simulator.state.instances.length, 1, 'Snapshot acts as Retain');
  const { body } = await world.kube('GET', '/api/v1/namespaces/rds-pilot/configmaps');
  const kept = (body as { items: { data: Record<string, string> }[] }).items.map(({ data }) => data);
  t.match(kept, [{ rds: 'team-a/shop', instanceId: id, adopt: `otc.mcsps.de/adopt: ${id}` }]);
  const events = await world.kube('GET', '/api/v1/namespaces/rds-pilot/events');
  t.match((events.body as { items: unknown[] }).items, [
    { reason: 'DatabaseLetGo', message: new RegExp(id ?? '-') },
  ]);
});
