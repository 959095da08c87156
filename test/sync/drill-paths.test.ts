// Every way that a drill can go, as a user sees it: the result, and that nothing is left of it.

import t, { type Test } from 'tap';
import { TerminalError } from '../../src/errors.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { condition, demoCredentials, HOUR, MINUTE, SECOND } from '../support/world.ts';
import { BASE, createDrillWorld, type DrillWorld, withDrill } from './drill-world.ts';

type Options = NonNullable<Parameters<typeof createDrillWorld>[1]>;

/** Ready before the first full hour, when the first drill is due. */
async function readyWorld(t: Test, spec: RdsSpec = withDrill(), options: Options = {}): Promise<DrillWorld> {
  const world = await createDrillWorld(t, options);
  await world.apply('shop', spec);
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(2 * MINUTE);
  return world;
}

const begins = (world: DrillWorld) => world.until(() => world.throwaways().length > 0, 2 * HOUR);
const creates = (world: DrillWorld) =>
  world.simulator.state.events.filter(({ kind, name }) => kind === 'create' && name.startsWith('drill-'))
    .length;

async function nothingIsLeft(t: Test, world: DrillWorld): Promise<void> {
  await world.clock.advance(30 * MINUTE);
  t.same([world.throwaways(), world.jobs(), world.secrets()], [[], [], []], 'nothing is left');
  t.match(await world.status('shop'), { phase: 'Ready' });
  t.equal((await world.journal()).drill?.run, undefined);
}

const CREATE = { method: 'POST', path: '/v3/{project}/instances' };
const DELETE = { method: 'DELETE', path: '/v3/{project}/instances/{id}' };

t.test('a check that fails is a failed drill, told as a condition and an Event', async (t) => {
  const world = await readyWorld(t, withDrill({ checks: ['SELECT 1', 'SELECT 0'] }), { hasJobs: true });
  t.ok(await world.until(() => world.jobs().length === 1, 2 * HOUR));
  const [job] = world.jobs();
  if (job) await world.ends(job, { passed: 1, failed: [{ check: 2, why: 'the query gave no row' }] });
  t.match(await world.told(), {
    status: 'False',
    reason: 'DrillFailed',
    message: /Backup .* was restored in \d+ s, but check 2: the query gave no row/,
  });
  t.match((await world.drill())?.last, { result: 'Failed' });
  const events = world.api.dump().filter(({ kind }) => kind === 'Event');
  t.match(
    events.filter((event) => event.reason === 'DrillFailed'),
    [{ type: 'Warning', involvedObject: { name: 'shop' } }],
  );
  await nothingIsLeft(t, world);
});

t.test('a Job that never starts does not keep the throwaway', async (t) => {
  const world = await readyWorld(t, withDrill(), { hasJobs: true });
  t.ok(await world.until(() => world.jobs().length === 1, 2 * HOUR));
  await world.clock.advance(31 * MINUTE);
  t.match(await world.told(), { reason: 'DrillFailed', message: /did not end within half an hour/ });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
});

t.test('a Secret that somebody removed proves nothing either way', async (t) => {
  const world = await readyWorld(t, withDrill(), { hasJobs: true });
  t.ok(await begins(world));
  const [secret] = world.secrets();
  await world.kube('DELETE', `/api/v1/namespaces/team-a/secrets/${secret?.metadata.name}`);
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
  t.match(await world.told(), { status: 'Unknown', reason: 'DrillPending' });
});

