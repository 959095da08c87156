// The loop over HTTP: hook and API server behind a socket, with lists and watch streams as a real one has them.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { request } from 'undici';
import type { KubeCall, KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backgroundClock } from '../../src/local/background-clock.ts';
import { createHttpHook } from '../../src/local/http-hook.ts';
import { createMetacontroller } from '../../src/local/metacontroller.ts';
import { createClusterWatch } from '../../src/local/real-cluster.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import { controllerManifest, rdsPath, secret } from './toy.ts';

const rdss = { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' };

const readBody = async (incoming: IncomingMessage): Promise<unknown> => {
  let text = '';
  for await (const chunk of incoming) text += String(chunk);
  return text === '' ? undefined : JSON.parse(text);
};

const setUp = async (t: { teardown(end: () => void): void }) => {
  const server = createApiServer({ clock: backgroundClock, uid: seededUids(1), namespaces: ['team-a'] });
  const streams = new Map<string, ServerResponse>();
  const lists: string[] = [];
  const bodies: { authorization: string | undefined; body: unknown }[] = [];

  const stream = (path: string, outgoing: ServerResponse): void => {
    outgoing.writeHead(200);
    outgoing.flushHeaders();
    streams.set(path, outgoing);
    const stop = server.watch(({ type, object }) => {
      if (!path.endsWith(`/${pluralOf(object)}`)) return;
      const line = `${JSON.stringify({ type, object })}\n`;
      // Cut in the middle: a line need not arrive in one piece.
      outgoing.write(line.slice(0, 20));
      outgoing.write(line.slice(20));
    });
    outgoing.on('close', stop);
  };

  const front = createServer(async (incoming, outgoing) => {
    const url = new URL(incoming.url ?? '/', 'http://x');
    if (url.searchParams.get('watch')) return stream(url.pathname, outgoing);
    const body = await readBody(incoming);
    if (url.pathname === '/sync') {
      bodies.push({ authorization: incoming.headers.authorization, body });
      outgoing.writeHead(200, { 'content-type': 'application/json' });
      return outgoing.end(JSON.stringify({ status: { phase: 'Ready' }, children: [secret('s')] }));
    }
    if (incoming.method === 'GET') lists.push(url.pathname);
    const answer = await server.call({
      method: (incoming.method ?? 'GET') as KubeRequest['method'],
      path: incoming.url ?? '/',
      body,
      contentType: incoming.headers['content-type'] ?? 'application/json',
      deadlineMs: 1000,
    });
    outgoing.writeHead(answer.status, { 'content-type': 'application/json' });
    return outgoing.end(JSON.stringify(answer.body));
  });
  await new Promise<void>((resolve) => front.listen(0, '127.0.0.1', resolve));
  const baseUrl = `http://127.0.0.1:${(front.address() as AddressInfo).port}`;
  t.teardown(() => {
    front.closeAllConnections();
    front.close();
  });
  return { server, baseUrl, streams, lists, bodies };
};

const pluralOf = (object: KubeObject): string =>
  ({ Rds: 'rdss', Secret: 'secrets', Service: 'services', Job: 'jobs' })[object.kind] ?? object.kind;

const until = async (isTrue: () => boolean | Promise<boolean>): Promise<void> => {
  while (!(await isTrue())) await new Promise((resolve) => setTimeout(resolve, 5));
};

const rds = { apiVersion: 'otc.mcsps.de/v1alpha1', kind: 'Rds', metadata: { name: 'shop' }, spec: {} };
const collection = rdsPath('').slice(0, -1);

t.test('the same loop runs against an API server and a hook behind HTTP', async (t) => {
  const { server, baseUrl, streams, bodies } = await setUp(t);
  const kube: KubeCall = async ({ method, path, body, contentType }) => {
    const response = await request(`${baseUrl}${path}`, {
      method,
      headers: { 'content-type': contentType ?? 'application/json' },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.statusCode, body: await response.body.json() };
  };
  const manifest = controllerManifest();
  const { sync } = (manifest.spec as { hooks: { sync: unknown } }).hooks;
  const loop = createMetacontroller({
    controller: controllerManifest({ hooks: { sync } }),
    kube,
    watch: createClusterWatch({ baseUrl, clock: backgroundClock }),
    callHook: createHttpHook({ baseUrl, token: 'let-me-in' }),
    clock: backgroundClock,
  });
  await loop.start();
  // This little server does not replay what came before the stream.
  await until(() => streams.size === 5);
  await server.call({ method: 'POST', path: collection, body: rds, deadlineMs: 1 });
  const get = async (path: string) =>
    (await server.call({ method: 'GET', path, deadlineMs: 1 })).body as KubeObject;
  await until(async () => (await get(rdsPath())).status !== undefined && bodies.length >= 2);
  t.match(await get('/api/v1/namespaces/team-a/secrets/s'), {
    metadata: { ownerReferences: [{ name: 'shop' }] },
  });
  t.equal(bodies[0]?.authorization, 'Bearer let-me-in');
  loop.stop();
});

t.test(
  'a broken stream and an expired version lead to a new list, which tells what was missed',
  async (t) => {
    const { server, baseUrl, streams, lists } = await setUp(t);
    const problems: string[] = [];
    const events: WatchEvent[] = [];
    const clock = { ...backgroundClock, sleep: () => backgroundClock.sleep(1) };
    const watch = createClusterWatch({ baseUrl, clock, onProblem: (message) => problems.push(message) });
    const send = (method: KubeRequest['method'], name: string, body?: unknown) =>
      server.call({ method, path: method === 'POST' ? collection : rdsPath(name), body, deadlineMs: 1 });
    await send('POST', '', { ...rds, metadata: { name: 'old' } });
    const watching = watch(rdss, (event) => events.push(event));
    await watching.synced;
    t.match(events, [{ type: 'ADDED', object: { kind: 'Rds', metadata: { name: 'old' } } }]);
    const path = '/apis/otc.mcsps.de/v1alpha1/rdss';
    await until(() => streams.has(path));
    const cut = streams.get(path);
    streams.delete(path);
    cut?.write(`${JSON.stringify({ type: 'BOOKMARK', object: { metadata: { resourceVersion: '5' } } })}\n`);
    cut?.write(`${JSON.stringify({ type: 'ERROR', object: { code: 410, reason: 'Expired' } })}\n`);
    cut?.removeAllListeners('close');
    await send('DELETE', 'old');
    await send('POST', '', { ...rds, metadata: { name: 'new' } });
    await until(() => streams.has(path) && events.length >= 3);
    t.strictSame(events.map(({ type, object }) => `${type} ${object.metadata.name}`).slice(0, 3), [
      'ADDED old',
      'DELETED old',
      'ADDED new',
    ]);
    t.ok(lists.filter((one) => one === path).length >= 2);
    t.match(problems[0], /410/);
    watching.stop();
  },
);
