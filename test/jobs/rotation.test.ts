import t from 'tap';
import { drawingName, secondLogin, userSecretName } from '../../src/rds/names.ts';
import { HOUR, rotationWorld, TIMING } from './rotation-world.ts';

const APP = userSecretName('shop', 'app', '%');
const SECOND = secondLogin('app@%', 'app');
const user = { name: 'app', grants: [{ database: 'goods', privileges: ['ALL'] }] };
const spec = { databases: ['goods'], users: [{ ...user, rotateEvery: '48h' }] };

t.test('a rotation: made, proven, published, and the old login closed after the grace time', async (t) => {
  const world = await rotationWorld(t, spec);
  const first = await world.secretValues(APP);
  t.match(first, { username: 'app' });
  const before = (await world.status('shop')).databases?.job;
  t.match(await world.login('app@%'), { login: 'app', state: 'Idle', number: 0 });
  await world.clock.advance(47 * HOUR);
  t.same(await world.jobs(), [], 'not before its time');
  t.same((await world.status('shop')).databases?.job, before);

  await world.clock.advance(HOUR + 2 * 60_000);
  const making = await world.onlyJob();
  t.match(await world.login('app@%'), { login: 'app', state: 'Making', number: 1 });
  t.match(await world.wishOf(making), {
    users: [{ name: 'app', logins: { current: 'app', next: { login: SECOND } } }],
  });
  const drawn = (await world.secretValues(drawingName(APP, 'second'))).password;
  t.equal((await world.secretValues(making.metadata.name))['password-1'], drawn, 'the Job has the drawn one');
  t.same(await world.secretValues(APP), first, 'clients keep the login that works');
  t.match(
    await world.databasesReady(),
    { status: 'True', reason: 'DatabasesApplied' },
    'and nothing is taken away',
  );
  t.notOk(
    JSON.stringify([await world.rds('shop'), making]).includes(drawn ?? '-'),
    'no password in Rds or Job',
  );

  await world.ends(making);
  await world.clock.advance(60_000);
  t.match(await world.secretValues(APP), { username: SECOND, password: drawn, database: 'goods' });
  t.match((await world.secretValues(APP)).uri, new RegExp(`^mysql://${SECOND}:`));
  const overlap = await world.login('app@%');
  t.match(overlap, { login: SECOND, state: 'Overlap', previous: 'app', number: 1 });
  const endsInMs = Date.parse(overlap?.previousEndsAt ?? '') - world.clock.now();
  t.ok(endsInMs > 22 * HOUR && endsInMs <= 24 * HOUR, 'told: when the old one ends');
  t.same(await world.jobs(), [], 'nothing runs meanwhile');

  await world.clock.advance(24 * HOUR + 2 * 60_000);
  const closing = await world.onlyJob();
  t.match(await world.wishOf(closing), {
    users: [{ name: 'app', logins: { current: SECOND, close: 'app' } }],
  });
  await world.ends(closing);
  await world.clock.advance(60_000);
  const idle = await world.login('app@%');
  t.match(idle, { login: SECOND, state: 'Idle', number: 1 });
  t.notOk(idle?.previous);
  t.ok((await world.secretNames()).includes(drawingName(APP, 'second')), 'the password has a second place');
  t.same(await world.jobs(), []);

  await world.clock.advance(24 * HOUR);
  const back = await world.onlyJob();
  t.match(await world.wishOf(back), { users: [{ logins: { current: SECOND, next: { login: 'app' } } }] });
  await world.ends(back);
  await world.clock.advance(60_000);
  t.match(await world.secretValues(APP), { username: 'app' });
  t.match(await world.login('app@%'), { login: 'app', previous: SECOND, number: 2 });
});

t.test('what fails is tried again and never published, and the period still has one rotation', async (t) => {
  const world = await rotationWorld(t, spec);
  const first = await world.secretValues(APP);
  await world.clock.advance(48 * HOUR + 2 * 60_000);
  const failing = await world.onlyJob();
  await world.ends(failing, { failures: [{ what: 'login of app@%', why: 'not let in from here' }] });
  t.match(await world.databasesReady(), { status: 'False', message: /login of app@%: not let in/ });
  t.same(await world.secretValues(APP), first);
  await world.clock.advance(11 * 60_000);
  const again = await world.onlyJob();
  t.not(again.metadata.name, failing.metadata.name);
  const wishes = await Promise.all([failing, again].map((job) => world.secretValues(job.metadata.name)));
  t.match(wishes[1]?.['password-1'], /./);
  await world.ends(again, { fatal: 'the server does not answer' });
  t.same(await world.secretValues(APP), first);
  await world.clock.advance(5 * 60_000);
  await world.ends(await world.onlyJob());
  await world.clock.advance(60_000);
  t.match(await world.login('app@%'), { login: SECOND, number: 1 });
});

