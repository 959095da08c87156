import type { FastifyInstance } from 'fastify';
import pino from 'pino';
import t from 'tap';
import { type AppDeps, buildApp } from '../src/app.ts';
import type { KubeCall } from '../src/kube/api.ts';
import { createJournalStore } from '../src/kube/journal.ts';
import { requestIsLive } from '../src/kube/live.ts';
import { createMemoryLeases } from '../src/kube/memory-leases.ts';
import { createOwnerLeases } from '../src/kube/owner-lease.ts';
import { seededUids } from '../src/local/seeded-uids.ts';
import { createVirtualClock } from '../src/local/virtual-clock.ts';
import { createMetrics } from '../src/metrics.ts';
import { readCredentials } from '../src/otc/credentials.ts';
import { createOpenCloud } from '../src/otc/open.ts';
import type { RdsStatus } from '../src/rds/status.ts';
import { createSimulator } from '../src/simulator/simulator.ts';
import type { SyncDeps } from '../src/sync/deps.ts';
import { drawPassword } from '../src/sync/draw-password.ts';
import { condition, defaultTiming, demoCredentials, START, seededRandom } from './support/world.ts';

type Options = { app?: Partial<AppDeps>; sync?: Partial<SyncDeps>; leases?: KubeCall };
type Teardown = { teardown(fn: () => unknown): void };

/** The whole app on a simulated cloud and memory Leases; no sockets, no loop. */
async function createApp(t: Teardown, options: Options = {}) {
  const clock = createVirtualClock(START);
  const simulator = createSimulator({ clock, baseUrl: 'http://127.0.0.1:9090' });
  const random = seededRandom(1);
  const uid = seededUids(1);
  const call = options.leases ?? createMemoryLeases();
  const lines: string[] = [];
  const log = pino({ level: 'trace' }, { write: (line: string) => lines.push(line) });
  const sync: SyncDeps = {
    clock,
    log,
    openCloud: createOpenCloud({ send: simulator.send, clock, random }),
    defaultCredentials: readCredentials(demoCredentials),
    readCredentials,
    journal: createJournalStore({ call, namespace: 'rds-pilot', nonce: uid, deadlineMs: 3_000 }),
    ownerLeases: createOwnerLeases(call, 'rds-pilot', 3_000),
    readLive: requestIsLive,
    readLiveBackup: async (backup) => backup,
    timing: defaultTiming,
    draw: () => ({ password: drawPassword((below) => Math.floor(random() * below)), mark: uid() }),
    memorySince: undefined,
    publish: () => {},
    keepEvidence: () => {},
    ...options.sync,
  };
  const app = await buildApp({
    sync,
    metrics: createMetrics({ process: false }),
    hookTokens: [],
    notReady: async () => undefined,
    logger: log,
    version: '1.2.3',
    maxEventLoopDelayMs: 0,
    ...options.app,
  });
  t.teardown(() => app.close());
  return { app, simulator, log: () => lines.join('') };
}

const UID = '4bc725ab-a311-4c18-92e7-ba4969369b55';

const metadata = {
  name: 'shop',
  namespace: 'team-a',
  uid: UID,
  generation: 1,
  resourceVersion: '290',
  creationTimestamp: '2026-11-16T08:00:00Z',
};
const parent = {
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata,
  spec: { password: 'S3cr3t-Passw0rd' } as Record<string, unknown>,
};
const request = {
  controller: {},
  parent,
  children: {
    'Secret.v1': {},
    'Service.v1': {},
    'EndpointSlice.discovery.k8s.io/v1': {},
    'Job.batch/v1': {},
  },
  related: {},
  finalizing: false,
};

const post = (app: FastifyInstance, url: string, payload: unknown, headers: Record<string, string> = {}) =>
  app.inject({
    method: 'POST',
    url,
    headers: { 'content-type': 'application/json', ...headers },
    payload: typeof payload === 'string' ? payload : JSON.stringify(payload),
  });

