import t from 'tap';
import { DEMO_DOMAIN, DEMO_PROJECT, DEMO_USER, OTHER_PROJECT } from '../../src/simulator/demo-account.ts';
import { DAY, HOUR, passwordAuth, testCloud } from './test-cloud.ts';

t.test('discovery lists one version and needs no token', async (t) => {
  const { call, useToken } = await testCloud();
  useToken('');
  const root = await call('GET', '/');
  t.equal(root.status, 300);
  t.match(root.body.versions.values[0], { id: 'v3.6', status: 'stable', links: [{ rel: 'self' }] });
  const version = await call('GET', '/v3');
  t.equal(version.status, 200);
  t.equal(version.body.version.links[0].href, 'http://127.0.0.1:9090/v3/');
});

t.test('a password gives a project token in a header, with its catalog', async (t) => {
  const { call } = await testCloud();
  const reply = await call('POST', '/v3/auth/tokens', passwordAuth());
  t.equal(reply.status, 201);
  t.ok(reply.headers['x-subject-token']);
  const { token } = reply.body;
  t.equal(token.expires_at, '2025-01-02T10:00:00.000000Z', 'it lives 24 hours');
  t.match(token, {
    project: { id: DEMO_PROJECT.id, name: 'eu-de', domain: DEMO_DOMAIN },
    user: { name: 'demo' },
  });
  t.notOk('domain' in token);
  const urls = Object.fromEntries(
    token.catalog.map((entry: { type: string; endpoints: { url: string }[] }) => [
      entry.type,
      entry.endpoints[0]?.url,
    ]),
  );
  t.strictSame(urls, {
    identity: 'http://127.0.0.1:9090/v3',
    rdsv3: `http://127.0.0.1:9090/rds/v3/${DEMO_PROJECT.id}`,
    smnv2: `http://127.0.0.1:9090/smn/v2/${DEMO_PROJECT.id}`,
    smn: 'http://127.0.0.1:9090/smn/v2/',
    ces: 'http://127.0.0.1:9090/ces/V1.0/',
    cesv1: `http://127.0.0.1:9090/ces/V1.0/${DEMO_PROJECT.id}`,
    volumev2: `http://127.0.0.1:9090/evs/v2/${DEMO_PROJECT.id}`,
    network: 'http://127.0.0.1:9090/vpc',
    vpc: `http://127.0.0.1:9090/vpc/v1/${DEMO_PROJECT.id}`,
  });
  const bare = await call('POST', '/v3/auth/tokens?nocatalog=1', passwordAuth());
  t.notOk('catalog' in bare.body.token);
});

t.test('the scope decides what the token shows', async (t) => {
  const { call } = await testCloud();
  const byId = await call('POST', '/v3/auth/tokens', passwordAuth({ project: { id: OTHER_PROJECT.id } }));
  t.equal(byId.body.token.project.name, 'eu-de_other');
  const domain = await call('POST', '/v3/auth/tokens', passwordAuth({ domain: { name: 'OTC-DEMO' } }));
  t.strictSame(domain.body.token.domain, DEMO_DOMAIN);
  t.notOk('project' in domain.body.token);
  const both = await call(
    'POST',
    '/v3/auth/tokens',
    passwordAuth({ project: { name: 'eu-de' }, domain: { name: 'OTC-DEMO' } }),
  );
  t.ok(both.body.token.project, 'the project wins');
  const missing = await call('POST', '/v3/auth/tokens', passwordAuth({ project: { name: 'nowhere' } }));
  t.equal(missing.status, 400);
  t.equal(missing.body.error.code, 400);
});

t.test('a token can be had by user id, by another token and by an agency', async (t) => {
  const { call, login } = await testCloud();
  const id = await login();
  const scope = { project: { id: DEMO_PROJECT.id } };
  const user = { id: DEMO_USER.id, password: DEMO_USER.password };
  const identities = [
    { methods: ['password'], password: { user } },
    {
      methods: ['password', 'totp'],
      password: { user },
      totp: { user: { id: user.id, passcode: '123456' } },
    },
    { methods: ['token'], token: { id } },
    { methods: ['assume_role'], assume_role: { domain_name: 'OTC-DEMO', xrole_name: 'demo-agency' } },
  ];
  for (const identity of identities) {
    const reply = await call('POST', '/v3/auth/tokens', { auth: { identity, scope } });
    t.equal(reply.status, 201, identity.methods.join('+'));
  }
});

