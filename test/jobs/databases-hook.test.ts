import t from 'tap';
import { userSecretName } from '../../src/rds/names.ts';
import { condition, MINUTE, SECOND } from '../support/world.ts';
import { createJobWorld } from './job-world.ts';

const APP = userSecretName('shop', 'app', '%');

t.test('declared databases and users become a Job once the server is up', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', {
    databases: ['goods'],
    users: [{ name: 'app', grants: [{ database: 'goods', privileges: ['ALL'] }] }],
  });
  t.ok(await world.reaches('shop', 'Creating'));
  t.same(await world.jobs(), [], 'not before');
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  t.match(await world.wishOf(job), {
    engine: 'MySQL',
    databases: ['goods'],
    users: [{ name: 'app', passwordFile: 'password-0' }],
    drop: { databases: [], users: [] },
  });
  const drawn = (await world.secretValues(APP)).password ?? '';
  t.match(drawn, /^.{28}$/);
  t.equal((await world.secretValues(job.metadata.name))['password-0'], drawn);
  t.match(await world.databasesReady(), { status: 'False', reason: 'DatabasesApplying' });
  t.notOk(JSON.stringify(await world.rds('shop')).includes(drawn), 'no password in the Rds');
  t.notOk(JSON.stringify(job).includes(drawn), 'nor in the Job');

  await world.ends(job);
  t.match(await world.databasesReady(), { status: 'True', reason: 'DatabasesApplied' });
  t.same(await world.jobs(), [], 'recorded and dropped');
  t.notOk((await world.secretNames()).includes(job.metadata.name), 'its Secret too');
  t.match((await world.status('shop')).databases, {
    databases: ['goods'],
    users: ['app@%'],
    job: { name: job.metadata.name, attempt: 1, state: 'Succeeded' },
  });
  t.match(await world.secretValues(APP), {
    type: 'mysql',
    username: 'app',
    password: drawn,
    database: 'goods',
    host: 'shop.team-a.svc',
    uri: `mysql://app:${drawn}@shop.team-a.svc:3306/goods`,
  });
  await world.clock.advance(60 * MINUTE);
  t.same(await world.jobs(), [], 'and it does not run again');
  t.equal((await world.secretValues(APP)).password, drawn, 'the password is never drawn anew');
});

t.test('the Job is restricted, has no token and gets the login from the connection Secret', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'] });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  t.ok(job.metadata.name.length <= 63);
  t.match(job.spec, {
    activeDeadlineSeconds: Number,
    backoffLimit: Number,
    template: {
      spec: {
        restartPolicy: 'Never',
        automountServiceAccountToken: false,
        securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
        containers: [
          {
            image: 'registry.example/rds-pilot:test',
            securityContext: {
              allowPrivilegeEscalation: false,
              readOnlyRootFilesystem: true,
              capabilities: { drop: ['ALL'] },
            },
          },
        ],
        volumes: [{ name: 'wish' }, { name: 'login', secret: { secretName: 'shop-connection' } }],
      },
    },
  });
  const { password } = await world.secretValues('shop-connection');
  t.notOk(JSON.stringify(job).includes(password ?? '-'));
  t.notOk(JSON.stringify(await world.secretValues(job.metadata.name)).includes(password ?? '-'));
});

t.test('a changed password goes to the server first and is published after that', async (t) => {
  const world = await createJobWorld(t);
  await world.secret('own', { pw: 'First-pass1' });
  const users = [{ name: 'app', passwordSecretRef: { name: 'own', key: 'pw' } }];
  await world.apply('shop', { users });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  t.same(await world.secretValues(APP), {}, 'nothing is published that does not work yet');
  const first = await world.onlyJob();
  t.equal((await world.secretValues(first.metadata.name))['password-0'], 'First-pass1');
  await world.ends(first);
  t.equal((await world.secretValues(APP)).password, 'First-pass1');

  const own = '/api/v1/namespaces/team-a/secrets/own';
  await world.kube('PATCH', own, { metadata: { labels: { a: 'b' } } }, 'application/merge-patch+json');
  await world.clock.advance(5 * MINUTE);
  t.same(await world.jobs(), [], 'a Secret that was only touched is not a new password');

  const data = { pw: Buffer.from('Second-pass2').toString('base64') };
  await world.kube('PATCH', own, { data }, 'application/merge-patch+json');
  await world.clock.advance(2 * MINUTE);
  const second = await world.onlyJob();
  t.not(second.metadata.name, first.metadata.name);
  t.equal((await world.secretValues(second.metadata.name))['password-0'], 'Second-pass2');
  t.equal((await world.secretValues(APP)).password, 'First-pass1', 'clients keep the one that works');
  await world.ends(second);
  t.equal((await world.secretValues(APP)).password, 'Second-pass2');
  await world.clock.advance(60 * MINUTE);
  t.same(await world.jobs(), [], 'and rests');
});