t.test('a malformed body is refused with the field, and nobody asks the cloud', async (t) => {
  const { app, simulator, log } = await createApp(t);
  const { uid: _uid, ...withoutUid } = metadata;
  const { namespace: _namespace, ...withoutNamespace } = metadata;
  const { parent: _parent, ...withoutParent } = request;
  const { children: _children, ...withoutChildren } = request;
  const { finalizing: _finalizing, ...withoutFinalizing } = request;
  const table = [
    { given: '{"parent":', status: 400, want: /JSON/, because: 'cut off' },
    { given: 'S3cr3t', status: 400, want: /JSON/, because: 'not JSON' },
    { given: '', status: 400, want: /empty/, because: 'nothing' },
    { given: 'null', status: 400, want: /body/, because: 'null' },
    { given: [], status: 400, want: /body/, because: 'a list' },
    { given: '"text"', status: 400, want: /body/, because: 'a text' },
    { given: withoutParent, status: 400, want: /parent/, because: 'no parent' },
    { given: { ...request, parent: null }, status: 400, want: /body\.parent/, because: 'parent is null' },
    { given: { ...request, parent: [] }, status: 400, want: /body\.parent/, because: 'parent is a list' },
    {
      given: { ...request, parent: { ...parent, spec: 'S3cr3t' } },
      status: 400,
      want: /body\.parent\.spec/,
      because: 'the spec is a text',
    },
    {
      given: { ...request, parent: { ...parent, metadata: withoutUid } },
      status: 400,
      want: /body\.parent\.metadata.*uid/,
      because: 'no UID: nothing could be found again',
    },
    {
      given: { ...request, parent: { ...parent, metadata: { ...metadata, uid: 'short' } } },
      status: 400,
      want: /body\.parent\.metadata\.uid/,
      because: 'a UID too short for the name of an instance',
    },
    {
      given: { ...request, parent: { ...parent, metadata: { ...metadata, uid: 7 } } },
      status: 400,
      want: /body\.parent\.metadata\.uid/,
      because: 'a number is not made into a text',
    },
    {
      given: { ...request, parent: { ...parent, metadata: withoutNamespace } },
      status: 400,
      want: /body\.parent\.metadata.*namespace/,
      because: 'no namespace',
    },
    {
      given: { ...request, parent: { ...parent, metadata: { ...metadata, generation: '1' } } },
      status: 400,
      want: /body\.parent\.metadata\.generation/,
      because: 'a text is not made into a number',
    },
    {
      given: { ...request, parent: { ...parent, metadata: { ...metadata, annotations: { a: 1 } } } },
      status: 400,
      want: /body\.parent\.metadata\.annotations/,
      because: 'annotations are text',
    },
    {
      given: { ...request, parent: { ...parent, status: 'Ready' } },
      status: 400,
      want: /body\.parent\.status/,
      because: 'the status is a text',
    },
    { given: withoutChildren, status: 400, want: /children/, because: 'no children' },
    {
      given: { ...request, children: [] },
      status: 400,
      want: /body\.children/,
      because: 'children in a list',
    },
    { given: { ...request, children: 'S3cr3t' }, status: 400, want: /body\.children/, because: 'a text' },
    {
      given: { ...request, children: { 'Secret.v1': [] } },
      status: 400,
      want: /body\.children/,
      because: 'one kind in a list',
    },
    {
      given: { ...request, children: { 'Secret.v1': { shop: { metadata: {} } } } },
      status: 400,
      want: /body\.children.*name/,
      because: 'a child without a name',
    },
    { given: { ...request, related: 7 }, status: 400, want: /body\.related/, because: 'related is a number' },
    { given: withoutFinalizing, status: 400, want: /finalizing/, because: 'finalizing is missing' },
    { given: { ...request, finalizing: 'no' }, status: 400, want: /body\.finalizing/, because: 'a text' },
    { given: `"${'x'.repeat(17 * 1024 * 1024)}"`, status: 413, want: /large/, because: 'over 16 MB' },
  ];
  for (const hook of ['/sync', '/finalize']) {
    for (const { given, status, want, because } of table) {
      const answer = await post(app, hook, given);
      t.equal(answer.statusCode, status, `${hook}: ${because}: ${answer.body}`);
      t.match(answer.json<{ message: string }>().message, want, `${hook}: ${because}`);
      t.notMatch(answer.body, /S3cr3t/, 'the error body ends up in an Event');
    }
  }
  const customize = await post(app, '/customize', {
    controller: {},
    parent: { ...parent, metadata: withoutUid },
  });
  t.equal(customize.statusCode, 400);
  t.match(customize.json(), { message: /body\.parent\.metadata.*uid/ });
  t.same(simulator.calls(), {}, 'nothing was called in the cloud');
  t.notMatch(log(), /bug in a hook/);
});

