import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { condition, createWorld, MINUTE, SECOND } from '../support/world.ts';

type Case = {
  given: RdsSpec;
  secret?: Record<string, string>;
  reason: string;
  says: RegExp;
  because: string;
};

const cases: Case[] = [
  {
    given: { flavorref: 'rds.mysql.n1.huge' },
    reason: 'UnknownFlavor',
    says: /spec\.flavorref: flavor rds\.mysql\.n1\.huge does not exist for MySQL 8\.0; possible are rds\.mysql\./,
    because: 'a flavor that does not exist is named with some that do',
  },
  {
    given: { vpc: 'nowhere' },
    reason: 'CloudRefused',
    says: /spec\.vpc.*nowhere/,
    because: 'a missing VPC is named with its field',
  },
  {
    given: { subnet: 'nowhere' },
    reason: 'CloudRefused',
    says: /spec\.subnet.*nowhere/,
    because: 'a missing subnet is named with its field',
  },
  {
    given: { securitygroup: 'nowhere' },
    reason: 'CloudRefused',
    says: /spec\.securitygroup.*nowhere/,
    because: 'a missing security group is named with its field',
  },
  {
    given: { region: 'eu-nl' },
    reason: 'CloudRefused',
    says: /spec\.region.*eu-nl.*eu-de/,
    because: 'the credentials are for another region',
  },
  {
    given: { password: 'onlylowercase' },
    reason: 'InvalidPassword',
    says: /spec\.password needs three of/,
    because: 'the cloud would refuse the password',
  },
  {
    given: { passwordSecretRef: { name: 'own', key: 'pw' } },
    reason: 'PasswordSecretMissing',
    says: /Secret own, named in spec\.passwordSecretRef, does not exist/,
    because: 'the Secret is not there',
  },
  {
    given: { passwordSecretRef: { name: 'own', key: 'pw' } },
    secret: { other: 'x' },
    reason: 'PasswordSecretMissing',
    says: /Secret own has no key pw/,
    because: 'the key is not there',
  },
  {
    given: { passwordSecretRef: { name: 'own', key: 'pw' } },
    secret: { pw: 'short' },
    reason: 'InvalidPassword',
    says: /the password in Secret own must have 8 to 32 characters/,
    because: 'the password in the Secret breaks the rules',
  },
  {
    given: { restoreFrom: { backup: 'nothing' } },
    reason: 'RestoreSourceMissing',
    says: /spec\.restoreFrom.*No empty database is created/,
    because: 'an empty database in place of a restored one would be a lie',
  },
];

for (const { given, secret, reason, says, because } of cases) {
  t.test(`${reason}: ${because}`, async (t) => {
    const world = await createWorld();
    t.teardown(() => world.stop());
    if (secret) await world.secret('own', secret);
    await world.apply('shop', given);
    await world.clock.advance(5 * MINUTE);
    const status = await world.status('shop');
    t.match(condition(status, 'Ready'), { status: 'False', reason, message: says });
    t.equal(status.phase, 'Pending');
    t.equal(world.creates(), 0, 'nothing was ordered');
    const { resourceVersion } = (await world.rds('shop'))?.metadata ?? {};
    await world.clock.advance(60 * MINUTE);
    t.equal(
      (await world.rds('shop'))?.metadata.resourceVersion,
      resourceVersion,
      'the same words, written once',
    );
  });
}

t.test('a corrected Secret is enough to go on', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', { passwordSecretRef: { name: 'own', key: 'pw' } });
  await world.clock.advance(MINUTE);
  await world.secret('own', { pw: 'Chang3-me_now' });
  t.ok(await world.reaches('shop', 'Ready'));
});