t.test(
  'a password in the spec is told apart by the generation, and changes only with its value',
  async (t) => {
    const world = await createJobWorld(t);
    const users = (password: string) => [{ name: 'app', password }];
    await world.apply('shop', { users: users('First-pass1') });
    await world.reaches('shop', 'Ready');
    await world.clock.advance(10 * SECOND);
    await world.ends(await world.onlyJob());
    t.equal((await world.secretValues(APP)).password, 'First-pass1');
    await world.apply('shop', { users: users('First-pass1'), backupkeepdays: 7 });
    await world.clock.advance(5 * MINUTE);
    t.same(await world.jobs(), [], 'another field is no reason');
    await world.apply('shop', { users: users('Second-pass2'), backupkeepdays: 7 });
    await world.clock.advance(2 * MINUTE);
    await world.ends(await world.onlyJob());
    t.equal((await world.secretValues(APP)).password, 'Second-pass2');
  },
);

t.test('what failed is named, the rest is published, and it is tried again later', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', {
    users: [
      { name: 'app', password: 'First-pass1' },
      { name: 'bad', password: 'Other-pass1', privileges: ['DROP TABLE x'] },
    ],
  });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  await world.ends(job, { failures: [{ what: 'user bad@%', why: 'privileges[0] is refused' }] });
  t.match(await world.databasesReady(), {
    status: 'False',
    reason: 'DatabasesFailed',
    message: /user bad@%: privileges\[0\] is refused/,
  });
  t.equal((await world.secretValues(APP)).password, 'First-pass1');
  t.same(await world.secretValues(userSecretName('shop', 'bad', '%')), {});
  t.equal((await world.onlyJob()).metadata.name, job.metadata.name, 'its log can be read');
  t.match((await world.status('shop')).databases, { job: { state: 'Refused' } });
  t.match(await world.status('shop'), { phase: 'Ready' }, 'the server itself is fine');
  await world.clock.advance(12 * MINUTE);
  const again = await world.onlyJob();
  t.match(again.metadata.name, /-2$/, 'the second attempt');
  await world.ends(again);
  t.match(await world.databasesReady(), { status: 'True' });
});

t.test('a Job whose Secret could not be made gets it at the next call, and goes on', async (t) => {
  const world = await createJobWorld(t);
  const users = [{ name: 'app', password: 'App-12345' }];
  await world.apply('shop', { databases: ['goods'], users });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  const secret = `/api/v1/namespaces/team-a/secrets/${job.metadata.name}`;
  const wish = await world.wishOf(job);
  await world.kube('DELETE', secret);
  await world.clock.advance(10 * SECOND);
  t.same(await world.wishOf(job), wish, 'a pod that waits for it can start');
  t.equal((await world.secretValues(job.metadata.name))['password-0'], 'App-12345');
  t.equal((await world.onlyJob()).metadata.uid, job.metadata.uid, 'the same Job');

  await world.apply('shop', { databases: ['goods'], users, paused: true });
  await world.kube('DELETE', secret);
  await world.clock.advance(10 * SECOND);
  t.equal(await world.object(secret), undefined, 'nothing is begun while paused');
  await world.apply('shop', { databases: ['goods'], users });
  await world.clock.advance(60 * SECOND);
  const last = await world.onlyJob();
  await world.ends(last);
  t.match(await world.databasesReady(), { status: 'True', reason: 'DatabasesApplied' });
  t.same(await world.jobs(), []);
  t.notOk((await world.secretNames()).includes(last.metadata.name));
});

t.test('a Job without a report is told by what the Job itself says', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'] });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  const failed = {
    type: 'Failed',
    status: 'True',
    reason: 'DeadlineExceeded',
    message: 'Job was active longer than specified deadline',
  };
  const path = `/apis/batch/v1/namespaces/team-a/jobs/${job.metadata.name}/status`;
  await world.kube('PATCH', path, { status: { conditions: [failed] } }, 'application/merge-patch+json');
  await world.clock.advance(10 * SECOND);
  t.match(await world.databasesReady(), { reason: 'DatabasesFailed', message: /DeadlineExceeded/ });
  await world.clock.advance(2 * MINUTE);
  t.match((await world.onlyJob()).metadata.name, /-2$/, 'a server that did not answer is tried again soon');
});