t.test('a member that would poison a prototype is refused', async (t) => {
  const { app } = await createApp(t);
  for (const payload of ['{"parent":{"__proto__":{}}}', '{"parent":{"constructor":{"prototype":{}}}}']) {
    const headers = { 'content-type': 'application/json' };
    const response = await app.inject({ method: 'POST', url: '/sync', headers, payload });
    t.match(response, { statusCode: 400, body: /FST_ERR_CTP_INVALID_JSON_BODY/ });
  }
});

t.test('another content type is refused', async (t) => {
  const { app } = await createApp(t);
  const answer = await post(app, '/sync', JSON.stringify(request), { 'content-type': 'text/yaml' });
  t.equal(answer.statusCode, 415);
});

t.test('a status that no CRD would have let in is the caller’s mistake', async (t) => {
  const { app, simulator } = await createApp(t);
  const table = [
    { given: { id: 7 }, want: /body\.parent\.status\.id/ },
    { given: { conditions: 'none' }, want: /body\.parent\.status\.conditions/ },
    { given: { reboot: 'S3cr3t' }, want: /body\.parent\.status\.reboot/ },
  ];
  for (const { given, want } of table) {
    for (const hook of ['/sync', '/finalize']) {
      const answer = await post(app, hook, { ...request, parent: { ...parent, status: given } });
      t.equal(answer.statusCode, 400, JSON.stringify(given));
      t.match(answer.json<{ message: string }>().message, want);
      t.notMatch(answer.body, /S3cr3t/);
    }
  }
  t.same(simulator.calls(), {});
});

t.test('what a newer version wrote into the status is handed back untouched', async (t) => {
  const { app } = await createApp(t);
  const newer = { newerField: { deep: [1, 2] }, another: 'x' };
  const status = { phase: 'Pending', ...newer, binding: { name: 'shop-connection', newerToo: true } };
  const answer = await post(app, '/sync', { ...request, parent: { ...parent, status } });
  t.equal(answer.statusCode, 200, answer.body);
  t.match(answer.json<{ status: unknown }>().status, { ...newer, phase: 'Pending' });
});

t.test('a phase that only a newer version knows does not stop an older replica', async (t) => {
  const { app } = await createApp(t);
  const status = { id: 'abc123in01', phase: 'Upgrading' };
  const answer = await post(app, '/sync', { ...request, parent: { ...parent, status } });
  t.equal(answer.statusCode, 200, answer.body);
  t.match(answer.json<{ status: unknown }>().status, { id: 'abc123in01' });
});

t.test('a spec that cannot work is told to the user, not to Metacontroller', async (t) => {
  const { app, simulator } = await createApp(t);
  const bad = { ...parent, spec: { password: 'S3cr3t-Passw0rd', volumesize: 'S3cr3t' } };
  const answer = await post(app, '/sync', { ...request, parent: bad });
  t.equal(answer.statusCode, 200);
  const { status } = answer.json<{ status: RdsStatus }>();
  t.match(condition(status, 'Synced'), {
    status: 'False',
    reason: 'InvalidSpec',
    message: /spec\.volumesize/,
  });
  t.notMatch(answer.body, /S3cr3t/);
  t.equal(simulator.calls().rds?.['POST /v3/{project}/instances'], undefined);
});

