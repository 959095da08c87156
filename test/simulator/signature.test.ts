import { createHash, createHmac } from 'node:crypto';
import t from 'tap';
import { DEMO_ACCESS_KEY, DEMO_PROJECT, DEMO_SECRET_KEY } from '../../src/simulator/demo-account.ts';
import { DAY, MINUTE, testCloud } from './test-cloud.ts';

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');
const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

type Key = { access: string; secret: string; securitytoken?: string };
const permanent: Key = { access: DEMO_ACCESS_KEY, secret: DEMO_SECRET_KEY };

/** Written from the description, not from the code under test. */
function signed(key: Key, now: number, method: string, url: string, body = ''): Record<string, string> {
  const [path = '', query = ''] = url.split('?');
  const date = new Date(now).toISOString().replace(/[-:]|\.\d{3}/g, '');
  const scope = `${date.slice(0, 8)}/eu-de/rds/sdk_request`;
  const canonical = [
    method,
    `${path}/`,
    query.split('&').sort().join('&'),
    'host:127.0.0.1:9090',
    `x-sdk-date:${date}`,
    '',
    'host;x-sdk-date',
    sha256(body),
  ].join('\n');
  const toSign = ['SDK-HMAC-SHA256', date, scope, sha256(canonical)].join('\n');
  const signingKey = scope.split('/').reduce<string | Buffer>(hmac, `SDK${key.secret}`);
  const signature = hmac(signingKey, toSign).toString('hex');
  return {
    'x-sdk-date': date,
    authorization: `SDK-HMAC-SHA256 Credential=${key.access}/${scope}, SignedHeaders=host;x-sdk-date, Signature=${signature}`,
    ...(key.securitytoken && { 'x-security-token': key.securitytoken }),
  };
}

const instances = `/rds/v3/${DEMO_PROJECT.id}/instances`;

t.test('a signature with the permanent key opens the project of the path or of the header', async (t) => {
  const { call, clock, useToken } = await testCloud();
  useToken('');
  const url = `${instances}?offset=0&limit=10`;
  t.equal((await call('GET', url, undefined, signed(permanent, clock.now(), 'GET', url))).status, 200);
  const catalog = await call('GET', '/v3/auth/catalog', undefined, {
    ...signed(permanent, clock.now(), 'GET', '/v3/auth/catalog'),
    'x-project-id': DEMO_PROJECT.id,
  });
  t.ok(catalog.body.catalog.some(({ type }: { type: string }) => type === 'rdsv3'));
});

t.test('a signature that does not fit is refused', async (t) => {
  const { call, clock, useToken } = await testCloud();
  useToken('');
  const good = signed(permanent, clock.now(), 'GET', instances);
  const bad: Record<string, Record<string, string>> = {
    'wrong secret': signed({ ...permanent, secret: 'other' }, clock.now(), 'GET', instances),
    'unknown key': signed({ ...permanent, access: 'NOBODY' }, clock.now(), 'GET', instances),
    'other method': signed(permanent, clock.now(), 'POST', instances),
    'old date': signed(permanent, clock.now() - 16 * MINUTE, 'GET', instances),
    malformed: { ...good, authorization: 'SDK-HMAC-SHA256 nonsense' },
    nothing: {},
  };
  for (const [why, headers] of Object.entries(bad)) {
    const reply = await call('GET', instances, undefined, headers);
    t.match(reply, { status: 401, body: { error_code: 'APIGW.0301' } }, why);
  }
});

async function temporaryKey(cloud: Awaited<ReturnType<typeof testCloud>>, extra: object = {}, seconds = 900) {
  const token = { id: 'ignored', duration_seconds: seconds };
  return cloud.call('POST', '/v3.0/OS-CREDENTIAL/securitytokens', {
    auth: { identity: { methods: ['token'], token, ...extra } },
  });
}

t.test('a temporary key works with its security token until it expires', async (t) => {
  const cloud = await testCloud();
  const reply = await temporaryKey(cloud);
  t.equal(reply.status, 201);
  const key = reply.body.credential;
  t.equal(key.expires_at, '2025-01-01T10:15:00.000000Z');
  cloud.useToken('');
  const get = (headers: Record<string, string>) => cloud.call('GET', instances, undefined, headers);
  t.equal((await get(signed(key, cloud.clock.now(), 'GET', instances))).status, 200);
  const { securitytoken: _gone, ...half } = key;
  t.equal((await get(signed(half, cloud.clock.now(), 'GET', instances))).status, 401);
  t.equal(cloud.simulator.state.accessKeys.length, 1);
  cloud.clock.advance(15 * MINUTE);
  t.equal((await get(signed(key, cloud.clock.now(), 'GET', instances))).status, 401);
  t.equal(cloud.simulator.state.accessKeys.length, 0);
});

t.test('an inline policy limits a temporary key to its actions', async (t) => {
  const cloud = await testCloud();
  const id = await cloud.build();
  const policy = {
    Version: '1.1',
    Statement: [
      { Effect: 'Allow', Action: ['rds:log:list', 'rds:instance:*'] },
      { Effect: 'Deny', Action: ['rds:instance:restart', 'rds:instance:list'] },
    ],
  };
  const key = (await temporaryKey(cloud, { policy })).body.credential;
  cloud.useToken('');
  const attempt = (method: string, url: string, body = '') =>
    cloud.call(method, url, body || undefined, signed(key, cloud.clock.now(), method, url, body));
  const logs = `${instances}/${id}/errorlog?end_date=2025-01-02T00:00:00&start_date=2025-01-01T00:00:00`;
  t.equal((await attempt('GET', logs.replaceAll(':', '%3A'))).status, 200);
  t.match(await attempt('GET', instances), { status: 403, body: { error_code: 'DBS.200044' } });
  t.equal((await attempt('POST', `${instances}/${id}/action`, '{"restart":{}}')).status, 403);
  t.equal((await attempt('POST', `${instances}/${id}/action`, '{"enlarge_volume":{"size":50}}')).status, 202);
  t.equal((await attempt('GET', `/rds/v3/${DEMO_PROJECT.id}/backups?instance_id=${id}`)).status, 403);
});

t.test('an agency gives a temporary key too', async (t) => {
  const cloud = await testCloud();
  const ask = (agency_name: string) =>
    cloud.call('POST', '/v3.0/OS-CREDENTIAL/securitytokens', {
      auth: { identity: { methods: ['assume_role'], assume_role: { agency_name, domain_name: 'OTC-DEMO' } } },
    });
  t.equal((await ask('demo-agency')).status, 201);
  t.match(await ask('nobody'), { status: 404, body: { error_code: 'IAM.0004' } });
  cloud.useToken('');
  t.equal((await ask('demo-agency')).status, 401);
});

t.test('a temporary key is refused for a bad token, span or policy, in the shape of v3.0', async (t) => {
  const cloud = await testCloud();
  t.match(await temporaryKey(cloud, {}, 60), { status: 400, body: { error_code: 'IAM.0011' } });
  t.equal((await temporaryKey(cloud, {}, DAY)).status, 400);
  t.equal((await temporaryKey(cloud, { policy: { Version: '1.0', Statement: [] } })).status, 400);
  cloud.useToken('gone');
  t.match(await temporaryKey(cloud), { status: 401, body: { error_code: 'IAM.0067', error_msg: String } });
});
