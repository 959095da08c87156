import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Agent, request } from 'undici';
import { json, startServer as start, syncBody } from './support/server-process.ts';

t.test('SIGTERM finishes the calls in flight, refuses new ones and ends with 0', async (t) => {
  const { port, simulatorPort, child, exited } = await start(t);
  const slow = { match: { service: 'rds' }, kind: 'slow', delayMs: 2_000, times: 1 };
  const planted = await request(`http://127.0.0.1:${simulatorPort}/_sim/faults`, {
    method: 'POST',
    headers: json,
    body: JSON.stringify(slow),
  });
  await planted.body.dump();
  const call = request(`http://127.0.0.1:${port}/sync`, {
    method: 'POST',
    headers: json,
    body: syncBody('1'),
  });
  const isAsked = async () => {
    const { body } = await request(`http://127.0.0.1:${simulatorPort}/_sim/calls`);
    return 'rds' in ((await body.json()) as object);
  };
  while (!(await isAsked())) await new Promise((resolve) => setTimeout(resolve, 50));
  child.kill('SIGTERM');
  const answer = await call;
  t.equal(answer.statusCode, 200, 'the call that was under way is answered');
  await answer.body.dump();
  t.same(await exited, [0, null]);
  await t.rejects(request(`http://127.0.0.1:${port}/healthz`), 'and the port is closed');
});

t.test('with a certificate the hook speaks TLS only', async (t) => {
  const folder = t.testdir();
  const [key, cert] = [join(folder, 'tls.key'), join(folder, 'tls.crt')];
  try {
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost,IP:127.0.0.1'];
    execFileSync(
      'openssl',
      [
        'req',
        '-x509',
        '-newkey',
        'rsa:2048',
        '-nodes',
        '-days',
        '1',
        '-keyout',
        key,
        '-out',
        cert,
        ...subject,
      ],
      { stdio: 'ignore' },
    );
  } catch {
    t.comment('openssl is missing: not tried');
    return;
  }
  const { port } = await start(t, { TLS_CERT_FILE: cert, TLS_KEY_FILE: key, HOOK_TOKEN: 'one,two' });
  const dispatcher = new Agent({ connect: { ca: readFileSync(cert, 'utf8') } });
  t.teardown(() => dispatcher.close());
  const url = `https://127.0.0.1:${port}`;
  const health = await request(`${url}/healthz`, { dispatcher });
  t.equal(health.statusCode, 200);
  const call = (authorization?: string) =>
    request(`${url}/sync`, {
      dispatcher,
      method: 'POST',
      headers: { ...json, ...(authorization ? { authorization } : {}) },
      body: syncBody('2'),
    });
  t.equal((await call()).statusCode, 401);
  t.equal((await call('Bearer three')).statusCode, 401);
  t.equal((await call('Bearer two')).statusCode, 200, 'either token opens while rotating');
  await t.rejects(request(`http://127.0.0.1:${port}/healthz`), 'no plain text beside it');
});

t.test('a start that cannot work ends with one line that names the fix', async (t) => {
  const cases: { env: Record<string, string>; says: RegExp }[] = [
    { env: { OTC_SIMULATOR: '' }, says: /OS_AUTH_URL.*OTC_SIMULATOR=embedded/ },
    { env: { JOURNAL: 'lease' }, says: /JOURNAL=lease needs an API server.*KUBECONFIG/ },
    { env: { KUBECONFIG: '/nowhere/config' }, says: /\/nowhere\/config: the kubeconfig cannot be read/ },
    { env: { PORT: 'eighty' }, says: /PORT: expected/ },
  ];
  for (const { env, says } of cases) {
    const { exited, output } = await start(t, env);
    t.same(await exited, [1, null]);
    const lines = output().trim().split('\n');
    t.equal(lines.length, 1, output());
    t.match(lines[0], says);
  }
});