t.test('both forms of the keys of children and related objects are understood', async (t) => {
  const answers: unknown[] = [];
  for (const key of [(name: string) => name, (name: string) => `team-a/${name}`]) {
    const { app, simulator } = await createApp(t);
    const generated = { ...parent, spec: {} };
    type Child = { kind: string; metadata: { name: string } };
    type Answer = { status: RdsStatus; children: Child[] };
    let answer: Answer = { status: {}, children: [] };
    for (let count = 0; count < 4; count += 1) {
      const children: Record<string, Record<string, Child>> = { 'Secret.v1': {}, 'Service.v1': {} };
      for (const child of answer.children) {
        const { apiVersion: _version, kind, ...bare } = child as Child & { apiVersion: string };
        const kinds =
          kind === 'Secret'
            ? 'Secret.v1'
            : kind === 'Service'
              ? 'Service.v1'
              : 'EndpointSlice.discovery.k8s.io/v1';
        // Objects from a cache may lack their own kind.
        children[kinds] = { ...children[kinds], [key(child.metadata.name)]: bare as Child };
      }
      const body = { ...request, parent: { ...generated, status: answer.status }, children };
      const response = await post(app, '/sync', body);
      t.equal(response.statusCode, 200, response.body);
      answer = response.json<Answer>();
    }
    t.equal(simulator.calls().rds?.['POST /v3/{project}/instances'], 1, 'the generated password was seen');
    answers.push(answer);
  }
  t.same(answers[0], answers[1]);
});

t.test('related objects may be absent or null', async (t) => {
  const { app } = await createApp(t);
  const { related: _related, controller: _controller, ...bare } = request;
  t.equal((await post(app, '/sync', bare)).statusCode, 200);
  t.equal((await post(app, '/sync', { ...request, related: null })).statusCode, 200);
});

t.test('a Secret named in the spec is found under both forms of its key', async (t) => {
  const spec = { passwordSecretRef: { name: 'mine', key: 'password' } };
  const secret = {
    metadata: { name: 'mine', namespace: 'team-a', resourceVersion: '1' },
    data: { password: Buffer.from('S3cr3t-Passw0rd').toString('base64') },
  };
  for (const key of ['mine', 'team-a/mine']) {
    const { app } = await createApp(t);
    const body = { ...request, parent: { ...parent, spec }, related: { 'Secret.v1': { [key]: secret } } };
    const { status } = (await post(app, '/sync', body)).json<{ status: RdsStatus }>();
    t.match(condition(status, 'CredentialsSafe'), { status: 'True', reason: 'PasswordInSecret' }, key);
  }
});

t.test('customize names the Secrets, and the surroundings only on deletion', async (t) => {
  const { app } = await createApp(t);
  const living = (await post(app, '/customize', { controller: {}, parent })).json<{
    relatedResources: unknown[];
  }>();
  t.match(living.relatedResources[0], { resource: 'secrets', namespace: 'team-a' });
  t.notMatch(JSON.stringify(living), /customresourcedefinitions/);
  const deleted = { ...parent, metadata: { ...metadata, deletionTimestamp: '2026-11-16T09:00:00Z' } };
  const answer = await post(app, '/customize', { controller: {}, parent: deleted });
  t.match(answer.body, /customresourcedefinitions/);
  t.match(answer.body, /"resource":"namespaces"/);
});

t.test('with hook tokens only who has one is let in', async (t) => {
  const { app, simulator } = await createApp(t, { app: { hookTokens: ['first-token', 'second-token'] } });
  const table = [
    { given: {}, want: 401, because: 'none' },
    { given: { authorization: '' }, want: 401, because: 'an empty one' },
    { given: { authorization: 'Bearer' }, want: 401, because: 'no token' },
    { given: { authorization: 'Bearer wrong' }, want: 401, because: 'a wrong one' },
    { given: { authorization: 'first-token' }, want: 401, because: 'without its kind' },
    { given: { authorization: 'Basic first-token' }, want: 401, because: 'another kind' },
    { given: { authorization: 'Bearer first-token,second-token' }, want: 401, because: 'both at once' },
    { given: { authorization: 'Bearer first-toke' }, want: 401, because: 'a part' },
    { given: { authorization: 'Bearer first-token' }, want: 200, because: 'the first' },
    { given: { authorization: 'Bearer second-token' }, want: 200, because: 'the second, while rotating' },
  ];
  for (const { given, want, because } of table) {
    for (const url of ['/sync', '/customize']) {
      const answer = await post(app, url, request, given as Record<string, string>);
      t.equal(answer.statusCode, want, `${url}: ${because}`);
      t.notMatch(answer.body, /first-token|second-token/);
    }
  }
  t.equal((await post(app, '/finalize', request)).statusCode, 401);
  const malformed = await post(app, '/sync', '{');
  t.equal(malformed.statusCode, 401, 'a stranger learns nothing about bodies');
  t.ok(simulator.calls());
  for (const url of ['/healthz', '/readyz', '/metrics', '/openapi.json'])
    t.equal((await app.inject(url)).statusCode, 200, `${url} needs no token`);
});

