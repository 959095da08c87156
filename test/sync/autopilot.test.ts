import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { condition, HOUR, MINUTE } from '../support/world.ts';
import { ACT, autopilotWorld, BASE } from './autopilot-world.ts';

const act = (autopilot: RdsSpec['autopilot'], more: RdsSpec = {}): RdsSpec => ({
  ...BASE,
  ...more,
  autopilot: { mode: 'Act', ...autopilot },
});

t.test('what is complete is not told as moving, however late it is noticed', async (t) => {
  const world = await autopilotWorld(t, { ...ACT, endpoint: 'https://alarms.example.com/' });
  const { uid } = (await world.rds('shop'))?.metadata ?? {};
  const path = `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`;
  const journal = async () =>
    JSON.parse((await world.object(path))?.metadata.annotations?.['otc.mcsps.de/journal'] ?? '{}');
  const noted = { ...(await journal()), scale: { isMoving: true } };
  const annotations = { 'otc.mcsps.de/journal': JSON.stringify(noted) };
  await world.kube('PATCH', path, { metadata: { annotations } }, 'application/merge-patch+json');
  const told = new Set<string>();
  world.api.watch(({ object }) => {
    if (object.kind === 'Rds')
      told.add(condition(object.status as RdsStatus, 'AutopilotReady')?.reason ?? '');
  });
  // An address that has not confirmed is asked again every hour.
  await world.wait(70);
  t.equal((await journal()).scale.isMoving, undefined, 'it was looked at');
  t.same([...told], []);
});

t.test('an alarm becomes a larger disk, once, and the alarm goes off', async (t) => {
  const world = await autopilotWorld(t);
  t.match(await world.told(), { status: 'True', reason: 'Watching' });
  t.match(await world.status('shop'), { autopilot: true });
  await world.load({ disk: 92 });
  await world.wait(40);
  t.equal(world.instance()?.volumeGb, 50);
  await world.wait(120);
  t.equal(world.count('enlarge'), 1, 'once');
  t.match((await world.status('shop')).scaling, {
    volumeGb: 50,
    history: [
      { what: 'disk 40 -> 50 GB', because: /^disk 92 % of 40 GB in use for 15 minutes, threshold 90 %$/ },
    ],
  });
  t.same(
    world.alarms().map(({ state }) => state),
    ['ok', 'ok', 'ok'],
  );
  t.match(await world.told(), { reason: 'Watching' });
  t.equal((await world.rds('shop'))?.spec.volumesize, 40, 'the spec is as it was');
  const { items } = (await world.kube('GET', '/api/v1/namespaces/team-a/events')).body as {
    items: { reason: string; message: string }[];
  };
  t.match(
    items.filter(({ reason }) => reason === 'Scaled'),
    [{ message: /^disk 40 -> 50 GB: disk 92 %/ }],
    'one Event tells it',
  );
});

t.test('a disk that fills fast grows by more than one step', async (t) => {
  const world = await autopilotWorld(t, act({ storage: { stepGb: 10, maxGb: 400 } }));
  await world.load({ growthGbPerDay: 432 });
  await world.wait(150);
  const first = (await world.status('shop')).scaling?.history?.at(-1);
  t.match(
    first,
    { what: 'disk 40 -> 60 GB' },
    '0.3 GB a minute: 10 GB would not last until the next decision',
  );
});

t.test('a large disk grows by as many steps as bring it below the threshold', async (t) => {
  const world = await autopilotWorld(t, act({ storage: { maxGb: 2000 } }, { volumesize: 1000 }));
  await world.load({ disk: 93 });
  await world.wait(45);
  t.equal(world.instance()?.volumeGb, 1040);
});

t.test('the bound holds, and is told', async (t) => {
  const world = await autopilotWorld(t, act({ storage: { stepGb: 30, maxGb: 50 } }));
  await world.load({ disk: 95 });
  await world.wait(60);
  t.equal(world.instance()?.volumeGb, 50);
  await world.load({ disk: 95 });
  await world.wait(60);
  t.equal(world.instance()?.volumeGb, 50);
  t.match(await world.told(), {
    status: 'False',
    reason: 'AtBound',
    message: /spec.autopilot.storage.maxGb allows no more than 50 GB/,
  });
  const version = (await world.rds('shop'))?.metadata.resourceVersion;
  await world.wait(60);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, version, 'and the text does not move');
});

