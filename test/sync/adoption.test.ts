import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { condition, createWorld, MINUTE, SECOND, type World } from '../support/world.ts';

const restarts = (world: World) =>
  world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0;

async function built(world: World, name: string, more: Record<string, unknown> = {}): Promise<string> {
  const id = await world.createByHand(name, more);
  await world.clock.advance(10 * MINUTE);
  return id;
}

t.test("an instance under the old operator's name is offered, and taken over on consent", async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const id = await built(world, 'team-a_shop', { volume: { type: 'COMMON', size: 60 }, port: '3310' });
  await world.apply('shop', { flavorref: 'rds.mysql.c2.medium' });
  await world.clock.advance(MINUTE);
  const offered = condition(await world.status('shop'), 'Ready');
  t.match(offered, { reason: 'AdoptionNeeded', message: new RegExp(`adopt=${id}`) });
  t.equal(world.creates(), 1, 'only the one made by hand');
  await world.annotate('shop', { 'otc.mcsps.de/adopt': id });
  t.ok(await world.reaches('shop', 'Ready'));
  const status = await world.status('shop');
  t.match(status, { id, volumeGb: 60, port: 3310, plan: [] }, 'defaults of the spec are no wishes');
  t.match(condition(status, 'CredentialsSafe'), { status: 'Unknown', reason: 'RootPasswordUnknown' });
  await world.clock.advance(10 * MINUTE);
  t.equal(world.simulator.state.instances.length, 1);
  t.equal(restarts(world), 0, 'neither restarted nor resized');
  t.match(world.simulator.state.instances[0]?.tags, [{ key: 'rds-pilot-uid' }]);
});

t.test('of several instances that may be meant each is named, in the same words every time', async (t) => {
  const world = await createWorld({ simulator: { shuffleList: true } });
  t.teardown(() => world.stop());
  const ids = [];
  for (let count = 0; count < 3; count += 1) ids.push(await built(world, 'team-a_shop'));
  await world.apply('shop', { flavorref: 'rds.mysql.c2.medium' });
  await world.clock.advance(MINUTE);
  const offered = condition(await world.status('shop'), 'Ready');
  t.equal(offered?.reason, 'AdoptionNeeded');
  for (const id of ids) t.match(offered?.message, id);
  const { resourceVersion } = (await world.rds('shop'))?.metadata ?? {};
  await world.clock.advance(60 * MINUTE);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, resourceVersion, 'written once');
});

t.test('an Rds that carries the id of the old operator is managed on without a question', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const id = await built(world, 'team-a_shop');
  await world.restartLoop();
  await world.kube('POST', '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss', {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', namespace: 'team-a' },
    spec: { password: 'A12345678+' },
  });
  await world.kube(
    'PATCH',
    `${world.rdsPath('shop')}/status`,
    { status: { id, ip: '192.168.0.10', status: 'ACTIVE', autopilot: false, logs: false, reboot: false } },
    'application/merge-patch+json',
  );
  t.ok(await world.reaches('shop', 'Ready'));
  t.match(await world.status('shop'), { id });
  t.equal(world.simulator.state.instances.length, 1);
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.equal(world.simulator.state.instances.length, 0);
});

t.test('the same Rds under a new UID is never answered with an empty second database', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { deletionPolicy: 'Retain' });
  t.ok(await world.reaches('shop', 'Ready'));
  const { id } = await world.status('shop');
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  await world.apply('shop', { deletionPolicy: 'Retain', passwordSecretRef: { name: 'own', key: 'pw' } });
  await world.secret('own', { pw: 'Chang3-me_now' });
  await world.clock.advance(MINUTE);
  t.match(condition(await world.status('shop'), 'Ready'), { reason: 'AdoptionNeeded' });
  await world.annotate('shop', { 'otc.mcsps.de/adopt': id ?? '' });
  t.ok(await world.reaches('shop', 'Ready'));
  t.equal(world.simulator.state.instances.length, 1);
});

t.test('the database of a living Rds cannot be adopted by another', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const { id } = await world.status('shop');
  await world.apply('thief', { deletionPolicy: 'Delete' }, { 'otc.mcsps.de/adopt': id ?? '' });
  await world.clock.advance(5 * MINUTE);
  t.match(condition(await world.status('thief'), 'Synced'), {
    status: 'False',
    message: /owned by another Rds/,
  });
  await world.remove('thief');
  t.ok(await world.isGone('thief'));
  t.equal(world.simulator.state.instances.length, 1);
  t.match(await world.status('shop'), { id, phase: 'Ready' });
});

t.test('a Lease that outlived an Rds which has let go is no obstacle', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const leases = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases';
  await world.apply('former', { deletionPolicy: 'Retain' });
  t.ok(await world.reaches('former', 'Ready'));
  const id = (await world.status('former')).id ?? '';
  const left = (await world.object(`${leases}/rds-instance-${id}`)) as object;
  await world.remove('former');
  t.ok(await world.isGone('former'));
  const lease = structuredClone(left) as { metadata: { resourceVersion?: string } };
  delete lease.metadata.resourceVersion;
  t.match(await world.kube('POST', leases, lease), { status: 201 }, 'as if it had never been dropped');
  await world.apply('shop', {}, { 'otc.mcsps.de/adopt': id });
  t.ok(await world.reaches('shop', 'Ready'));
  t.equal((await world.status('shop')).id, id);
});

