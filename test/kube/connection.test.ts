import fs, { writeFileSync } from 'node:fs';
import { syncBuiltinESMExports } from 'node:module';
import { join } from 'node:path';
import t from 'tap';
import { stringify } from 'yaml';
import { contextConnection, inClusterConnection, kubeconfigConnection } from '../../src/kube/connection.ts';
import { readKubeconfigs } from '../../src/kube/kubeconfig.ts';

const base64 = (text: string) => Buffer.from(text).toString('base64');

type Parts = { cluster?: Record<string, unknown>; user?: Record<string, unknown>; context?: string };

const SERVER = 'https://10.0.0.1:6443';

function kubeconfig({
  cluster = { server: SERVER },
  user = { token: 'a-token' },
  context = 'main',
}: Parts): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': context,
    contexts: [
      { name: 'other', context: { cluster: 'other', user: 'other' } },
      { name: 'main', context: { cluster: 'c', user: 'u' } },
      { name: 'broken', context: { cluster: 'nowhere', user: 'u' } },
      { name: 'anonymous', context: { cluster: 'c', user: 'nobody' } },
    ],
    clusters: [
      { name: 'other', cluster: { server: 'https://other:6443' } },
      { name: 'c', cluster },
    ],
    users: [
      { name: 'other', user: { token: 'other-token' } },
      { name: 'u', user },
    ],
  });
}

const FILES = { 'ca.crt': 'the CA', 'me.crt': 'the cert', 'me.key': 'the key', token: 'from a file\n' };

/** A folder with certificates and a config that may name them. */
function folder(make: (dir: string) => string): { path: string } {
  const dir = t.testdir({ ...FILES, config: '' });
  const path = join(dir, 'config');
  writeFileSync(path, make(dir));
  return { path };
}

t.test('a kubeconfig with everything inside is read', async (t) => {
  const { path } = folder(() =>
    kubeconfig({
      cluster: { server: SERVER, 'certificate-authority-data': base64('the CA') },
      user: { 'client-certificate-data': base64('the cert'), 'client-key-data': base64('the key') },
    }),
  );
  const { token, ...rest } = kubeconfigConnection(path);
  t.same(rest, { url: SERVER, ca: 'the CA', cert: 'the cert', key: 'the key' });
  t.equal(token(), undefined);
});

t.test('a kubeconfig that names files is read', async (t) => {
  const { path } = folder((dir) =>
    kubeconfig({
      cluster: { server: SERVER, 'certificate-authority': join(dir, 'ca.crt') },
      user: { 'client-certificate': join(dir, 'me.crt'), 'client-key': join(dir, 'me.key') },
    }),
  );
  t.match(kubeconfigConnection(path), { ca: 'the CA', cert: 'the cert', key: 'the key' });
});

t.test('files named without a folder are those beside the kubeconfig, as for kubectl', async (t) => {
  const { path } = folder(() =>
    kubeconfig({ cluster: { server: SERVER, 'certificate-authority': 'ca.crt' } }),
  );
  t.match(kubeconfigConnection(path), { ca: 'the CA' });
});

t.test('a token file is read anew for each call, as for kubectl', async (t) => {
  const { path } = folder((dir) => kubeconfig({ user: { tokenFile: join(dir, 'token') } }));
  t.equal(kubeconfigConnection(path).token(), 'from a file');
});

t.test('a way to log in that is not supported is told, not left out', async (t) => {
  const { path } = folder(() => kubeconfig({ user: { exec: { command: 'aws' } } }));
  t.throws(() => kubeconfigConnection(path), { message: /exec/ });
});

t.test(
  'several kubeconfigs are one: the first that names something counts, a missing one is empty',
  async (t) => {
    const dir = t.testdir({
      one: kubeconfig({ context: '' }),
      two: kubeconfig({ user: { token: 'second' }, context: 'main' }),
      broken: '[1, 2',
    });
    const [one, two] = [join(dir, 'one'), join(dir, 'two')];
    const config = readKubeconfigs([join(dir, 'none'), one, two]);
    const { connection, context } = contextConnection(config);
    t.equal(connection.token(), 'a-token', 'the user of the first');
    t.match(context, { name: 'main' }, 'the current context of the second');
    t.throws(() => contextConnection(config, { context: 'third' }), {
      message: /there are other, main, broken/,
    });
    t.throws(() => readKubeconfigs([join(dir, 'none')]), { message: /cannot be read/ });
    t.throws(() => readKubeconfigs([one, join(dir, 'broken')]), { message: /not a kubeconfig/ });
  },
);