for (const [what, spec, options, message] of [
  [
    'no backup at all',
    withDrill(),
    { simulator: { automatedBackups: false } },
    /there is no complete backup/,
  ],
  [
    'no moment to go back to',
    withDrill({ source: 'PointInTime' }),
    { simulator: { automatedBackups: false } },
    /no moment can be restored/,
  ],
  [
    'a flavor that does not exist',
    withDrill({ flavor: 'rds.no.such' }),
    {},
    /spec\.backup\.drill\.flavor: flavor rds\.no\.such does not exist .*possible are rds\.mysql/,
  ],
  [
    'a quota that is used up',
    withDrill(),
    { simulator: { instanceQuota: 1 } },
    /the quota of instances is used up/,
  ],
  [
    'a process without a journal',
    withDrill(),
    { deps: { memorySince: 0 } },
    /without a journal in the cluster/,
  ],
] as const) {
  t.test(`${what}: the drill fails before anything is ordered`, async (t) => {
    const world = await readyWorld(t, spec, options as Options);
    await world.clock.advance(HOUR);
    t.match(await world.told(), { status: 'False', reason: 'DrillFailed', message });
    t.equal(creates(world), 0);
    t.match(await world.status('shop'), { phase: 'Ready' });
    t.match(condition(await world.status('shop'), 'Synced'), { status: 'True' });
    const before = world.calls.length;
    await world.clock.advance(20 * MINUTE);
    t.ok(world.calls.length - before < 25, 'and it is not tried again before its next time');
  });
}

t.test('a restore that the cloud cannot do is told with its reason', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: CREATE, kind: 'failed-build', times: 1 });
  t.ok(await begins(world));
  t.ok(await world.until(() => world.throwaways().length === 0, 2 * HOUR));
  t.match(await world.told(), {
    reason: 'DrillFailed',
    message: /It says: Failed to create the DB instance/,
  });
  t.equal(creates(world), 1);
});

t.test(
  'a restore that takes for ever is given up, and removed as soon as the cloud lets go of it',
  async (t) => {
    const world = await readyWorld(t, { ...BASE, backup: { drill: { schedule: '0 9 * * *' } } });
    world.simulator.faults.add({ match: CREATE, kind: 'stuck-build', times: 1 });
    t.ok(await begins(world));
    await world.clock.advance(7 * HOUR);
    t.match(await world.told(), { reason: 'DrillFailed', message: /was not restored within six hours/ });
    t.match((await world.drill())?.running, { step: 'Removing' });
    t.equal(world.throwaways().length, 1, 'what the cloud still builds cannot be deleted');
    t.equal(creates(world), 1);
  },
);

t.test('missed times are made up for once', async (t) => {
  const world = await readyWorld(t);
  const down = await world.clock.runUntil(() => false, MINUTE);
  t.notOk(down);
  world.pauseLoops();
  await world.clock.advance(5 * HOUR);
  t.equal(creates(world), 0);
  await world.restartLoop();
  await world.clock.advance(40 * MINUTE);
  t.equal(creates(world), 1);
  t.match((await world.drill())?.nextAt, '2026-11-16T14:00:00Z');
});

t.test('a schedule that is added later does not count times of the past', async (t) => {
  const world = await readyWorld(t, BASE);
  await world.clock.advance(26 * HOUR);
  await world.apply('shop', withDrill());
  await world.clock.advance(15 * MINUTE);
  t.equal(creates(world), 0);
  t.match(await world.drill(), { nextAt: '2026-11-17T11:00:00Z' });
});

t.test('never more than one at a time, however tight the schedule', async (t) => {
  const world = await readyWorld(t, { ...BASE, backup: { drill: { schedule: '* * * * *' } } });
  let most = 0;
  for (let minute = 0; minute < 3 * 60; minute += 1) {
    await world.clock.advance(MINUTE);
    most = Math.max(most, world.throwaways().length);
  }
  t.equal(most, 1);
  t.ok(creates(world) > 3);
});

for (const [what, edit] of [
  ['taken out of the spec', BASE],
  ['changed', withDrill({ flavor: 'rds.mysql.c2.medium' })],
  ['paused', { ...withDrill(), paused: true }],
] as const) {
  t.test(`a drill that is ${what} ends at once, and its throwaway goes`, async (t) => {
    const world = await readyWorld(t);
    t.ok(await begins(world));
    await world.apply('shop', edit);
    t.ok(await world.until(() => world.throwaways().length === 0, 30 * MINUTE));
    await world.clock.advance(6 * MINUTE);
    t.equal((await world.journal()).drill?.run, undefined);
    t.equal(creates(world), 1);
    t.not((await world.told())?.reason, 'DrillFailed', 'that is no failure');
    t.same(world.secrets(), []);
  });
}