t.test('a full disk needs no alarm', async (t) => {
  const world = await autopilotWorld(t);
  await world.load({ disk: 99 });
  t.equal(world.instance()?.status, 'STORAGE FULL');
  await world.wait(8);
  t.match(world.instance(), { volumeGb: 50, status: 'ACTIVE' });
  t.match((await world.status('shop')).scaling?.history, [{ because: /STORAGE FULL/ }]);
});

t.test(
  'a full disk does not wait for an operation of unknown outcome, which is settled afterwards',
  async (t) => {
    const world = await autopilotWorld(t);
    world.simulator.faults.add({
      match: { service: 'rds', method: 'POST', path: '/v3/{project}/instances/{id}/action' },
      kind: 'timeout-before',
    });
    await world.annotate('shop', { 'otc.mcsps.de/restart': 'monday' });
    await world.clock.advance(20_000);
    t.match(await world.told('Progressing'), { reason: 'RestartUnknown' });
    await world.load({ disk: 99 });
    await world.clock.advance(4 * MINUTE);
    t.equal(world.instance()?.volumeGb, 50, 'within the settle time of the restart');
    t.equal(world.count('restart'), 0);
    await world.wait(10);
    t.equal(world.count('restart'), 1, 'the restart comes once it is certain that it did not happen');
    t.equal(world.count('enlarge'), 1);
  },
);

t.test('cpu takes the next larger machine, memory one with more memory', async (t) => {
  const world = await autopilotWorld(t, act({ compute: { maxFlavor: 'rds.mysql.n1.2xlarge.2' } }));
  await world.load({ cpu: 95 });
  await world.wait(45);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2');
  t.match(await world.status('shop'), {
    scaling: { flavor: 'rds.mysql.n1.xlarge.2', history: [{ because: /^cpu 95 % for 15 minutes/ }] },
    plan: [],
  });
  await world.wait(60);
  t.equal(world.count('resize'), 1, 'the same work is half the load now');
  await world.load({ mem: 97 });
  await world.wait(60);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.4', 'as many cores, more memory');
  t.equal((await world.rds('shop'))?.spec.flavorref, 'rds.mysql.n1.large.2');
});

t.test('a machine that is sold out is passed over', async (t) => {
  const world = await autopilotWorld(t, act({}));
  world.simulator.faults.add({ kind: 'sold-out', flavor: 'rds.mysql.n1.xlarge.2', times: 1_000 });
  await world.wait(15);
  await world.load({ cpu: 95 });
  await world.wait(60);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.4');
});

t.test('read replicas follow their primary', async (t) => {
  const world = await autopilotWorld(t, act({}, { readReplicas: [{ name: 'reports' }] }));
  await world.wait(15);
  const replica = () => world.simulator.state.instances.find(({ name }) => name.startsWith('rr-'));
  t.equal(replica()?.flavor, 'rds.mysql.n1.large.2.rr');
  await world.load({ cpu: 95, disk: 93 });
  await world.wait(150);
  t.match(world.instance(), { flavor: 'rds.mysql.n1.xlarge.2', volumeGb: 50 });
  t.match(replica(), { flavor: 'rds.mysql.n1.xlarge.2.rr', volumeGb: 50 });
});

t.test('an HA instance keeps its mode', async (t) => {
  const world = await autopilotWorld(
    t,
    act(
      { compute: { maxFlavor: 'rds.mysql.n1.xlarge.2' } },
      {
        hamode: 'Ha',
        availabilityzone: 'eu-de-01,eu-de-02',
        flavorref: 'rds.mysql.n1.large.2.ha',
      },
    ),
  );
  await world.load({ cpu: 95 });
  await world.wait(60);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2.ha');
});