t.test('a wrong password and a malformed body are told apart, in the shape of Keystone', async (t) => {
  const { call } = await testCloud();
  const auth = passwordAuth();
  auth.auth.identity.password.user.password = 'wrong';
  const wrong = await call('POST', '/v3/auth/tokens', auth);
  t.equal(wrong.status, 401);
  t.match(wrong.body, { error: { code: 401, title: 'Unauthorized', message: String } });
  for (const body of ['', '{', '[]', '{"auth":1}', '{"auth":{"identity":{"methods":["smile"]}}}']) {
    const bad = await call('POST', '/v3/auth/tokens', body);
    t.equal(bad.status, 400, body);
    t.equal(bad.body.error.code, 400);
  }
  t.equal((await call('GET', '/v3/nothing')).body.error.code, 404);
});

t.test('a token is shown, checked, and once revoked it is refused everywhere', async (t) => {
  const { call, login, rds, useToken } = await testCloud();
  const first = await login();
  const second = await login();
  const subject = { 'x-subject-token': first };
  const shown = await call('GET', '/v3/auth/tokens', undefined, subject);
  t.equal(shown.status, 200);
  t.equal(shown.headers['x-subject-token'], first);
  t.equal((await call('HEAD', '/v3/auth/tokens', undefined, subject)).status, 200);
  t.equal((await call('DELETE', '/v3/auth/tokens', undefined, subject)).status, 204);
  t.equal((await call('HEAD', '/v3/auth/tokens', undefined, subject)).status, 404);
  t.equal((await rds('GET', '/instances')).status, 200, 'the other token is untouched');
  useToken(first);
  const refused = await rds('GET', '/instances');
  t.equal(refused.status, 401);
  t.match(refused.body, {
    error_code: 'APIGW.0301',
    error_msg: /Incorrect IAM/,
    request_id: /^[0-9a-f]{32}$/,
  });
  t.equal((await call('GET', '/vpc/v2.0/security-groups')).body.error_code, 'APIGW.0301');
  t.equal((await call('GET', '/v3/auth/projects')).body.error.code, 401);
  useToken(second);
  t.equal((await call('GET', '/v3/auth/projects')).status, 200);
});

t.test('a token ends after 24 hours, everywhere', async (t) => {
  const { call, clock, rds } = await testCloud();
  clock.advance(DAY - 1);
  t.equal((await rds('GET', '/instances')).status, 200);
  clock.advance(1);
  t.match(await rds('GET', '/instances'), { status: 401, body: { error_code: 'APIGW.0307' } });
  t.match(await call('GET', `/v1/${DEMO_PROJECT.id}/vpcs`), { status: 401, body: { code: 'VPC.0008' } });
  t.equal((await call('GET', '/v3/projects')).status, 401);
  const again = await call('POST', '/v3/auth/tokens', {
    auth: { identity: { methods: ['token'], token: { id: 'x' } } },
  });
  t.equal(again.status, 401);
});

t.test('speed does not shorten the life of a token', async (t) => {
  const { clock, rds } = await testCloud({ speed: 600 });
  clock.advance(23 * HOUR);
  t.equal((await rds('GET', '/instances')).status, 200);
});

t.test('projects, domains and catalog can be looked up', async (t) => {
  const { call } = await testCloud();
  const all = await call('GET', '/v3/projects');
  t.strictSame(
    all.body.projects.map(({ name }: { name: string }) => name),
    ['eu-de', 'eu-de_other'],
  );
  t.match(all.body, {
    links: { previous: null, next: null },
    projects: [{ domain_id: DEMO_DOMAIN.id, enabled: true }],
  });
  t.equal((await call('GET', '/v3/projects?name=eu-de')).body.projects.length, 1);
  t.equal((await call('GET', '/v3/auth/projects?page=2&per_page=1')).body.projects[0].name, 'eu-de_other');
  t.equal((await call('GET', '/v3/projects?page=0&per_page=1')).status, 400);
  t.equal((await call('GET', `/v3/users/${DEMO_USER.id}/projects`)).body.projects.length, 2);
  t.match((await call('GET', '/v3/auth/domains?name=OTC-DEMO')).body.domains, [DEMO_DOMAIN]);
  t.ok((await call('GET', '/v3/auth/catalog')).body.catalog.length > 5);
});

t.test('another project is refused, and a domain token opens no database', async (t) => {
  const { call, login } = await testCloud();
  const foreign = await call('GET', `/rds/v3/${OTHER_PROJECT.id}/instances`);
  t.match(foreign, { status: 403, body: { error_code: 'DBS.200010' } });
  t.match(await call('GET', `/vpc/v1/${OTHER_PROJECT.id}/vpcs`), { status: 400, body: { code: 'VPC.0007' } });
  await login({ domain: { name: 'OTC-DEMO' } });
  t.equal((await call('GET', `/rds/v3/${DEMO_PROJECT.id}/instances`)).status, 403);
});
