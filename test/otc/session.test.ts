import t from 'tap';
import { RetryableError, TerminalError } from '../../src/errors.ts';
import type { Credentials } from '../../src/otc/cloud.ts';
import { SendError } from '../../src/otc/send.ts';
import {
  createRoute,
  createScripted,
  credentials,
  endpoint,
  failure,
  instancesRoute,
  newInstance,
  project,
  tokenAnswer,
  tokenRoute,
} from './scripted-cloud.ts';

const noInstances = () => ({ body: { instances: [], total_count: 0 } });
const hourMs = 3_600_000;

t.test('one login serves many calls and all openings of the same credentials', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  await Promise.all([1, 2, 3].map((n) => cloud.open().findInstanceById(`id-${n}`)));
  await cloud.open().findInstanceById('id-4');
  t.equal(cloud.count(tokenRoute), 1);
  t.same(
    cloud.calls.slice(1).map((call) => call.headers['x-auth-token']),
    ['token-1', 'token-1', 'token-1', 'token-1'],
  );
});

t.test('other credentials get their own login', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  await cloud.open().findInstanceById('a');
  await cloud.open(15_000, { ...credentials, password: 'other-Secret-1' }).findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 2);
});

t.test('the login asks for the project by name and domain', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  await cloud.open().findInstanceById('a');
  const login = cloud.calls[0];
  t.equal(login?.url, 'https://iam.example/v3/auth/tokens');
  t.same(JSON.parse(login?.body ?? ''), {
    auth: {
      identity: {
        methods: ['password'],
        password: { user: { name: 'pilot', password: 'login-Secret-1', domain: { name: 'OTC-TEST' } } },
      },
      scope: { project: { name: 'eu-de', domain: { name: 'OTC-TEST' } } },
    },
  });
});

t.test('a token logs in with the token method and the project id', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  const byToken: Credentials = {
    kind: 'token',
    token: 'given-token',
    authUrl: 'https://iam.example/',
    region: 'eu-de',
    projectId: project,
    projectName: undefined,
    domainName: undefined,
  };
  await cloud.open(15_000, byToken).findInstanceById('a');
  t.equal(cloud.calls[0]?.url, 'https://iam.example/v3/auth/tokens');
  t.same(JSON.parse(cloud.calls[0]?.body ?? ''), {
    auth: {
      identity: { methods: ['token'], token: { id: 'given-token' } },
      scope: { project: { id: project } },
    },
  });
});

t.test('a token is renewed in the background half an hour before its end', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  await cloud.open().findInstanceById('a');
  await cloud.clock.advance(23.4 * hourMs);
  await cloud.open().findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 1, 'not yet');
  await cloud.clock.advance(0.2 * hourMs);
  await cloud.open().findInstanceById('a');
  t.equal(cloud.calls.at(-1)?.headers['x-auth-token'], 'token-1', 'the old one is still good for this call');
  await cloud.clock.advance(0);
  t.equal(cloud.count(tokenRoute), 2);
  await cloud.open().findInstanceById('a');
  t.equal(cloud.calls.at(-1)?.headers['x-auth-token'], 'token-2');
});

t.test('an outage of IAM does not hurt while the old token lives', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: noInstances,
    [tokenRoute]: (_, n) => (n === 1 ? tokenAnswer(cloud.clock, 'token-1') : { status: 500 }),
  });
  await cloud.open().findInstanceById('a');
  await cloud.clock.advance(23.6 * hourMs);
  await cloud.open().findInstanceById('a');
  await cloud.open().findInstanceById('a');
  await cloud.clock.advance(0);
  t.equal(cloud.count(tokenRoute), 2, 'and IAM is not asked again by every call');
  await cloud.clock.advance(0.5 * hourMs);
  const error = await failure(cloud.open().findInstanceById('a'));
  t.ok(error instanceof RetryableError);
});

t.test('the life of a token is counted by the clock of the cloud', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: noInstances,
    [tokenRoute]: () => {
      const cloudNow = cloud.clock.now() - 10 * hourMs;
      const given = tokenAnswer(cloud.clock, 'token');
      return {
        ...given,
        headers: { ...given.headers, date: new Date(cloudNow).toUTCString() },
        body: { token: { ...tokenOf(given.body), expires_at: new Date(cloudNow + hourMs).toISOString() } },
      };
    },
  });
  await cloud.open().findInstanceById('a');
  await cloud.open().findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 1);
});

function tokenOf(body: unknown) {
  return typeof body === 'object' && body !== null && 'token' in body ? (body.token as object) : {};
}

t.test('a 401 renews the token once and repeats the read', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (request) =>
      request.headers['x-auth-token'] === 'token-1'
        ? { status: 401, body: { error_code: 'APIGW.0307' } }
        : noInstances(),
  });
  t.equal((await cloud.open().findInstanceById('a')).value, undefined);
  t.equal(cloud.count(tokenRoute), 2);
});

t.test('many 401s at once cost one login', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (request) =>
      request.headers['x-auth-token'] === 'token-1' ? { status: 401 } : noInstances(),
  });
  await Promise.all([1, 2, 3, 4].map((n) => cloud.open().findInstanceById(`id-${n}`)));
  t.equal(cloud.count(tokenRoute), 2);
});