t.test('without hook tokens everyone who reaches the port is let in', async (t) => {
  const { app } = await createApp(t);
  t.equal((await post(app, '/customize', request)).statusCode, 200);
});

t.test('health, readiness, metrics and the description are there', async (t) => {
  const { app } = await createApp(t);
  t.same((await app.inject('/healthz')).json(), { status: 'ok' });
  t.same((await app.inject('/readyz')).json(), { status: 'ok' });
  await post(app, '/sync', request);
  const metrics = await app.inject('/metrics');
  t.match(metrics.headers['content-type'], /text\/plain/);
  t.match(metrics.body, /rds_pilot_hook_duration_seconds_count\{hook="sync",result="answer"\} 1/);
  const description = (await app.inject('/openapi.json')).json<{
    info: { version: string };
    paths: Record<string, Record<string, { requestBody?: unknown }>>;
  }>();
  t.equal(description.info.version, '1.2.3');
  for (const path of ['/sync', '/finalize', '/customize'])
    t.ok(description.paths[path]?.post?.requestBody, path);
  for (const path of ['/healthz', '/readyz', '/metrics']) t.ok(description.paths[path]?.get, path);
  t.equal((await app.inject('/nothing')).statusCode, 404);
});

t.test('what is missing is told by readyz, while healthz stays well', async (t) => {
  const { app } = await createApp(t, { app: { notReady: async () => 'the API server does not answer' } });
  const answer = await app.inject('/readyz');
  t.equal(answer.statusCode, 503);
  t.match(answer.json(), { message: 'the API server does not answer' });
  t.equal((await app.inject('/healthz')).statusCode, 200);
});

t.test('a bug shows an id to Metacontroller and its text only in the log', async (t) => {
  const { app, log } = await createApp(t, {
    sync: {
      publish: () => {
        throw new Error('S3cr3t bug');
      },
    },
  });
  for (const hook of ['/sync', '/finalize']) {
    const answer = await post(app, hook, request);
    t.equal(answer.statusCode, 500);
    const { message } = answer.json<{ message: string }>();
    t.notMatch(answer.body, /S3cr3t|publish|at /);
    const id = /request (\S+)$/.exec(message)?.[1] ?? 'no id';
    t.match(log(), new RegExp(`"reqId":"${id}".*S3cr3t bug|S3cr3t bug.*"reqId":"${id}"`));
  }
});

t.test('a bug is counted, as the alert on it needs a number', async (t) => {
  const { app } = await createApp(t, {
    sync: {
      publish: () => {
        throw new Error('bug');
      },
    },
  });
  await post(app, '/sync', request);
  t.match(
    (await app.inject('/metrics')).body,
    /rds_pilot_hook_duration_seconds_count\{hook="sync",result="bug"\} 1/,
  );
});

t.test('a bug in one call does not hurt the next', async (t) => {
  let broken = true;
  const { app } = await createApp(t, {
    sync: {
      publish: () => {
        if (broken) throw new Error('bug');
      },
    },
  });
  t.equal((await post(app, '/sync', request)).statusCode, 500);
  broken = false;
  t.equal((await post(app, '/sync', request)).statusCode, 200);
});