t.test('a server with a slash at its end is the same server', async (t) => {
  const { path } = folder(() => kubeconfig({ cluster: { server: `${SERVER}/` } }));
  t.equal(kubeconfigConnection(path).url, SERVER);
});

t.test('only the current context counts', async (t) => {
  const { path } = folder(() => kubeconfig({ context: 'other' }));
  const connection = kubeconfigConnection(path);
  t.equal(connection.url, 'https://other:6443');
  t.equal(connection.token(), 'other-token');
  t.match(connection, { ca: undefined, cert: undefined, key: undefined });
});

t.test('a kubeconfig without a usable context is refused with its path', async (t) => {
  const table = [
    { given: kubeconfig({ context: 'missing' }), because: 'no such context' },
    { given: kubeconfig({ context: 'broken' }), because: 'no such cluster' },
    { given: kubeconfig({ context: 'anonymous' }), because: 'no such user' },
    { given: kubeconfig({ cluster: {} }), because: 'no server' },
    { given: '{}', because: 'nothing in it' },
  ];
  for (const { given, because } of table) {
    const { path } = folder(() => given);
    t.throws(() => kubeconfigConnection(path), { message: new RegExp(path) }, because);
  }
  t.throws(() => kubeconfigConnection('/no/such/kubeconfig'), { message: /\/no\/such\/kubeconfig/ });
});

t.test('a file that is no kubeconfig at all is refused with its path', async (t) => {
  for (const given of ['', 'just text', '[1, 2', '- a\n- b\n']) {
    const { path } = folder(() => given);
    t.throws(() => kubeconfigConnection(path), { message: new RegExp(path) }, JSON.stringify(given));
  }
});

t.test('a complaint about a kubeconfig never shows its token', async (t) => {
  const { path } = folder(() => kubeconfig({ cluster: {}, user: { token: 'S3cr3t' } }));
  try {
    kubeconfigConnection(path);
    t.fail('must throw');
  } catch (error) {
    t.notMatch(String(error), /S3cr3t/);
  }
});

t.test('outside of a cluster there is no connection', async (t) => {
  t.equal(inClusterConnection({}), undefined);
  t.equal(inClusterConnection({ KUBERNETES_SERVICE_HOST: '' }), undefined);
});

t.test('in a cluster the service account is used, and its token read for each call', async (t) => {
  let token = 'first';
  const read: string[] = [];
  const readFile = t.capture(fs, 'readFileSync', (path: string) => {
    read.push(path);
    return path.endsWith('token') ? `${token}\n` : 'the CA';
  });
  syncBuiltinESMExports();
  t.teardown(() => {
    readFile.restore();
    syncBuiltinESMExports();
  });
  const table = [
    { given: { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, want: 'https://10.96.0.1:443' },
    {
      given: { KUBERNETES_SERVICE_HOST: '10.96.0.1', KUBERNETES_SERVICE_PORT: '6443' },
      want: 'https://10.96.0.1:6443',
    },
    { given: { KUBERNETES_SERVICE_HOST: 'fd00::1' }, want: 'https://[fd00::1]:443' },
  ];
  for (const { given, want } of table) {
    const connection = inClusterConnection(given);
    t.equal(connection?.url, want);
    t.ok(URL.canParse(connection?.url ?? ''));
    t.match(connection, { ca: 'the CA', cert: undefined, key: undefined });
  }
  t.equal(inClusterConnection({ KUBERNETES_SERVICE_HOST: 'h' })?.token(), 'first');
  token = 'second';
  t.equal(
    inClusterConnection({ KUBERNETES_SERVICE_HOST: 'h' })?.token(),
    'second',
    'projected tokens rotate',
  );
  t.ok(read.includes('/var/run/secrets/kubernetes.io/serviceaccount/token'));
});