t.test('the machine shrinks again after a quiet time, and not below its bound', async (t) => {
  const world = await autopilotWorld(
    t,
    act({ compute: { minFlavor: 'rds.mysql.n1.large.2', scaleDown: { belowPercent: 40, forMinutes: 60 } } }),
  );
  await world.load({ cpu: 95, mem: 30 });
  await world.wait(45);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2');
  await world.load({ cpu: 10, mem: 15 });
  await world.wait(40);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2', 'not quiet for long enough');
  await world.wait(150);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.large.2');
  t.match((await world.status('shop')).scaling?.history?.[0], {
    because: /cpu and memory below 40 % for 60 minutes/,
  });
  await world.wait(300);
  t.equal(world.count('resize'), 2, 'and stays there');
});

t.test('it shrinks only in the window, and only where the same work would fit', async (t) => {
  const window = { maintenanceWindow: { start: '20:00', end: '00:00' } };
  const compute = { minFlavor: 'rds.mysql.n1.medium.2', scaleDown: { belowPercent: 60, forMinutes: 60 } };
  const world = await autopilotWorld(t, act({ compute }, { ...window, flavorref: 'rds.mysql.n1.xlarge.2' }));
  await world.load({ cpu: 20, mem: 20 });
  await world.wait(9 * 60);
  t.equal(world.count('resize'), 0, 'before the window');
  await world.wait(5 * 60);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.large.2');
  await world.load({ cpu: 45, mem: 45 });
  await world.wait(24 * 60);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.large.2', '45 % would be 90 % of half the machine');
});

t.test('a larger machine waits for the window as every change that clients notice', async (t) => {
  const window = { maintenanceWindow: { start: '20:00', end: '00:00' } };
  const world = await autopilotWorld(t, act({}, window));
  await world.load({ cpu: 95 });
  await world.wait(60);
  t.equal(world.count('resize'), 0);
  t.match((await world.status('shop')).plan, [
    { field: 'autopilot.flavor', when: /window from 2026-11-16T20/ },
  ]);
  t.match(await world.told(), { reason: 'Scaling' });
  await world.load({ disk: 95 });
  await world.clock.advance(11 * HOUR);
  await world.wait(150);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2');
});

t.test('Recommend only tells', async (t) => {
  const world = await autopilotWorld(t, { ...BASE, autopilot: { mode: 'Recommend' } });
  await world.load({ disk: 92 });
  await world.wait(60);
  t.equal(world.instance()?.volumeGb, 40);
  t.match(await world.told(), {
    status: 'True',
    reason: 'Recommendation',
    message: /^The autopilot would change disk 40 -> 50 GB: disk 92 % of 40 GB/,
  });
  t.equal((await world.status('shop')).scaling, undefined);
  await world.load({ disk: 30 });
  await world.wait(30);
  t.match(await world.told(), { reason: 'Watching' });
});

t.test('a later word of the user wins', async (t) => {
  const world = await autopilotWorld(t, act({}));
  await world.load({ cpu: 95 });
  await world.wait(45);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2');
  await world.apply('shop', act({}, { tags: { team: 'a' } }));
  await world.wait(20);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2', 'another field is no word about the machine');
  await world.load({ cpu: 10 });
  await world.apply('shop', act({}, { flavorref: 'rds.mysql.n1.medium.2' }));
  await world.wait(40);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.medium.2');
  t.notOk((await world.status('shop')).scaling?.flavor);
  t.notOk(world.instance()?.tags.some(({ key }) => key === 'rds-pilot-scaled'));
});