t.test('a stale view is answered with 429 and when to come again, and nothing is made', async (t) => {
  const { app, simulator } = await createApp(t, {
    sync: {
      readLive: async (rds) => ({
        rds: { ...rds, metadata: { ...rds.metadata, generation: 2 } },
        namespaceTerminating: false,
        crdTerminating: false,
      }),
    },
  });
  t.equal((await post(app, '/sync', request)).statusCode, 200, 'the journal is opened');
  const answer = await post(app, '/sync', request);
  t.equal(answer.statusCode, 429, answer.body);
  t.match(answer.headers['retry-after'], /^[1-9][0-9]*$/, 'else Metacontroller calls again at once');
  t.match(answer.json(), { error: 'StaleView' });
  t.equal(simulator.calls().rds?.['POST /v3/{project}/instances'], undefined);
});

const refusing: KubeCall = async () => ({ status: 403, body: {} });

t.test('without its journal an Rds that shows no id gets no answer, so that nothing is erased', async (t) => {
  const { app, simulator } = await createApp(t, { leases: refusing });
  const deleted = { ...parent, metadata: { ...metadata, deletionTimestamp: '2026-11-16T09:00:00Z' } };
  for (const [url, body] of [
    ['/sync', request],
    ['/finalize', { ...request, parent: deleted, finalizing: true }],
  ] as const) {
    const answer = await post(app, url, body);
    t.equal(answer.statusCode, 503, url);
    t.match(answer.json(), { error: 'JournalUnavailable', message: /leases in namespace rds-pilot/ });
  }
  t.equal(simulator.calls().rds?.['POST /v3/{project}/instances'], undefined);
});

t.test('without its journal an Rds that shows an id keeps it and gets a condition', async (t) => {
  const { app, simulator } = await createApp(t, { leases: refusing });
  const status: RdsStatus = { id: 'abc123in01', ip: '192.168.0.4', phase: 'Ready', status: 'ACTIVE' };
  const deleted = { ...metadata, deletionTimestamp: '2026-11-16T09:00:00Z' };
  for (const [url, given] of [
    ['/sync', { ...parent, status }],
    ['/finalize', { ...parent, metadata: deleted, status }],
  ] as const) {
    const answer = await post(app, url, { ...request, parent: given, finalizing: url === '/finalize' });
    t.equal(answer.statusCode, 200, url);
    const told = answer.json<{ status: RdsStatus; finalized?: boolean; resyncAfterSeconds: number }>();
    t.match(told.status, { id: 'abc123in01', ip: '192.168.0.4' });
    t.match(condition(told.status, 'Synced'), { status: 'Unknown', reason: 'JournalUnavailable' });
    t.not(told.finalized, true, 'and is not let go');
    t.ok(told.resyncAfterSeconds > 0);
  }
  const writes = Object.keys(simulator.calls().rds ?? {}).filter((route) => !route.startsWith('GET'));
  t.same(writes, []);
});

t.test('secrets of a request stay out of the answers’ status and of the log', async (t) => {
  const { app, log } = await createApp(t);
  for (let count = 0; count < 3; count += 1) {
    const { status } = (await post(app, '/sync', request)).json<{ status: unknown }>();
    t.notMatch(JSON.stringify(status), /S3cr3t/);
  }
  t.notMatch(log(), /S3cr3t/);
});

/** Keeps the event loop busy, then lets the sampler of the overload guard see it. */
async function overload(app: FastifyInstance): Promise<void> {
  await app.ready();
  const until = performance.now() + 3_500;
  while (performance.now() < until);
  await new Promise((resolve) => setTimeout(resolve, 20));
}

t.test('an overloaded replica says so with 429 and when to come again, and is still alive', async (t) => {
  const { app } = await createApp(t, { app: { maxEventLoopDelayMs: undefined } });
  await overload(app);
  const answer = await post(app, '/sync', request);
  t.equal(answer.statusCode, 429, answer.body);
  t.match(answer.headers['retry-after'], /^[1-9][0-9]*$/);
  t.match(answer.json(), { error: 'Overloaded' });
  t.equal((await app.inject('/healthz')).statusCode, 200, 'else it is killed for being busy');
});