t.test('a lost drawing is drawn again, in the same rotation', async (t) => {
  const world = await rotationWorld(t, spec);
  await world.clock.advance(48 * HOUR - 60_000);
  const path = `/api/v1/namespaces/team-a/secrets/${drawingName(APP, 'second')}`;
  for (let waited = 0; waited < 200 && !(await world.object(path)); waited += 1)
    await world.clock.advance(1_000);
  await world.kube('DELETE', path);
  for (const job of await world.jobs())
    await world.kube('DELETE', `/apis/batch/v1/namespaces/team-a/jobs/${job.metadata.name}`);
  await world.clock.advance(TIMING.settleMs + 2 * 60_000);
  const job = await world.onlyJob();
  const drawn = (await world.secretValues(drawingName(APP, 'second'))).password;
  await world.ends(job);
  await world.clock.advance(60_000);
  t.match(await world.secretValues(APP), { username: SECOND, password: drawn });
  t.match(await world.login('app@%'), { number: 1 });
});

t.test('a rotation that is wanted no more is undone, a finished one stays', async (t) => {
  const world = await rotationWorld(t, spec);
  const first = await world.secretValues(APP);
  await world.clock.advance(48 * HOUR + 2 * 60_000);
  await world.ends(await world.onlyJob(), { failures: [{ what: 'login of app@%', why: 'no' }] });
  await world.apply('shop', { databases: ['goods'], users: [user] });
  await world.clock.advance(60_000);
  const closing = await world.onlyJob();
  t.match(await world.wishOf(closing), { users: [{ logins: { current: 'app', close: SECOND } }] });
  await world.ends(closing);
  await world.clock.advance(60_000);
  t.same(await world.secretValues(APP), first);
  t.match(await world.login('app@%'), { login: 'app', state: 'Idle' });
  await world.clock.advance(100 * HOUR);
  t.same(await world.jobs(), []);
});

t.test('a Secret that is deleted is drawn anew for the login that is current', async (t) => {
  const world = await rotationWorld(t, spec);
  await world.turn();
  const rotated = await world.secretValues(APP);
  await world.kube('DELETE', `/api/v1/namespaces/team-a/secrets/${APP}`);
  await world.clock.advance(2 * 60_000);
  t.same(await world.secretValues(APP), rotated, 'the same one is published again');
  await world.clock.advance(24 * HOUR);
  await world.ends(await world.onlyJob());
  await world.clock.advance(60_000);
  t.match(await world.login('app@%'), { state: 'Idle' });
  for (const name of [drawingName(APP, 'second'), drawingName(APP, 'first'), APP])
    await world.kube('DELETE', `/api/v1/namespaces/team-a/secrets/${name}`);
  await world.clock.advance(2 * 60_000);
  t.same(await world.jobs(), [], 'a Secret that is out of sight may be there all the same');
  await world.clock.advance(TIMING.settleMs);
  const job = await world.onlyJob();
  t.match(await world.wishOf(job), { users: [{ name: 'app', logins: { current: SECOND } }] });
  const { password } = await world.secretValues(APP);
  t.equal((await world.secretValues(job.metadata.name))['password-0'], password);
  await world.ends(job);
  t.match(await world.secretValues(APP), { username: SECOND, password });
});

t.test('a removed user takes both logins along', async (t) => {
  const world = await rotationWorld(t, { ...spec, removal: 'Drop' });
  await world.turn();
  await world.apply('shop', { databases: ['goods'], users: [], removal: 'Drop' });
  await world.clock.advance(2 * 60_000);
  const job = await world.onlyJob();
  t.match(await world.wishOf(job), { drop: { users: [{ name: SECOND }, { name: 'app' }] } });
  await world.ends(job);
  await world.clock.advance(2 * 60_000);
  t.same((await world.status('shop')).logins ?? [], []);
  t.notOk((await world.secretNames()).includes(APP));
});

