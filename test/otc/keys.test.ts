import { createHash, createHmac } from 'node:crypto';
import t from 'tap';
import type { Credentials } from '../../src/otc/cloud.ts';
import { signHeaders } from '../../src/otc/sign.ts';
import { catalog, createScripted, failure, instancesRoute, newInstance, project } from './scripted-cloud.ts';

const keys = { accessKey: 'AKEXAMPLE', secretKey: 'sk-very-secret' };

const byKeys: Credentials = {
  kind: 'aksk',
  ...keys,
  authUrl: 'https://iam.example/v3',
  region: 'eu-de',
  projectName: 'eu-de',
  projectId: undefined,
  domainName: undefined,
};

const sha = (text: string) => createHash('sha256').update(text).digest('hex');
const mac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

t.test('the signature follows the written algorithm, step by step', async (t) => {
  const headers = signHeaders(
    {
      method: 'POST',
      url: "https://rds.example:8443/v3/p1/a%20b/it's?b=2&a=x%20y&a=(1)",
      headers: { 'Content-Type': 'application/json' },
      body: '{"name":"x"}',
    },
    keys,
    Date.UTC(2025, 0, 1, 10, 0, 0),
  );
  const canonical = [
    'POST',
    '/v3/p1/a%20b/it%27s/',
    'a=%281%29&a=x%20y&b=2',
    'content-type:application/json',
    'host:rds.example:8443',
    'x-sdk-date:20250101T100000Z',
    '',
    'content-type;host;x-sdk-date',
    sha('{"name":"x"}'),
  ].join('\n');
  const toSign = `SDK-HMAC-SHA256\n20250101T100000Z\n20250101///sdk_request\n${sha(canonical)}`;
  const key = mac(mac(mac(mac('SDKsk-very-secret', '20250101'), ''), ''), 'sdk_request');
  t.same(headers, {
    'content-type': 'application/json',
    'x-sdk-date': '20250101T100000Z',
    authorization: `SDK-HMAC-SHA256 Credential=AKEXAMPLE/20250101///sdk_request, SignedHeaders=content-type;host;x-sdk-date, Signature=${mac(key, toSign).toString('hex')}`,
  });
});

t.test('the signature of a fixed request is the one that Python computed', async (t) => {
  const request = { method: 'GET', url: 'https://iam.example/v3/auth/catalog', headers: {} };
  const { authorization } = signHeaders(request, keys, Date.UTC(2025, 0, 1));
  t.match(authorization, /Signature=35a919300d7637f448c6359d7e611cc418a4c04af65f92dfd81694cdbe9d8535$/);
});

t.test('with keys the project is looked up by name, and every call is signed', async (t) => {
  const cloud = createScripted({
    'GET /v3/projects': () => ({
      body: {
        projects: [
          { id: 'x', name: 'eu-de_dev' },
          { id: project, name: 'eu-de' },
        ],
      },
    }),
    'GET /v3/auth/catalog': () => ({ body: { catalog } }),
    [instancesRoute]: () => ({ body: { instances: [], total_count: 0 } }),
  });
  await cloud.open(15_000, byKeys).findInstanceById('a');
  await cloud.open(15_000, byKeys).findInstanceById('a');
  t.same(
    cloud.calls.map((call) => call.url.replace(/\?.*/, '')),
    [
      'https://iam.example/v3/projects',
      'https://iam.example/v3/auth/catalog',
      `https://rds.example/v3/${project}/instances`,
      `https://rds.example/v3/${project}/instances`,
    ],
  );
  for (const call of cloud.calls) t.match(call.headers.authorization, /^SDK-HMAC-SHA256 /);
  t.equal(cloud.calls[0]?.headers['x-project-id'], undefined);
  t.equal(cloud.calls[2]?.headers['x-project-id'], project);
  t.notMatch(cloud.calls[2]?.headers.authorization, /x-project-id/, 'which is not signed');
});

t.test('a given project id needs no look-up, and a 401 no second login', async (t) => {
  const cloud = createScripted({
    'GET /v3/auth/catalog': () => ({ body: { catalog } }),
    'POST /v3/{project}/instances': () => ({
      status: 401,
      body: { error_code: 'APIGW.0301', error_msg: 'bad key' },
    }),
  });
  const error = await failure(
    cloud.open(15_000, { ...byKeys, projectId: project }).createInstance(newInstance),
  );
  t.match(error, { code: 'APIGW.0301', outcome: 'refused' });
  t.equal(cloud.calls.length, 2);
});

t.test('a project that does not exist is named', async (t) => {
  const cloud = createScripted({ 'GET /v3/projects': () => ({ body: { projects: [] } }) });
  const error = await failure(cloud.open(15_000, byKeys).findInstanceById('a'));
  t.match(error, { code: 'PROJECT', message: /no project eu-de/ });
});