t.test('two Rds with the same consent: one wins', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const id = await built(world, 'somebody-elses');
  await world.apply('one', {}, { 'otc.mcsps.de/adopt': id });
  await world.apply('two', {}, { 'otc.mcsps.de/adopt': id });
  await world.clock.advance(10 * MINUTE);
  const ids = [(await world.status('one')).id, (await world.status('two')).id];
  t.same(ids.filter((one) => one === id).length, 1);
  t.equal(world.simulator.state.instances.length, 1);
});

t.test('consent that comes while a create is on the way waits for it', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const other = await built(world, 'somebody-elses');
  const match = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/instances' };
  world.simulator.faults.add({ match, kind: 'late', lateMs: 50 * SECOND, times: 1 });
  await world.apply('shop', {});
  await world.clock.advance(5 * SECOND);
  await world.annotate('shop', { 'otc.mcsps.de/adopt': other });
  t.ok(await world.reaches('shop', 'Ready'));
  t.not((await world.status('shop')).id, other, 'the create that was under way is the one that counts');
});

t.test("consent to somebody else's instance does not hide our own create", async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('other', {});
  t.ok(await world.reaches('other', 'Ready'));
  const { id = '' } = await world.status('other');
  const match = { service: 'rds' as const, method: 'POST' as const, path: '/v3/{project}/instances' };
  world.simulator.faults.add({ match, kind: 'truncated', times: 1 });
  await world.apply('shop', {});
  await world.clock.advance(2 * SECOND);
  await world.annotate('shop', { 'otc.mcsps.de/adopt': id });
  await world.clock.advance(60 * MINUTE);
  t.equal(world.simulator.state.instances.length, 2);
  t.not((await world.status('shop')).id, id);
  await world.apply('shop', { deletionPolicy: 'Delete' }, { 'otc.mcsps.de/adopt': id });
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  t.match(world.simulator.state.instances, [{ id }], "and the other's database is untouched");
});

t.test('an instance that its Rds has not tagged yet is as safe as a tagged one', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const tags = {
    service: 'rds' as const,
    method: 'POST' as const,
    path: '/v3/{project}/instances/{id}/tags/action',
  };
  world.simulator.faults.add({ match: tags, kind: '409', times: 1_000 });
  const leases = '/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases';
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const { id = '' } = await world.status('shop');
  await world.kube('DELETE', `${leases}/rds-instance-${id}`);
  await world.apply('thief', { deletionPolicy: 'Delete' }, { 'otc.mcsps.de/adopt': id });
  await world.clock.advance(20 * SECOND);
  t.not((await world.status('thief')).id, id);
  t.match(condition(await world.status('thief'), 'Synced'), { message: /owned by another Rds/ });
});

t.test(
  'alarms and topics that the old operator left are named, and the telling ends with them',
  async (t) => {
    const world = await createWorld({});
    t.teardown(() => world.stop());
    const id = await world.createByHand('team-a_shop');
    await world.clock.advance(20 * MINUTE);
    const topic = await world.byHand('POST', `/smn/v2/${DEMO_PROJECT.id}/notifications/topics`, {
      name: 'team-a_shop',
    });
    const { topic_urn: urn } = topic.body as { topic_urn: string };
    const alarms = `/ces/V1.0/${DEMO_PROJECT.id}/alarms`;
    const made = await world.byHand('POST', alarms, {
      alarm_name: 'team-a_shop-cpu-util',
      metric: {
        namespace: 'SYS.RDS',
        metric_name: 'rds001_cpu_util',
        dimensions: [{ name: 'rds_cluster_id', value: id }],
      },
      condition: {
        period: 300,
        filter: 'average',
        comparison_operator: '>=',
        value: 90,
        unit: '%',
        count: 3,
      },
      alarm_enabled: true,
      alarm_action_enabled: true,
      alarm_actions: [{ type: 'notification', notificationList: [urn] }],
    });
    t.equal(made.status, 201, JSON.stringify(made.body));
    await world.apply('shop', { flavorref: 'rds.mysql.c2.medium' }, { 'otc.mcsps.de/adopt': id });
    await world.clock.advance(20 * MINUTE);
    t.match(condition(await world.status('shop'), 'OldOperatorGone'), {
      status: 'False',
      reason: 'OldAlarmsLeft',
      message: new RegExp(`team-a_shop-cpu-util.*${urn}`),
    });
    const { alarm_id: alarmId } = made.body as { alarm_id: string };
    t.equal((await world.byHand('DELETE', `${alarms}/${alarmId}`)).status, 204);
    await world.clock.advance(20 * MINUTE);
    t.match(condition(await world.status('shop'), 'OldOperatorGone'), { status: 'True' });
  },
);