t.test('a new wish waits for a Job that works, and the reconcile annotation runs it again', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'] });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const first = await world.onlyJob();
  await world.runs(first);
  await world.apply('shop', { databases: ['goods', 'more'] });
  await world.clock.advance(30 * SECOND);
  t.equal((await world.onlyJob()).metadata.name, first.metadata.name, 'two would work against each other');
  await world.ends(first);
  await world.clock.advance(30 * SECOND);
  const second = await world.onlyJob();
  t.same((await world.wishOf(second)).databases, ['goods', 'more']);
  await world.ends(second);
  t.match(await world.databasesReady(), { status: 'True' });
  await world.annotate('shop', { 'otc.mcsps.de/reconcile': 'please' });
  await world.clock.advance(30 * SECOND);
  const third = await world.onlyJob();
  t.not(third.metadata.name, second.metadata.name);
  await world.ends(third);
  await world.clock.advance(60 * MINUTE);
  t.same(await world.jobs(), []);
});

t.test('a lost status runs the Job once more', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'] });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  await world.ends(await world.onlyJob());
  const rds = await world.rds('shop');
  const { databases: _lost, ...status } = rds?.status ?? {};
  await world.kube('PUT', `${world.rdsPath('shop')}/status`, { ...rds, status });
  await world.clock.advance(2 * MINUTE);
  await world.ends(await world.onlyJob());
  t.match(await world.databasesReady(), { status: 'True' });
  t.same(await world.jobs(), []);
});

t.test('what is taken out of the spec stays, unless removal says Drop', async (t) => {
  for (const removal of ['Keep', 'Drop'] as const) {
    const world = await createJobWorld(t);
    const users = [{ name: 'app' }, { name: 'old', host: '10.9.3.%' }];
    await world.apply('shop', { databases: ['goods', 'past'], users, removal });
    await world.reaches('shop', 'Ready');
    await world.clock.advance(10 * SECOND);
    await world.ends(await world.onlyJob());
    const oldSecret = userSecretName('shop', 'old', '10.9.3.%');
    t.ok((await world.secretNames()).includes(oldSecret));
    await world.apply('shop', { databases: ['goods'], users: [{ name: 'app' }], removal });
    await world.clock.advance(2 * MINUTE);
    const job = await world.onlyJob();
    const dropped = { databases: ['past'], users: [{ name: 'old', host: '10.9.3.%' }] };
    const { drop } = await world.wishOf(job);
    t.same(drop, removal === 'Drop' ? dropped : { databases: [], users: [] }, removal);
    await world.ends(job);
    await world.clock.advance(MINUTE);
    t.equal(
      (await world.secretNames()).includes(oldSecret),
      removal === 'Keep',
      `its Secret with ${removal}`,
    );
    t.match((await world.status('shop')).databases, { databases: ['goods'], users: ['app@%'] });
    await world.clock.advance(30 * MINUTE);
    t.same(await world.jobs(), [], 'and it rests');
    if (removal === 'Keep') {
      await world.apply('shop', { databases: ['goods'], users: [{ name: 'app' }], removal: 'Drop' });
      await world.clock.advance(5 * MINUTE);
      t.same(await world.jobs(), [], 'what was kept once is not dropped later');
    }
  }
});

t.test('everything may be taken out again', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'], removal: 'Drop' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  await world.ends(await world.onlyJob());
  await world.apply('shop', { removal: 'Drop' });
  await world.clock.advance(2 * MINUTE);
  const job = await world.onlyJob();
  t.same((await world.wishOf(job)).drop.databases, ['goods']);
  await world.ends(job);
  await world.clock.advance(10 * MINUTE);
  t.same(await world.jobs(), []);
  t.match(await world.databasesReady(), { status: 'True', message: /No database and no user/ });
});

t.test('a missing Secret of one user does not stop the others', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', {
    users: [
      { name: 'app', password: 'First-pass1' },
      { name: 'late', passwordSecretRef: { name: 'own', key: 'pw' } },
    ],
  });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  t.match(await world.wishOf(job), { users: [{ name: 'app' }] });
  await world.ends(job);
  t.match(await world.databasesReady(), {
    status: 'False',
    reason: 'DatabasesFailed',
    message: /user late@%: Secret own does not exist/,
  });
  await world.secret('own', { pw: 'Other-pass1' });
  await world.clock.advance(2 * MINUTE);
  await world.ends(await world.onlyJob());
  t.match(await world.databasesReady(), { status: 'True' });
});

t.test('SQL Server: a condition says that it is not supported, and nothing else breaks', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', {
    datastoretype: 'SQLServer',
    datastoreversion: '2019_SE',
    flavorref: 'rds.mssql.n1.large.2',
    port: '1433',
    databases: ['goods'],
  });
  const isReady = await world.reaches('shop', 'Ready', 30 * MINUTE);
  if (!isReady) t.comment(JSON.stringify(condition(await world.status('shop'), 'Ready')));
  t.ok(isReady);
  t.match(await world.databasesReady(), { status: 'False', reason: 'DatabasesUnsupported' });
  t.same(await world.jobs(), []);
});

