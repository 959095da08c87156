import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { readArguments } from '../../src/simulator/arguments.ts';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { serveSimulator } from '../../src/simulator/server.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { type Json, passwordAuth, virtualClock } from './test-cloud.ts';

const loginAt = async (url: string): Promise<Response> =>
  fetch(`${url}/v3/auth/tokens`, { method: 'POST', body: JSON.stringify(passwordAuth()) });

t.test('the simulator answers over HTTP, with a catalog that leads back to it', async (t) => {
  const server = await serveSimulator(createSimulator({ clock: virtualClock() }), { port: 0 });
  t.teardown(server.close);
  const login = await loginAt(server.url);
  t.equal(login.status, 201);
  const body = (await login.json()) as Json;
  const rds = body.token.catalog.find(({ type }: Json) => type === 'rdsv3').endpoints[0].url;
  t.equal(rds, `${server.url}/rds/v3/${DEMO_PROJECT.id}`);
  const headers = { 'x-auth-token': login.headers.get('x-subject-token') ?? '' };
  const list = await fetch(`${rds}/instances`, { headers });
  t.strictSame(await list.json(), { instances: [], total_count: 0 });
  t.equal(
    list.headers.get('date'),
    'Wed, 01 Jan 2025 10:00:00 GMT',
    'the time of the clock, not of the machine',
  );
  const revoke = await fetch(`${server.url}/v3/auth/tokens`, {
    method: 'DELETE',
    headers: { ...headers, 'x-subject-token': headers['x-auth-token'] },
  });
  t.equal(revoke.status, 204);
});

t.test('over HTTP a lost answer is silence, and a reset cuts the connection', async (t) => {
  const simulator = createSimulator({ clock: virtualClock() });
  const server = await serveSimulator(simulator);
  t.teardown(server.close);
  simulator.faults.add({ kind: 'timeout-before' });
  await t.rejects(fetch(`${server.url}/v3`, { signal: AbortSignal.timeout(200) }), { name: 'TimeoutError' });
  simulator.faults.add({ kind: 'connection' });
  await t.rejects(fetch(`${server.url}/v3`), /fetch failed/);
  t.equal((await fetch(`${server.url}/v3`)).status, 200);
});

t.test('a body beyond 12 MB is refused, and a bug of ours is told as one', async (t) => {
  const server = await serveSimulator(createSimulator({ clock: virtualClock() }));
  t.teardown(server.close);
  const big = await fetch(server.url, { method: 'POST', body: 'x'.repeat(12 * 1024 * 1024 + 1) });
  t.equal(big.status, 413);
  const broken = await serveSimulator({ handle: () => Promise.reject(new Error('oops')) });
  t.teardown(broken.close);
  t.match(await (await fetch(broken.url)).text(), /Bug in the simulator: .*oops/);
});

t.test('flags are read, and wrong ones named', (t) => {
  const read = readArguments([
    '--port',
    '0',
    '--speed',
    '60',
    '--network',
    'a',
    '--network',
    'b',
    '--list-lag',
    '5',
    '--seed',
    '3',
  ]);
  t.match(read, { port: 0, options: { speed: 60, networks: ['a', 'b'], listLagMs: 5000, seed: 3 } });
  t.equal(readArguments([]).port, 9090);
  t.match(readArguments([]), { real: { mysql: undefined, postgres: undefined, listenAddresses: [] } });
  const real = [
    '--mysql',
    'a:b@h:1',
    '--mysql',
    'c:d@h:2',
    '--postgres',
    'own',
    '--listen-address',
    '10.0.0.1',
  ];
  t.match(readArguments([...real, '--data', 'd', '--rate', '5']), {
    options: { ratePerSecond: 5 },
    real: {
      mysql: [{ user: 'a', password: 'b', host: 'h', port: 1 }, { user: 'c' }],
      postgres: 'own',
      listenAddresses: ['10.0.0.1'],
      folder: 'd',
    },
  });
  for (const bad of [
    ['--port', 'http'],
    ['--speed', '0'],
    ['--colour', 'red'],
    ['--network', 'a b'],
    ['--seed', ''],
    ['--rate', '-1'],
    ['--mysql', 'root@localhost'],
    ['--mysql', 'own', '--mysql', 'a:b@h:1'],
    ['stray'],
  ])
    t.throws(() => readArguments(bad), { name: 'BadArgument' }, bad.join(' '));
  t.end();
});

const start = (...args: string[]) =>
  spawn(process.execPath, ['src/simulator/main.ts', ...args], { stdio: 'pipe' });

t.test('a bad flag ends the command with 2 and a sentence', async (t) => {
  const child = start('--speed', 'fast');
  let text = '';
  child.stderr.on('data', (chunk) => {
    text += chunk;
  });
  const [code] = await once(child, 'exit');
  t.equal(code, 2);
  t.match(text, /--speed must be a number/);
  t.match(text, /Usage/);
});

t.test('with --state a cloud outlives its process', async (t) => {
  const file = join(t.testdir(), 'cloud.json');
  const urlOf = async (child: ReturnType<typeof start>): Promise<string> => {
    let text = '';
    for await (const chunk of child.stdout) {
      text += chunk;
      const url = /at (http:\/\/\S+)/.exec(text)?.[1];
      if (url && text.includes('_sim')) return url;
    }
    throw new Error('it never said where it listens');
  };
  const first = start('--port', '0', '--state', file);
  const token = (await loginAt(await urlOf(first))).headers.get('x-subject-token') ?? '';
  first.kill('SIGTERM');
  t.strictSame(await once(first, 'exit'), [0, null]);
  t.ok(existsSync(file));
  t.ok(readFileSync(file, 'utf8').includes(token));
  const second = start('--port', '0', '--state', file);
  t.teardown(() => second.kill('SIGTERM'));
  const url = await urlOf(second);
  const list = await fetch(`${url}/rds/v3/${DEMO_PROJECT.id}/instances`, {
    headers: { 'x-auth-token': token },
  });
  t.equal(list.status, 200);
});
