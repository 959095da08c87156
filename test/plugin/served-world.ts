// The simulated world behind real sockets, for a plugin that is a process of its own: every question that it asks the
// API server lets some time pass in the world, so that waiting takes no real time.

import { writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { stringify } from 'yaml';
import type { KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { demoVariables } from '../../src/simulator/demo-account.ts';
import { serveSimulator } from '../../src/simulator/server.ts';
import { SECOND } from '../support/world.ts';
import { createLogWorld } from '../sync/log-world.ts';
import { builtPlugin, type Ran } from './built.ts';

type Test = { teardown(end: () => unknown): unknown; testdir(): string };

export const TOKEN = 'a-token-of-the-user-that-nobody-may-see';
const WORLD_URL = 'http://127.0.0.1:9090';
const STEP_MS = 30 * SECOND;

type Refuse = (request: KubeRequest) => { status: number; body: unknown } | undefined;

export async function servedWorld(t: Test) {
  const plugin = builtPlugin();
  const world = await createLogWorld({ teardown: (end) => void t.teardown(end) });
  const { run: runJob } = world;
  const output = new Map<string, string[]>();
  let refuse: Refuse = () => undefined;
  const asked: KubeRequest[] = [];

  /** Somebody has to be the Job controller and the kubelet. */
  async function runJobs(): Promise<void> {
    for (const job of await world.jobs()) {
      const { name } = job.metadata;
      if (output.has(name)) continue;
      output.set(name, await runJob(job));
      const pod = {
        apiVersion: 'v1',
        kind: 'Pod',
        metadata: { name: `${name}-x1`, labels: { 'job-name': name } },
        spec: { containers: [] },
      };
      await world.kube('POST', '/api/v1/namespaces/team-a/pods', pod);
      await world.kube(
        'PATCH',
        `/api/v1/namespaces/team-a/pods/${name}-x1/status`,
        { status: { phase: 'Succeeded' } },
        'application/merge-patch+json',
      );
    }
  }

  async function answer(request: KubeRequest): Promise<{ status: number; body: unknown } | string> {
    asked.push(request);
    const refused = refuse(request);
    if (refused) return refused;
    await runJobs();
    await world.clock.advance(STEP_MS);
    const [, pod, container] = /\/pods\/([^/]+)-x1\/log\?container=(\w+)/.exec(request.path) ?? [];
    if (!pod) return world.api.call(request);
    const isOfContainer = (line: string) => !line.startsWith('{') || line.startsWith(`{"log":"${container}"`);
    return (output.get(pod) ?? [])
      .filter(isOfContainer)
      .map((line) => `${line}\n`)
      .join('');
  }

  // One at a time: the world's clock is moved by one hand.
  let last: Promise<unknown> = Promise.resolve();
  const server = createServer((req, res) => {
    const chunks: Buffer[] = [];
    req.on('data', (chunk: Buffer) => chunks.push(chunk));
    req.on('end', () => {
      const text = Buffer.concat(chunks).toString();
      const request: KubeRequest = {
        method: req.method as KubeRequest['method'],
        path: req.url ?? '/',
        deadlineMs: 5_000,
        ...(text === '' ? {} : { body: JSON.parse(text) as unknown }),
        ...(req.headers['content-type'] ? { contentType: req.headers['content-type'] } : {}),
      };
      const isKnown = req.headers.authorization === `Bearer ${TOKEN}`;
      last = last
        .then(() => (isKnown ? answer(request) : { status: 401, body: { message: 'Unauthorized' } }))
        .then((got) => {
          res.statusCode = typeof got === 'string' ? 200 : got.status;
          res.end(typeof got === 'string' ? got : JSON.stringify(got.body));
        })
        .catch((error: unknown) => {
          res.statusCode = 500;
          res.end(JSON.stringify({ message: `the test's own API server failed: ${(error as Error).stack}` }));
        });
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const { port } = server.address() as { port: number };

  // The catalogue names the services by the address that the world was made with.
  const { simulator } = world;
  const cloud = await serveSimulator({
    ...simulator,
    handle: async (request) => {
      const got = await simulator.handle(request);
      return { ...got, body: got.body.replaceAll(WORLD_URL, cloud.url) };
    },
  });
  t.teardown(() => cloud.close());

  const folder = t.testdir();
  const kubeconfig = join(folder, 'config');
  const contexts = { main: { user: 'me', namespace: 'team-a' }, stranger: { user: 'stranger' } };
  const config = {
    'current-context': 'main',
    clusters: [
      { name: 'here', cluster: { server: `http://127.0.0.1:${port}` } },
      { name: 'nowhere', cluster: { server: 'http://127.0.0.1:1' } },
    ],
    users: [
      { name: 'me', user: { token: TOKEN } },
      { name: 'stranger', user: { token: 'another' } },
    ],
    contexts: [
      ...Object.entries(contexts).map(([name, context]) => ({
        name,
        context: { cluster: 'here', ...context },
      })),
      { name: 'nowhere', context: { cluster: 'nowhere', user: 'me' } },
    ],
  };
  writeFileSync(kubeconfig, stringify(config));

  const env = (isCloudKnown = false): Record<string, string> => ({
    KUBECONFIG: kubeconfig,
    ...(isCloudKnown ? demoVariables(cloud.url) : {}),
  });

  return Object.assign(world, {
    folder,
    kubeconfig,
    port,
    plugin,
    asked,
    env,
    refuse: (how: Refuse) => {
      refuse = how;
    },
    run: (...words: string[]): Promise<Ran> => plugin.run(words, { env: env() }),
    runWithCloud: (...words: string[]): Promise<Ran> => plugin.run(words, { env: env(true) }),
    inTerminal: (input: string, ...words: string[]): Promise<Ran> =>
      plugin.inTerminal(words, { env: env(), input }),
    annotations: async (name: string) => (await world.rds(name))?.metadata.annotations ?? {},
    list: async (path: string) => ((await world.kube('GET', path)).body as { items: KubeObject[] }).items,
  });
}