t.test('nothing is started while paused, in a dry run, or for an Rds that is going', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { deletionPolicy: 'Delete' });
  await world.reaches('shop', 'Ready');
  t.equal(await world.databasesReady(), undefined, 'nobody asked');
  await world.apply('shop', { deletionPolicy: 'Delete', databases: ['goods'], paused: true });
  await world.clock.advance(2 * MINUTE);
  t.match(await world.databasesReady(), { reason: 'DatabasesWaiting', message: /paused/ });
  t.same(await world.jobs(), []);
  await world.apply('shop', { deletionPolicy: 'Delete', databases: ['goods'] });
  await world.clock.advance(MINUTE);
  const job = await world.onlyJob();
  await world.remove('shop');
  await world.clock.advance(2 * SECOND);
  t.same(
    (await world.jobs()).map(({ metadata }) => metadata.name),
    [job.metadata.name],
    'what runs is not cut off',
  );
  t.ok(await world.isGone('shop'));
});

t.test('a Secret that somebody else made is left alone and named', async (t) => {
  const world = await createJobWorld(t);
  await world.secret(APP, { password: 'of somebody else' });
  await world.apply('shop', { users: [{ name: 'app' }, { name: 'other' }] });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(2 * MINUTE);
  t.same(await world.secretValues(APP), { password: 'of somebody else' });
  t.match(condition(await world.status('shop'), 'ChildrenReady'), { reason: 'ChildNameTaken' });
  const job = await world.onlyJob();
  t.match((await world.wishOf(job)).users, [{ name: 'other' }], 'the others go on');
  await world.ends(job);
  t.match(await world.databasesReady(), { status: 'False', message: /user app@%: another object/ });
});

t.test('a Job is not started on a picture from the past', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'], removal: 'Drop' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  await world.ends(await world.onlyJob());
  const old = world.calls.findLast(({ path }) => path.includes('sync'))?.body as {
    parent: { spec: object; metadata: { generation: number } };
  };
  const parent = {
    ...old.parent,
    spec: { ...old.parent.spec, databases: [] },
    metadata: { ...old.parent.metadata, generation: old.parent.metadata.generation + 1 },
  };
  const answer = await world.app.inject({ method: 'POST', url: '/sync', payload: { ...old, parent } });
  t.equal(answer.statusCode, 429, 'it would drop what the living Rds declares');
});

t.test('200 users without a password get theirs in one step', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { users: Array.from({ length: 200 }, (_, index) => ({ name: `app${index}` })) });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const job = await world.onlyJob();
  const { 'wish.json': _wish, ...passwords } = await world.secretValues(job.metadata.name);
  t.equal(new Set(Object.values(passwords)).size, 200, 'each its own');
  const calls = world.calls.length;
  await world.ends(job);
  t.match(await world.databasesReady(), { status: 'True' });
  t.ok(world.calls.length - calls < 10, 'and it comes to rest');
});

t.test('who wants it has databases and users looked at again, without a flicker', async (t) => {
  const world = await createJobWorld(t);
  await world.apply('shop', { databases: ['goods'], recheckDatabases: '24h' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  await world.ends(await world.onlyJob());
  await world.clock.advance(23 * 60 * MINUTE);
  t.same(await world.jobs(), [], 'not before its time');
  await world.clock.advance(70 * MINUTE);
  const again = await world.onlyJob();
  t.match(await world.databasesReady(), { status: 'True', reason: 'DatabasesApplied' });
  await world.ends(again);
  t.match((await world.status('shop')).databases?.job, { attempt: 2, state: 'Succeeded' });
  await world.clock.advance(60 * MINUTE);
  t.same(await world.jobs(), []);
});

t.test('users and rights are put back after a restore in place', async (t) => {
  const world = await createJobWorld(t);
  const spec = { databases: ['goods'] };
  await world.apply('shop', spec);
  await world.reaches('shop', 'Ready');
  await world.clock.advance(10 * SECOND);
  const first = await world.onlyJob();
  await world.ends(first);
  await world.byHand('POST', '/backups', { instance_id: (await world.status('shop')).id, name: 'by-hand' });
  await world.clock.advance(40 * MINUTE);
  const backuprestoretime = new Date(world.clock.now() - 20 * MINUTE).toISOString();
  await world.apply('shop', { ...spec, backuprestoretime });
  await world.clock.advance(20 * MINUTE);
  t.equal(world.simulator.state.counts.restored, 1);
  const again = await world.onlyJob();
  t.not(again.metadata.name, first.metadata.name);
  t.match(await world.wishOf(again), { databases: ['goods'] });
});