t.test('a dry run freezes it', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  await world.annotate('shop', { 'otc.mcsps.de/dry-run': 'true' });
  await world.clock.advance(2 * HOUR);
  t.equal(world.throwaways().length, 1);
  await world.annotate('shop', { 'otc.mcsps.de/dry-run': null });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
});

for (const policy of ['Snapshot', 'Delete', 'Retain'] as const) {
  t.test(`${policy}: a deleted Rds takes its throwaway along`, async (t) => {
    const world = await readyWorld(t, { ...withDrill(), deletionPolicy: policy });
    t.ok(await begins(world));
    await world.remove('shop');
    let leftWhenGone = -1;
    world.api.watch(({ type, object }) => {
      if (type === 'DELETED' && object.kind === 'Rds') leftWhenGone = world.throwaways().length;
    });
    t.ok(await world.isGone('shop', 2 * HOUR));
    t.equal(leftWhenGone, 0, 'it goes before the Rds does');
    t.equal(world.simulator.state.instances.length, policy === 'Retain' ? 1 : 0);
    await world.clock.advance(HOUR);
    t.equal(creates(world), 1);
    const leases = world.api.dump().filter(({ metadata }) => metadata.name.startsWith('rds-instance-'));
    t.same(leases, [], 'no mark is left');
  });
}

t.test('an Rds that is deleted while its drill draws a password leaves nothing', async (t) => {
  const world = await readyWorld(t);
  t.ok(await world.until(() => world.secrets().length > 0, 2 * HOUR));
  await world.remove('shop');
  t.ok(await world.isGone('shop', 2 * HOUR));
  t.equal(creates(world), 0);
  t.same(world.secrets(), []);
});

t.test('without credentials a forced delete does not wait for the throwaway', async (t) => {
  const world = await createDrillWorld(t, { deps: { defaultCredentials: undefined } });
  await world.secret('otc-credentials', demoCredentials);
  await world.apply('shop', { ...withDrill(), deletionPolicy: 'Retain' });
  t.ok(await world.reaches('shop', 'Ready'));
  t.ok(await begins(world));
  await world.kube('DELETE', '/api/v1/namespaces/team-a/secrets/otc-credentials');
  await world.remove('shop');
  t.notOk(await world.isGone('shop', HOUR), 'it holds the delete');
  const told = {
    status: 'Unknown',
    reason: 'CredentialsInvalid',
    message: /throwaway instance .*force-delete/,
  };
  t.match(condition(await world.status('shop'), 'Progressing'), told);
  await world.annotate('shop', { 'otc.mcsps.de/force-delete': 'true' });
  t.ok(await world.isGone('shop', HOUR));
});

t.test('a cloud that refuses once does not cost a forced delete its throwaway', async (t) => {
  const force = { 'otc.mcsps.de/force-delete': 'true' };
  const world = await readyWorld(t, { ...withDrill(), deletionPolicy: 'Retain' });
  t.ok(await begins(world));
  await world.annotate('shop', force);
  await world.remove('shop');
  await world.clock.advance(20 * SECOND);
  world.pauseLoops();
  const last = world.calls.findLast(({ path }) => path.endsWith('/finalize'))?.body as object;
  const openCloud = () => {
    throw new TerminalError('no', { code: 'IAM', outcome: 'refused' });
  };
  const other = await world.startReplica({ openCloud });
  t.teardown(() => other.close());
  const parent = (await world.rds('shop')) as object;
  const ask = (status: object) =>
    other.inject({ method: 'POST', url: '/finalize', payload: { ...last, parent: { ...parent, status } } });
  await world.clock.advance(2 * MINUTE);
  const { status, finalized } = (await ask(await world.status('shop'))).json();
  t.notOk(finalized);
  t.match(condition(status, 'Progressing'), { status: 'Unknown', reason: 'CloudForbidden' });
  await world.clock.advance(3 * HOUR);
  t.match((await ask(status)).json(), { finalized: true }, 'what lasts was told');
});