t.test('a create that the cloud refuses for a value is not sent again and again', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  world.simulator.faults.add({
    match: { service: 'rds', method: 'POST', path: '/v3/{project}/instances' },
    kind: '403',
    times: 1000,
  });
  await world.apply('shop', {});
  await world.clock.advance(9 * MINUTE);
  t.match(condition(await world.status('shop'), 'Ready'), {
    reason: 'CloudForbidden',
    message: /Nothing was created/,
  });
  t.equal(world.creates(), 1);
  world.simulator.faults.clear();
  await world.apply('shop', { volumesize: 50 });
  t.ok(await world.reaches('shop', 'Creating', 2 * MINUTE), 'a new generation is tried at once');
});

t.test('a cloud that cannot be reached leaves status, children and instance alone', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  await world.clock.advance(5 * MINUTE);
  const before = await world.status('shop');
  const kinds = () =>
    world.api
      .dump()
      .filter(({ metadata }) => metadata.namespace === 'team-a' && metadata.ownerReferences)
      .map(({ kind, metadata }) => `${kind}/${metadata.name}/${metadata.resourceVersion}`);
  const children = kinds();
  world.simulator.faults.add({ kind: '503', times: 100_000 });
  await world.clock.advance(30 * MINUTE);
  const during = await world.status('shop');
  t.match(condition(during, 'Synced'), { status: 'Unknown', reason: 'CloudUnreachable' });
  t.match(condition(during, 'Ready'), { status: 'True' }, 'the database is not down because its API is');
  t.match(during, { id: before.id, ip: before.ip, port: before.port, phase: 'Ready' });
  t.same(kinds(), children);
  world.simulator.faults.clear();
  await world.clock.advance(5 * MINUTE);
  t.same(await world.status('shop'), { ...before, conditions: (await world.status('shop')).conditions });
  t.match(condition(await world.status('shop'), 'Synced'), { status: 'True', reason: 'UpToDate' });
});

t.test('wrong credentials are told, and nothing is lost when they break later', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.secret('otc-credentials', {
    OS_AUTH_URL: 'http://127.0.0.1:9090/v3',
    OS_REGION_NAME: 'eu-de',
    OS_PROJECT_NAME: 'eu-de',
    OS_DOMAIN_NAME: 'OTC-DEMO',
    OS_USERNAME: 'demo',
    OS_PASSWORD: 'wrong-canary-1',
  });
  await world.apply('shop', {});
  await world.clock.advance(MINUTE);
  const status = await world.status('shop');
  t.equal(condition(status, 'Ready')?.status, 'False');
  t.notMatch(JSON.stringify(status), /wrong-canary-1/);
  t.equal(world.creates(), 0);
});

t.test(
  'what the API server would refuse is refused by the hook too, for curl and for stored objects',
  async (t) => {
    const world = await createWorld();
    t.teardown(() => world.stop());
    const answer = world.app.inject({
      method: 'POST',
      url: '/sync',
      payload: {
        parent: {
          metadata: { name: 'x', namespace: 'n', uid: '00000000-0000-4000-8000-000000000001' },
          spec: { port: '80', volumesize: 45 },
        },
        children: {},
        related: {},
        finalizing: false,
      },
    });
    await world.clock.advance(10 * SECOND);
    const { status } = (await answer).json();
    t.match(condition(status, 'Ready'), {
      status: 'False',
      reason: 'InvalidSpec',
      message: /spec\.(port|volumesize)/,
    });
    t.equal(world.creates(), 0);
  },
);

t.test('an object without a spec, stored under a looser CRD, creates nothing and says why', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const answer = world.app.inject({
    method: 'POST',
    url: '/sync',
    payload: {
      parent: { metadata: { name: 'x', namespace: 'n', uid: '00000000-0000-4000-8000-000000000002' } },
      children: {},
      finalizing: false,
    },
  });
  await world.clock.advance(10 * SECOND);
  const { status, children } = (await answer).json();
  t.match(condition(status, 'Ready'), {
    status: 'False',
    reason: 'InvalidSpec',
    message: /spec: is missing/,
  });
  t.same(children, []);
  t.equal(world.creates(), 0);
});