t.test('a lost journal and status do not make a scaled machine look like drift', async (t) => {
  const world = await autopilotWorld(t, act({}));
  await world.load({ cpu: 95 });
  await world.wait(45);
  t.equal(world.instance()?.flavor, 'rds.mysql.n1.xlarge.2');
  t.ok(world.instance()?.tags.some(({ key }) => key === 'rds-pilot-scaled'));
  const uid = (await world.rds('shop'))?.metadata.uid;
  await world.kube('DELETE', `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
  await world.kube(
    'PATCH',
    `${world.rdsPath('shop')}/status`,
    { status: null },
    'application/merge-patch+json',
  );
  await world.wait(60);
  t.match(await world.status('shop'), { phase: 'Ready', flavor: 'rds.mysql.n1.xlarge.2', plan: [] });
  t.equal(world.count('resize'), 1);
  t.equal(world.creates(), 1);
});

t.test('an alarm that lasts is acted on again only by values of the new size', async (t) => {
  const world = await autopilotWorld(t, act({ cooldownMinutes: 5 }));
  await world.load({ cpu: 95 });
  await world.wait(35);
  t.equal(world.count('resize'), 1);
  await world.wait(60);
  t.equal(world.count('resize'), 1, 'the alarm was on for a quarter of an hour after the change');
  await world.load({ cpu: 96 });
  await world.wait(40);
  t.equal(world.count('resize'), 2, 'a new load is a new reason');
});

t.test('the cooldown holds back the next decision', async (t) => {
  const world = await autopilotWorld(t, act({ cooldownMinutes: 240 }));
  await world.load({ disk: 92 });
  await world.wait(45);
  t.equal(world.instance()?.volumeGb, 50);
  await world.load({ disk: 95 });
  await world.wait(150);
  t.equal(world.instance()?.volumeGb, 50);
  await world.wait(90);
  t.equal(world.instance()?.volumeGb, 60);
});

t.test('a disk that the user enlarges meanwhile is not enlarged once more', async (t) => {
  const world = await autopilotWorld(t, act({}));
  await world.load({ disk: 92 });
  await world.wait(12);
  await world.apply('shop', act({}, { volumesize: 80 }));
  await world.wait(60);
  t.equal(world.instance()?.volumeGb, 80);
  t.equal(world.count('enlarge'), 1);
});

t.test('a push is looked after at once, and each once', async (t) => {
  const world = await autopilotWorld(t, act({}));
  await world.load({ disk: 92 });
  await world.alarmed();
  const before = world.calls.length;
  await world.annotate('shop', { 'otc.mcsps.de/alarm': 'message-1' });
  await world.clock.advance(5_000);
  t.equal((await world.status('shop')).handled?.['otc.mcsps.de/alarm'], 'message-1');
  t.match((await world.status('shop')).scaling, { volumeGb: 50 });
  t.ok(world.calls.length > before);
  await world.clock.advance(15_000);
  t.equal(world.count('enlarge'), 1, 'although the shared list of alarms is older than the alarm');
  await world.wait(30);
  await world.annotate('shop', { 'otc.mcsps.de/alarm': 'message-2' });
  await world.wait(10);
  t.equal((await world.status('shop')).handled?.['otc.mcsps.de/alarm'], 'message-2');
  t.equal(world.count('enlarge'), 1, 'a push is no reason by itself');
});

t.test('two replicas that are called at the same time decide once', async (t) => {
  const world = await autopilotWorld(t, act({}));
  const other = await world.startReplica();
  t.teardown(() => other.close());
  await world.load({ disk: 92 });
  await world.alarmed();
  await world.annotate('shop', { 'otc.mcsps.de/alarm': 'message-1' });
  const payload = { parent: await world.rds('shop'), children: {}, related: {}, finalizing: false };
  const answers = await Promise.all(
    [world.app, other, world.app, other].map((app) => app.inject({ method: 'POST', url: '/sync', payload })),
  );
  t.ok(answers.every(({ statusCode }) => statusCode === 200 || statusCode === 429));
  await world.wait(60);
  t.equal(world.count('enlarge'), 1);
  t.equal(world.instance()?.volumeGb, 50);
  t.equal((await world.status('shop')).scaling?.history?.length, 1);
});

t.test('the address alone is the old way: it acts, with the old numbers', async (t) => {
  const world = await autopilotWorld(t, { ...BASE, endpoint: 'https://alarms.example.com/' });
  t.match(await world.status('shop'), { autopilot: true });
  await world.load({ disk: 92 });
  await world.wait(45);
  t.equal(world.instance()?.volumeGb, 50);
  t.match(ACT.autopilot, { mode: 'Act' });
});
