// What a person sees who mistypes, has no right, no cluster or no CRD; and what scripts see of it.

import { chmodSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:https';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { REASONS } from '../../src/rds/reasons.ts';
import { makeTrust } from '../deploy/make-trust.ts';
import { builtPlugin } from './built.ts';
import { servedWorld, TOKEN } from './served-world.ts';

t.test('wrong words are answered with right ones', async (t) => {
  const { run } = builtPlugin();
  const table: [words: string[], code: number, told: RegExp][] = [
    [['stauts'], 2, /There is no command stauts\.\nDid you mean status\?/],
    [['frobnicate'], 2, /All of them: kubectl rds help/],
    [['plan'], 2, /A name is missing\.\nUsage: kubectl rds plan NAME/],
    [['plan', 'a', 'b'], 2, /a word too many: b/],
    [['status', '--namspace', 'x'], 2, /status has no option --namspace\.\nDid you mean --namespace\?/],
    [['status', '-o', 'xml'], 2, /-o xml is not possible for status\.\nIt takes json/],
    [['logs', 'x', '--only', 'audit'], 2, /It takes errorlog or slowlog/],
    [['status', '--namespace'], 2, /See: kubectl rds help status/],
    [['completion', 'tcsh'], 2, /There are: bash, zsh, fish/],
    [['explain', 'StorageFul'], 3, /Did you mean StorageFull\?/],
  ];
  for (const [words, code, told] of table) {
    const got = await run(words);
    t.match(got, { code, stdout: '', stderr: told }, words.join(' '));
    t.notMatch(got.stderr, /\n\s+at /, 'no stack');
  }
});

t.test('what needs no cluster works without one', async (t) => {
  const { run } = builtPlugin();
  t.match(await run(['version']), { code: 0, stdout: /^kubectl-rds \d+\.\d+\.\d+\n$/ });
  t.match(await run(['--version']), { code: 0 });
  for (const words of [[], ['help'], ['--help'], ['-h']])
    t.match(await run(words), { code: 0, stdout: /Usage: kubectl rds COMMAND.*migrate/s });
  t.match(
    await run(['-n', 'team-a', 'help', 'logs']),
    { code: 0, stdout: /--since DURATION/ },
    'options may come first',
  );
  t.match(await run(['help', 'logs']), { code: 0, stdout: /--since DURATION/ });
  t.match(await run(['logs', '--help']), { code: 0, stdout: /--since DURATION/ });
  t.match(await run(['explain', 'storagefull']), {
    code: 0,
    stdout: /^StorageFull\n {2}Means .*\n {2}Do {5}Raise/,
  });
  t.same(JSON.parse((await run(['explain', '-o', 'json'])).stdout), REASONS);
  for (const shell of ['bash', 'zsh', 'fish'])
    t.match(await run(['completion', shell]), { code: 0, stdout: /__complete/ });
});

t.test('names that are nearly right, or in another namespace', async (t) => {
  const world = await servedWorld(t);
  await world.apply('shop', {});
  t.match(await world.run('status', 'shp'), {
    code: 3,
    stderr: /There is no Rds shp in namespace team-a\.\nDid you mean shop\?/,
  });
  t.match(await world.run('status', 'warehouse'), { code: 3, stderr: /There are: shop\./ });
  t.match(await world.run('status', 'shop', '-n', 'default'), {
    code: 3,
    stderr: /There is one elsewhere: add -n team-a\./,
  });
  t.match(await world.run('plan', 'x', '-n', 'default'), { code: 3, stderr: /no Rds in default at all/ });
});

t.test('no right, no login, no CRD, no cluster, no kubeconfig', async (t) => {
  const world = await servedWorld(t);
  world.refuse(({ method }) =>
    method === 'GET'
      ? undefined
      : {
          status: 403,
          body: {
            message:
              'rdss.otc.mcsps.de "shop" is forbidden: User "me" cannot patch resource "rdss" in API group "otc.mcsps.de" in the namespace "team-a"',
          },
        },
  );
  await world.ready();
  const refused = await world.run('restart', 'shop', '--yes');
  t.match(refused, {
    code: 4,
    stderr:
      /cannot patch resource.*\nMissing: verb patch on rdss\.otc\.mcsps\.de\. The ClusterRole edit has it/,
  });

  t.match(await world.run('status', '--context', 'stranger'), {
    code: 4,
    stderr: /does not accept the login of context stranger/,
  });
  t.match(await world.run('status', '--context', 'nowhere'), {
    code: 5,
    stderr: /No cluster: the API server at http:\/\/127\.0\.0\.1:1 does not answer/,
  });
  t.match(await world.run('status', '--context', 'third'), {
    code: 5,
    stderr: /there is no context third; there are main, stranger, nowhere/,
  });
  t.match(await world.run('status', '--kubeconfig', '/no/such/file'), {
    code: 5,
    stderr: /\/no\/such\/file: the kubeconfig cannot be read/,
  });
  world.refuse(() => ({
    status: 404,
    body: { message: 'the server could not find the requested resource', details: {} },
  }));
  t.match(await world.run('status'), {
    code: 5,
    stderr: /does not know the kinds Rds and RdsBackup\.\nInstall rds-pilot/,
  });
  t.match(await world.run('status', 'shop'), { code: 5 });
});

t.test('a wait that takes too long ends with its own code, and the order stands', async (t) => {
  const world = await servedWorld(t);
  await world.ready();
  world.refuse(({ method, path }) =>
    method === 'POST' && path.includes('rdsbackups')
      ? { status: 201, body: { metadata: { name: 'b' } } }
      : path.includes('rdsbackups/b')
        ? { status: 200, body: { metadata: { name: 'b' } } }
        : undefined,
  );
  t.match(await world.run('backup', 'shop', '--timeout', '1s'), {
    code: 6,
    stderr: /not there after 1 seconds/,
  });
});

t.test('several kubeconfigs, a login program, and colours only for people', async (t) => {
  const world = await servedWorld(t);
  await world.apply('shop', {});
  const login = join(world.folder, 'login');
  writeFileSync(
    login,
    `#!/bin/sh\ncat > /dev/null\necho '{"kind":"ExecCredential","status":{"token":"'"$GIVEN"'"}}'\n`,
  );
  chmodSync(login, 0o755);
  const second = join(world.folder, 'second');
  const write = (exec: object) =>
    writeFileSync(
      second,
      stringify({
        clusters: [{ name: 'c', cluster: { server: `http://127.0.0.1:${world.port}` } }],
        users: [{ name: 'u', user: { exec } }],
        contexts: [{ name: 'by-program', context: { cluster: 'c', user: 'u', namespace: 'team-a' } }],
      }),
    );
  const env = { ...world.env(), KUBECONFIG: `/not/there:${world.kubeconfig}:${second}` };
  const run = (...words: string[]) => world.plugin.run(words, { env });
  write({
    command: './login',
    apiVersion: 'client.authentication.k8s.io/v1',
    env: [{ name: 'GIVEN', value: TOKEN }],
  });
  t.match(await run('status'), { code: 0, stdout: /shop/ }, 'the first current-context counts');
  write({
    command: login,
    apiVersion: 'client.authentication.k8s.io/v1',
    env: [{ name: 'GIVEN', value: TOKEN }],
  });
  t.match(await run('status', '--context', 'by-program'), { code: 0, stdout: /shop/ });
  write({ command: '/no/such/program', installHint: 'Install it from example.org.' });
  t.match(await run('status', '--context', 'by-program'), {
    code: 5,
    stderr: /cannot be run\. Install it from example\.org/,
  });
  write({ command: 'echo', args: ['S3cr3t'] });
  const broken = await run('status', '--context', 'by-program');
  t.match(broken, { code: 5, stderr: /printed no ExecCredential/ });
  t.notMatch(broken.stderr, 'S3cr3t');

  const colour = '\u001b[';
  t.notMatch((await world.run('status')).stdout, colour);
  t.ok((await world.inTerminal('', 'status')).stdout.includes(colour), 'a person sees colours');
  const plain = await world.plugin.inTerminal(['status'], { env: { ...world.env(), NO_COLOR: '1' } });
  t.notOk(plain.stdout.includes(colour), 'NO_COLOR');
});

t.test('completion: commands, options, names, and what kubectl expects at the end', async (t) => {
  const world = await servedWorld(t);
  await world.apply('shop', {});
  const ask = async (...words: string[]) =>
    (await world.run('__complete', ...words)).stdout.trim().split('\n');
  t.same(await ask('st'), ['status', ':4']);
  t.same(await ask('plan', ''), ['shop', ':4']);
  t.same(await ask('plan', '-n', 'default', ''), [':4']);
  t.same(await ask('logs', 'shop', '--fo'), ['--follow', ':4']);
  t.same(await ask('logs', 'shop', '--only', ''), ['errorlog', 'slowlog', ':4']);
  t.same(await ask('status', '-o', ''), ['json', ':4']);
  t.same(await ask('restore', 'x', '--like', 's'), ['shop', ':4']);
  t.same(await ask('explain', 'StorageF'), ['StorageFull', ':4']);
  t.same(await ask('completion', ''), ['bash', 'zsh', 'fish', ':4']);
  t.same(await ask('nothing', ''), [':4']);
  t.same(await ask('plan', '--context', 'nowhere', ''), [':4'], 'no cluster is no error here');
});

t.test('text from elsewhere does not steer the terminal', async (t) => {
  const world = await servedWorld(t);
  await world.apply('shop', {});
  const message = 'evil \u001b[2J\u0007 text';
  const ready = {
    type: 'Ready',
    status: 'False',
    reason: 'InvalidSpec',
    message,
    lastTransitionTime: '2026-11-16T08:00:00Z',
  };
  world.refuse(({ path }) =>
    path.endsWith('/rdss/shop')
      ? {
          status: 200,
          body: {
            metadata: { name: 'shop', namespace: 'team-a' },
            spec: {},
            status: { conditions: [ready] },
          },
        }
      : undefined,
  );
  const { stdout } = await world.inTerminal('', 'status', 'shop');
  t.notOk(stdout.includes('\u001b[2J'));
  t.notOk(stdout.includes('\u0007'));
});

t.test('https: a private CA, a client certificate, another name, and none of the checks', async (t) => {
  const { run } = builtPlugin();
  const dir = t.testdir();
  const { ca, cert, key } = makeTrust(dir, 'cluster.example');
  const [authority, mine, secret] = [ca, cert, key].map((file) => readFileSync(file));
  const server = createServer({ ca: authority, cert: mine, key: secret, requestCert: true }, (_, res) =>
    res.end(JSON.stringify({ items: [] })),
  );
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.teardown(() => void server.close());
  const { port } = server.address() as { port: number };
  const user = { 'client-certificate': 'tls.crt', 'client-key': 'tls.key' };
  const status = (more: object, name = 'me') => {
    const cluster = { server: `https://127.0.0.1:${port}`, ...more };
    writeFileSync(
      join(dir, 'config'),
      stringify({
        'current-context': 'c',
        clusters: [{ name: 'c', cluster }],
        users: [
          { name: 'me', user },
          { name: 'nobody', user: {} },
        ],
        contexts: [{ name: 'c', context: { cluster: 'c', user: name } }],
      }),
    );
    return run(['status'], { env: { KUBECONFIG: join(dir, 'config') } });
  };
  const trusted = { 'certificate-authority': 'ca.crt', 'tls-server-name': 'cluster.example' };
  t.match(await status(trusted), { code: 0, stderr: /no Rds/ });
  t.match(await status({ 'insecure-skip-tls-verify': true }), { code: 0 });
  t.match(await status({ ...trusted, 'tls-server-name': 'other.example' }), {
    code: 5,
    stderr: /does not match certificate/,
  });
  t.match(await status({}), { code: 5, stderr: /certificate/ }, 'an unknown CA');
  t.match(await status(trusted, 'nobody'), { code: 5 }, 'the server wants a certificate');
  t.match(await status({ ...trusted, 'proxy-url': 'http://proxy.example' }), {
    code: 5,
    stderr: /proxy-url, which is not supported/,
  });
});

t.test('a login that the cloud refuses is told without its password', async (t) => {
  const world = await servedWorld(t);
  const forbidden = { status: 403, body: { message: 'deployments.apps is forbidden' } };
  world.refuse(({ path }) => (path.startsWith('/apis/apps/') ? forbidden : undefined));
  const env = { ...world.env(true), OS_PASSWORD: 'Wr0ng-S3cret' };
  for (const words of [['adopt', '--list'], ['migrate']]) {
    const got = await world.plugin.run(words, { env });
    t.match(got, {
      code: 4,
      stdout: '',
      stderr: /The cloud cannot be asked: .*\nCheck OS_AUTH_URL, the login/,
    });
    t.notMatch(got.stderr, 'Wr0ng-S3cret');
  }
  const nowhere = { ...world.env(true), OS_AUTH_URL: 'http://127.0.0.1:1/v3' };
  t.match(await world.plugin.run(['adopt', '--list'], { env: nowhere }), {
    code: 5,
    stderr: /cannot be asked/,
  });
});