for (const kind of ['timeout-after', '500-after', 'late'] as const) {
  t.test(`create ${kind}: one throwaway, found again by its name`, async (t) => {
    const world = await readyWorld(t);
    world.simulator.faults.add({ match: CREATE, kind, times: 1, lateMs: 50 * SECOND });
    t.ok(await begins(world));
    t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
    t.equal(creates(world), 1);
    await world.clock.advance(6 * MINUTE);
    t.match((await world.drill())?.last, { result: 'Passed' });
  });

  t.test(`delete ${kind}: it goes all the same`, async (t) => {
    const world = await readyWorld(t);
    t.ok(await begins(world));
    world.simulator.faults.add({ match: DELETE, kind, times: 1, lateMs: 50 * SECOND });
    t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
    await nothingIsLeft(t, world);
  });
}

t.test('a create that never took effect is sent again when that is certain', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: CREATE, kind: 'timeout-before', times: 1 });
  t.ok(await begins(world));
  t.ok(world.clock.now() > Date.parse('2026-11-16T09:05:00Z'), 'not before the settle time');
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
  t.equal(creates(world), 1);
});

t.test('while the cloud is busy it is tried again', async (t) => {
  const world = await readyWorld(t);
  world.simulator.faults.add({ match: CREATE, kind: '409', times: 3 });
  t.ok(await begins(world));
  world.simulator.faults.add({ match: DELETE, kind: '409', times: 3 });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
  await nothingIsLeft(t, world);
});

t.test('replicas come and go in the middle of it', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  for (let minute = 0; minute < 20; minute += 1) {
    await world.restartReplica();
    await world.restartLoop();
    await world.clock.advance(MINUTE);
  }
  t.equal(creates(world), 1);
  await nothingIsLeft(t, world);
});

t.test('it waits for a database that is stopped or busy', async (t) => {
  const world = await readyWorld(t, { ...withDrill(), stopped: true });
  await world.clock.advance(3 * HOUR);
  t.equal(creates(world), 0);
  const syncs = () => world.calls.filter(({ path }) => path.endsWith('/sync')).length;
  const before = syncs();
  await world.clock.advance(HOUR);
  t.ok(syncs() - before <= 70, `${syncs() - before} calls: at the pace of a settled one`);
  await world.apply('shop', { ...withDrill(), stopped: false });
  await world.clock.advance(30 * MINUTE);
  t.equal(creates(world), 1);
});

t.test('a change of the primary does not wait for a drill', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  await world.apply('shop', { ...withDrill(), volumesize: 60, flavorref: 'rds.mysql.n1.xlarge.2' });
  const { id } = await world.status('shop');
  const primary = () => world.simulator.state.instances.find((one) => one.id === id);
  t.ok(await world.until(() => primary()?.volumeGb === 60, 10 * MINUTE));
  t.match(world.throwaways(), [{ status: 'BUILD', volumeGb: 40 }], 'it still builds');
  t.ok(await world.until(() => primary()?.flavor === 'rds.mysql.n1.xlarge.2', 30 * MINUTE));
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
});

t.test('a change that the cloud refuses again and again does not keep the throwaway', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  world.simulator.faults.add({
    match: { method: 'POST', path: '/v3/{project}/instances/{id}/action' },
    kind: '403',
    times: 10_000,
  });
  await world.apply('shop', { ...withDrill(), volumesize: 60 });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
});

t.test('with the credentials of another account nothing is forgotten', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  await world.secret('elsewhere', { ...demoCredentials, OS_PROJECT_NAME: OTHER_PROJECT.name });
  await world.apply('shop', { ...withDrill(), credentialsSecretRef: { name: 'elsewhere' } });
  await world.clock.advance(2 * HOUR);
  t.equal(world.throwaways().length, 1);
  t.ok((await world.journal()).drill?.run, 'it is not believed to be gone');
  await world.apply('shop', withDrill());
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
});

t.test('nobody else can adopt the throwaway', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  const [throwaway] = world.throwaways();
  await world.apply('thief', { ...BASE }, { 'otc.mcsps.de/adopt': throwaway?.id ?? '' });
  t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
  await world.clock.advance(5 * MINUTE);
  t.not((await world.status('thief')).id, throwaway?.id);
});

