import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { parse } from 'yaml';
import { createKubeClient } from './kube-client.ts';
import { waitFor } from './wait-for.ts';

t.setTimeout(1_200_000);

function start(
  t: Test,
  env: Record<string, string>,
): { child: ChildProcess; said: () => string; ended: Promise<number | null> } {
  const child = spawn(process.execPath, [join(import.meta.dirname, 'main.ts')], {
    env: { PATH: process.env.PATH ?? '', HOME: process.env.HOME ?? '', ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  t.teardown(() => child.kill('SIGKILL'));
  let output = '';
  child.stdout?.on('data', (chunk) => {
    output += chunk;
  });
  child.stderr?.on('data', (chunk) => {
    output += chunk;
  });
  return { child, said: () => output, ended: new Promise((resolve) => child.once('exit', resolve)) };
}

const EXAMPLE = readFileSync(
  join(import.meta.dirname, '..', '..', 'metacontroller', 'examples', 'shop.yaml'),
  'utf8',
);

t.test('the cluster comes up with the local loop, serves kubectl, and Ctrl-C leaves nothing', async (t) => {
  const { child, said, ended } = start(t, {});
  const path = await waitFor('the kubeconfig', () => /export KUBECONFIG=(\S+)/.exec(said())?.[1]);
  t.match(said(), /NOTICE: METACONTROLLER_HOME is not set.*the local loop takes its place/);
  const config = parse(readFileSync(path, 'utf8'));
  const { server: url, 'certificate-authority-data': ca } = config.clusters[0].cluster;
  const kube = createKubeClient({
    url,
    ca: Buffer.from(ca, 'base64').toString(),
    token: config.users[0].user.token,
  });
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  const [rds] = await kube.applyYaml(EXAMPLE);
  t.ok(rds);
  await kube.waitForObject(
    '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop',
    'Creating',
    ({ status }) => ['Creating', 'Ready'].includes((status as { phase?: string } | undefined)?.phase ?? ''),
  );
  await kube.close();
  child.kill('SIGINT');
  t.equal(await ended, 0);
  t.notOk(existsSync(path), 'its folder is gone');
});

t.test('bad situations get a sentence that names the fix', async (t) => {
  const taken = createServer();
  await new Promise<void>((resolve) => taken.listen(0, '127.0.0.1', resolve));
  t.teardown(() => taken.close());
  const address = taken.address();
  const port = typeof address === 'object' && address ? `${address.port}` : '';
  const cases: [why: string, env: Record<string, string>, message: RegExp][] = [
    ['a port that is taken', { PORT: port }, /EADDRINUSE.*set PORT and SIMULATOR_PORT to free ones/],
    ['a port that is none', { PORT: 'eighty' }, /PORT=eighty is not a port: use a number/],
    ['no Go', { RDS_PILOT_CACHE: t.testdir({}), PATH: '/usr/bin:/bin' }, /`go` is not on the PATH: Go 1\.26/],
  ];
  for (const [why, env, message] of cases) {
    const { said, ended } = start(t, env);
    t.equal(await ended, 1, why);
    t.match(said(), message, why);
    t.notMatch(said(), /\n\s+at /, 'no stack');
  }
});