t.test('a write is repeated after a 401, since that is a definite no', async (t) => {
  const cloud = createScripted({
    [createRoute]: (_, n) =>
      n === 1 ? { status: 401 } : { status: 202, body: { instance: { id: 'new' }, job_id: 'job' } },
  });
  t.same(await cloud.open().createInstance(newInstance), { id: 'new', jobId: 'job' });
  t.equal(cloud.count(createRoute), 2);
});

t.test('RDS may say "invalid token" with a 403', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (_, n) =>
      n === 1 ? { status: 403, body: { error_code: 'DBS.280056' } } : noInstances(),
  });
  await cloud.open().findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 2);
});

t.test('a second 401 is terminal', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: () => ({ status: 401, body: { error_code: 'APIGW.0301' } }),
  });
  const error = await failure(cloud.open().findInstanceById('a'));
  t.ok(error instanceof TerminalError);
  t.match(error, { code: 'APIGW.0301', outcome: 'refused' });
  t.equal(cloud.count(instancesRoute), 2);
});

t.test('a refused login is not repeated for five minutes, so that the user is not locked', async (t) => {
  const cloud = createScripted({
    [tokenRoute]: () => ({
      status: 401,
      body: { error: { code: 401, message: 'wrong', title: 'Unauthorized' } },
    }),
  });
  const first = await failure(cloud.open().findInstanceById('a'));
  t.ok(first instanceof TerminalError);
  t.match(first, { code: 'HTTP_401', message: /wrong/ });
  await cloud.clock.advance(4 * 60_000);
  t.equal(await failure(cloud.open().findInstanceById('a')), first);
  t.equal(cloud.count(tokenRoute), 1);
  await cloud.clock.advance(61_000);
  await failure(cloud.open().findInstanceById('a'));
  t.equal(cloud.count(tokenRoute), 2);
});

t.test(
  'a caller waits for the login at most its own budget, and the login goes on for the others',
  async (t) => {
    const cloud = createScripted({
      [instancesRoute]: noInstances,
      [tokenRoute]: async () => {
        await cloud.clock.sleep(5_000);
        return tokenAnswer(cloud.clock, 'slow');
      },
    });
    const hasty = failure(cloud.open(2_000).findInstanceById('a'));
    const patient = cloud.open(10_000).findInstanceById('a');
    t.match(await cloud.clock.run(hasty), { code: 'BUDGET', outcome: 'refused' });
    await cloud.clock.run(patient);
    t.equal(cloud.count(tokenRoute), 1);
  },
);

t.test('a write whose login failed was not sent', async (t) => {
  const cloud = createScripted({
    [tokenRoute]: () => {
      throw new SendError('TIMEOUT', 'no answer');
    },
  });
  const error = await cloud.clock.run(failure(cloud.open().createInstance(newInstance)));
  t.ok(error instanceof RetryableError);
  t.match(error, { outcome: 'refused' });
});

t.test('an answer to the login that lacks the token or the project is not a session', async (t) => {
  const cloud = createScripted({
    [tokenRoute]: (_, n) =>
      n === 1
        ? { status: 201, body: { token: {} } }
        : { status: 201, headers: { 'x-subject-token': 'x' }, body: { token: {} } },
  });
  t.match(await failure(cloud.open().findInstanceById('a')), {
    code: 'UNREADABLE',
    message: /x-subject-token/,
  });
  t.match(await failure(cloud.open().findInstanceById('a')), { code: 'UNREADABLE', message: /project/ });
});

t.test('a service that the catalog does not have in the region is named', async (t) => {
  const cloud = createScripted({
    [tokenRoute]: () => {
      const given = tokenAnswer(cloud.clock, 'token');
      const catalog = [endpoint('rdsv3', 'https://rds.nl.example', 'eu-nl')];
      return { ...given, body: { token: { ...tokenOf(given.body), catalog } } };
    },
  });
  const error = await failure(cloud.open().findInstanceById('a'));
  t.ok(error instanceof TerminalError);
  t.match(error, { code: 'CATALOG', message: /no service rds in region eu-de/ });
});

t.test('revoking a token takes 204 and 404 for done, and nothing else', async (t) => {
  const route = 'DELETE /v3/auth/tokens';
  const cloud = createScripted({ [route]: (_, n) => ({ status: [204, 404, 503][n - 1] ?? 500, body: '' }) });
  await cloud.open().revokeToken('job-token');
  t.match(cloud.calls.at(-1)?.headers, { 'x-subject-token': 'job-token', 'x-auth-token': 'token-1' });
  await cloud.open().revokeToken('job-token');
  t.match(await failure(cloud.open().revokeToken('job-token')), { outcome: 'unknown' });
});

t.test('at most two hundred accounts are remembered; the one unused longest logs in again', async (t) => {
  const cloud = createScripted({ [instancesRoute]: noInstances });
  const account = (n: number) => cloud.open(15_000, { ...credentials, username: `user-${n}` });
  for (let n = 0; n < 200; n++) await account(n).findInstanceById('a');
  await account(0).findInstanceById('a');
  await account(200).findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 201);
  await account(0).findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 201, 'used a moment ago');
  await account(1).findInstanceById('a');
  t.equal(cloud.count(tokenRoute), 202, 'forgotten');
});