t.test('a throwaway that somebody renamed is left to them', async (t) => {
  const world = await readyWorld(t);
  t.ok(await begins(world));
  const [throwaway] = world.throwaways();
  t.ok(await world.until(() => world.throwaways()[0]?.status === 'ACTIVE', HOUR));
  const { status } = await world.byHand('PUT', `/instances/${throwaway?.id}/name`, { name: 'rescued-data' });
  t.equal(status, 200);
  await world.clock.advance(30 * MINUTE);
  t.match(
    world.simulator.state.instances.find(({ id }) => id === throwaway?.id),
    { name: 'rescued-data', status: 'ACTIVE' },
  );
  t.equal((await world.journal()).drill?.run, undefined);
});

t.test('one that somebody removed is told, and nothing else is deleted', async (t) => {
  const world = await readyWorld(t, withDrill(), { hasJobs: true });
  t.ok(await world.until(() => world.jobs().length === 1, 2 * HOUR));
  const [throwaway] = world.throwaways();
  await world.byHand('DELETE', `/instances/${throwaway?.id}`);
  await world.clock.advance(20 * MINUTE);
  t.match(await world.told(), { reason: 'DrillFailed', message: /removed by somebody else/ });
  t.equal(world.simulator.state.instances.length, 1);
});

for (const [engine, spec] of [
  [
    'PostgreSQL',
    { datastoretype: 'PostgreSQL', datastoreversion: '16', flavorref: 'rds.pg.n1.large.2', port: '5432' },
  ],
  [
    'SQLServer',
    {
      datastoretype: 'SQLServer',
      datastoreversion: '2022_SE',
      flavorref: 'rds.mssql.n1.large.2',
      port: '1433',
    },
  ],
] as const) {
  t.test(`${engine}: a drill to the newest moment`, async (t) => {
    const drill = { schedule: '0 * * * *', source: 'PointInTime' as const, checks: ['SELECT 1'] };
    const world = await readyWorld(t, { ...BASE, ...spec, backup: { drill } }, { hasJobs: true });
    t.ok(await begins(world));
    t.match(world.throwaways(), [{ engine, restoredFrom: { time: Number } }]);
    if (engine === 'PostgreSQL') {
      t.ok(await world.until(() => world.jobs().length === 1, HOUR));
      const [job] = world.jobs();
      if (job) await world.ends(job, { passed: 1 });
    } else {
      t.ok(await world.until(() => world.throwaways().length === 0, HOUR));
      t.same(world.jobs(), []);
    }
    const message = engine === 'SQLServer' ? /1 checks were not run: for SQL Server/ : /1 check passed/;
    t.match(await world.told(), { status: 'True', reason: 'DrillPassed', message });
  });
}

t.test('of an HA instance the single form of its flavor is taken', async (t) => {
  const ha: RdsSpec = {
    ...withDrill(),
    hamode: 'Ha',
    flavorref: 'rds.mysql.n1.large.2.ha',
    availabilityzone: 'eu-de-01,eu-de-02',
  };
  const world = await readyWorld(t, ha);
  t.ok(await begins(world));
  t.match(world.throwaways(), [{ type: 'Single', flavor: 'rds.mysql.n1.large.2' }]);
});

t.test('a time that never comes is told, and everything else goes on', async (t) => {
  const world = await readyWorld(t, { ...BASE, backup: { drill: { schedule: '0 3 30 2 *' } } });
  t.match(await world.told(), {
    status: 'False',
    reason: 'DrillScheduleInvalid',
    message: /spec\.backup\.drill\.schedule "0 3 30 2 \*": that day never comes/,
  });
  t.match(condition(await world.status('shop'), 'Synced'), { status: 'True', reason: 'UpToDate' });
});

t.test('a settled Rds with a schedule costs nothing and is not written', async (t) => {
  const world = await readyWorld(t, { ...BASE, backup: { drill: { schedule: '0 3 * * 0' } } });
  await world.clock.advance(10 * MINUTE);
  const before = (await world.rds('shop'))?.metadata.resourceVersion;
  const calls = () => Object.values(world.simulator.calls().rds ?? {}).reduce((sum, one) => sum + one, 0);
  const asked = calls();
  await world.clock.advance(HOUR);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, before);
  t.ok(calls() - asked <= 61, `${calls() - asked} calls`);
});