t.test('root: another administrator is published, and the password of root itself is replaced', async (t) => {
  const world = await rotationWorld(t, { ...spec, users: [user], rootRotateEvery: '48h' });
  const rootBefore = (await world.secretValues('shop-root')).password;
  t.match(await world.secretValues('shop-connection'), { username: 'root', password: rootBefore });
  t.match(await world.login('(root)'), { login: 'root', state: 'Idle' });
  await world.clock.advance(48 * HOUR + 2 * 60_000);
  const making = await world.onlyJob();
  const wish = await world.wishOf(making);
  const admin = wish.administrators?.next?.login ?? '';
  t.match(admin, /^admin_[0-9a-f]{8}$/);
  t.match(making.spec, {
    template: {
      spec: {
        volumes: [
          { name: 'wish' },
          { name: 'login', projected: { sources: [{}, { secret: { name: 'shop-root' } }, {}] } },
        ],
      },
    },
  });
  await world.ends(making);
  await world.clock.advance(60_000);
  const published = await world.secretValues('shop-connection');
  t.match(published, { username: admin });
  t.match(await world.login('(root)'), { login: admin, previous: 'root', state: 'Overlap' });
  t.equal((await world.secretValues('shop-root')).password, rootBefore, 'root works on in the overlap');
  const resets = () => world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/password'] ?? 0;
  t.equal(resets(), 0);
  await world.clock.advance(24 * HOUR + 5 * 60_000);
  t.equal(resets(), 1, 'then the cloud gets another password for root');
  t.not((await world.secretValues('shop-root')).password, rootBefore);
  t.match(await world.login('(root)'), { login: admin, state: 'Idle', number: 1 });
  t.same(await world.secretValues('shop-connection'), published, 'which no client notices');
  t.match(await world.status('shop'), { phase: 'Ready', plan: [] });

  await world.clock.advance(24 * HOUR);
  const second = await world.onlyJob();
  t.match(await world.wishOf(second), {
    administrators: { current: { login: admin }, next: { login: /^admin_/ } },
  });
  await world.ends(second);
  await world.clock.advance(24 * HOUR + 5 * 60_000);
  const closing = await world.onlyJob();
  t.match(await world.wishOf(closing), { administrators: { close: admin } });
  await world.ends(closing);
  await world.clock.advance(2 * 60_000);
  t.equal(resets(), 2);
  t.match(await world.login('(root)'), { state: 'Idle', number: 2 });
  t.not((await world.secretValues('shop-connection')).username, admin);
});

t.test('root: a rotation that is given up leaves root with its clients', async (t) => {
  const world = await rotationWorld(t, { databases: ['goods'], rootRotateEvery: '48h' });
  const before = await world.secretValues('shop-connection');
  await world.clock.advance(48 * HOUR + 2 * 60_000);
  await world.ends(await world.onlyJob(), { failures: [{ what: 'login of (root)', why: 'no' }] });
  await world.apply('shop', { databases: ['goods'] });
  await world.clock.advance(60_000);
  const closing = await world.onlyJob();
  t.match(await world.wishOf(closing), { administrators: { close: /^admin_/ } });
  await world.ends(closing);
  await world.clock.advance(10 * 60_000);
  t.match(await world.login('(root)'), { login: 'root', state: 'Idle' });
  t.same(await world.secretValues('shop-connection'), before);
  t.equal(
    world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/password'] ?? 0,
    0,
    'nothing is reset',
  );
});

t.test('what cannot be rotated is said in words', async (t) => {
  const world = await rotationWorld(t, { databases: ['goods'] });
  const cases = [
    {
      users: [{ name: 'app', password: 'Given-pass1', rotateEvery: '48h' }],
      because: /draws passwords itself/,
    },
    { users: [{ name: 'app', rotateEvery: '12h' }], because: /rotationGrace .* must be shorter/ },
    { users: [{ name: 'app', rotateEvery: '30d' }], because: /pattern/ },
    {
      rootRotateEvery: '48h',
      password: 'Given-pass1',
      because: /needs MySQL or PostgreSQL and a generated root password/,
    },
  ];
  for (const { because, ...more } of cases) {
    const { status, body } = await world.apply('shop', { databases: ['goods'], ...more } as never);
    t.match({ status, body }, { status: 422, body: { message: because } });
  }
  await world.apply('shop', { users: [{ name: 'app', rotateEvery: '48h' }, { name: SECOND }] });
  await world.clock.advance(60_000);
  await world.ends(await world.onlyJob());
  t.match(await world.databasesReady(), {
    status: 'False',
    message: /its other login would be .*, which is another user/,
  });
});

t.test('a settled account with rotation causes no write', async (t) => {
  const world = await rotationWorld(t, spec);
  await world.turn();
  await world.clock.advance(24 * HOUR);
  await world.ends(await world.onlyJob());
  await world.clock.advance(5 * 60_000);
  const before = (await world.rds('shop'))?.metadata.resourceVersion;
  const lease = () => world.object(`/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
  const uid = (await world.rds('shop'))?.metadata.uid;
  const journal = (await lease())?.metadata.resourceVersion;
  await world.clock.advance(10 * HOUR);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, before);
  t.equal((await lease())?.metadata.resourceVersion, journal);
});
