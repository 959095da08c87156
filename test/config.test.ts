import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { type Config, ConfigError, readConfig } from '../src/config.ts';
import { readCredentials } from '../src/otc/credentials.ts';
import { signingIdentity } from '../src/simulator/smn/signing.ts';

const OTC = {
  OS_AUTH_URL: 'https://iam.eu-de.otc.t-systems.com/v3',
  OS_REGION_NAME: 'eu-de',
  OS_PROJECT_NAME: 'eu-de',
  OS_DOMAIN_NAME: 'OTC-D1',
  OS_USERNAME: 'robot',
  OS_PASSWORD: 'S3cr3t-password',
};

const SECRETS = ['OS_PASSWORD', 'OS_ACCESS_KEY', 'OS_SECRET_KEY', 'OS_TOKEN', 'HOOK_TOKEN'] as const;

/** The message of the refusal; fails the test when there is none. */
function refusal(env: Record<string, string | undefined>): string {
  try {
    readConfig(env);
  } catch (error) {
    if (error instanceof ConfigError) return error.message;
    throw error;
  }
  throw new Error('the config was accepted');
}

t.test('with credentials alone everything has the default of the design', async (t) => {
  const config = readConfig(OTC);
  t.match(config, {
    port: 8080,
    alarms: undefined,
    host: '0.0.0.0',
    hookTokens: [],
    tls: undefined,
    journal: 'memory',
    kubeconfig: undefined,
    podNamespace: 'rds-pilot',
    logLevel: 'info',
    timing: { settleMs: 300_000, absenceGapMs: 30_000 },
    otc: OTC,
    simulator: undefined,
    localManifests: undefined,
  });
  t.type(config.jobImage, 'string');
  t.ok(Object.isFrozen(config));
});

t.test('each variable of the design is read', async (t) => {
  type Row = { given: Record<string, string>; want: Partial<Config> };
  const table: Row[] = [
    { given: { PORT: '9000' }, want: { port: 9000 } },
    { given: { PORT: '' }, want: { port: 8080 } },
    {
      given: { ALARM_PORT: '8081' },
      want: { alarms: { port: 8081, isTls: false, extraHosts: [], ca: undefined } },
    },
    { given: { ALARM_PORT: '', SMN_EXTRA_HOSTS: 'a.example' }, want: { alarms: undefined } },
    { given: { HOST: '127.0.0.1' }, want: { host: '127.0.0.1' } },
    { given: { HOOK_TOKEN: 'one' }, want: { hookTokens: ['one'] } },
    { given: { HOOK_TOKEN: 'one, two' }, want: { hookTokens: ['one', 'two'] } },
    { given: { POD_NAMESPACE: 'databases' }, want: { podNamespace: 'databases' } },
    { given: { TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' }, want: { tls: { certFile: '/c', keyFile: '/k' } } },
    { given: { JOB_IMAGE: 'registry/rds-pilot:1' }, want: { jobImage: 'registry/rds-pilot:1' } },
    { given: { LOG_LEVEL: 'debug' }, want: { logLevel: 'debug' } },
    { given: { LOCAL_MANIFESTS: 'examples' }, want: { localManifests: 'examples' } },
    { given: { OTC_LIST_LAG_SECONDS: '30' }, want: { timing: { settleMs: 170_000, absenceGapMs: 30_000 } } },
    {
      given: { OTC_LATE_EFFECT_SECONDS: '150' },
      want: { timing: { settleMs: 430_000, absenceGapMs: 30_000 } },
    },
    { given: { ABSENCE_GAP_SECONDS: '60' }, want: { timing: { settleMs: 300_000, absenceGapMs: 60_000 } } },
  ];
  for (const { given, want } of table) t.match(readConfig({ ...OTC, ...given }), want, JSON.stringify(given));
});

t.test('the alarm port has the certificate of the hooks, unless TLS ends before it', async (t) => {
  const tls = { TLS_CERT_FILE: '/c', TLS_KEY_FILE: '/k' };
  const isTls = (env: Record<string, string>) =>
    readConfig({ ...OTC, ALARM_PORT: '8081', ...env }).alarms?.isTls;
  t.equal(isTls({}), false);
  t.equal(isTls(tls), true);
  t.equal(isTls({ ...tls, ALARM_TLS: 'on' }), true);
  t.equal(isTls({ ...tls, ALARM_TLS: 'off' }), false);
});

t.test('hosts and authorities of the message service can be added', async (t) => {
  const pem = signingIdentity().authority.certificate;
  const SMN_CA_FILE = join(t.testdir({ 'ca.pem': pem }), 'ca.pem');
  const SMN_EXTRA_HOSTS = 'console.otc.t-systems.com, localhost:9443';
  const { alarms } = readConfig({ ...OTC, ALARM_PORT: '1', SMN_CA_FILE, SMN_EXTRA_HOSTS });
  t.match(alarms, { ca: pem, extraHosts: ['console.otc.t-systems.com', 'localhost:9443'] });
});

t.test('the journal is a Lease where there is an API server', async (t) => {
  const table = [
    { given: {}, want: 'memory', because: 'neither cluster nor kubeconfig' },
    { given: { KUBERNETES_SERVICE_HOST: '10.96.0.1' }, want: 'lease', because: 'in a cluster' },
    { given: { KUBECONFIG: '/home/me/.kube/config' }, want: 'lease', because: 'with a kubeconfig' },
    { given: { KUBECONFIG: '' }, want: 'memory', because: 'an empty variable is none' },
    { given: { JOURNAL: 'memory', KUBECONFIG: '/x' }, want: 'memory', because: 'it was said so' },
    { given: { JOURNAL: 'lease' }, want: 'lease', because: 'it was said so' },
    { given: { JOURNAL: '' }, want: 'memory', because: 'an empty variable is none' },
  ];
  for (const { given, want, because } of table)
    t.equal(readConfig({ ...OTC, ...given }).journal, want, because);
});

t.test('every secret may come from a file, whose last line end does not count', async (t) => {
  const dir = t.testdir({ secret: 'from-a-file\n' });
  const path = join(dir, 'secret');
  for (const name of SECRETS) {
    const config = readConfig({ ...OTC, [name]: 'from-env', [`${name}_FILE`]: path });
    const got = name === 'HOOK_TOKEN' ? config.hookTokens[0] : config.otc?.[name];
    t.equal(got, 'from-a-file', name);
  }
  const { OS_PASSWORD: _gone, ...rest } = OTC;
  t.match(readCredentials(readConfig({ ...rest, OS_PASSWORD_FILE: path }).otc ?? {}), {
    password: 'from-a-file',
  });
  t.match(
    readConfig({ ...OTC, OS_PASSWORD_FILE: '' }).otc,
    { OS_PASSWORD: OTC.OS_PASSWORD },
    'empty is unset',
  );
});

t.test('several hook tokens may come from one file', async (t) => {
  const path = join(t.testdir({}), 'tokens');
  writeFileSync(path, 'old,new\n');
  t.same(readConfig({ ...OTC, HOOK_TOKEN_FILE: path }).hookTokens, ['old', 'new']);
});

t.test('what cannot be used is refused with the name of the variable and without its value', async (t) => {
  const table = [
    { given: { PORT: 'S3cr3t' }, want: /PORT/ },
    { given: { PORT: '70000' }, want: /PORT/ },
    { given: { PORT: '-1' }, want: /PORT/ },
    { given: { ALARM_PORT: 'S3cr3t' }, want: /ALARM_PORT/ },
    { given: { ALARM_PORT: '8081', ALARM_TLS: 'S3cr3t' }, want: /ALARM_TLS.*on or off/ },
    { given: { ALARM_PORT: '8081', ALARM_TLS: 'on' }, want: /ALARM_TLS.*TLS_CERT_FILE/ },
    { given: { ALARM_PORT: '8081', SMN_CA_FILE: '/S3cr3t' }, want: /SMN_CA_FILE/ },
    ...['https://S3cr3t', '*.S3cr3t', 'S3cr3t/path', 'user@s3cr3t', 's3cr3t:443'].map((host) => ({
      given: { ALARM_PORT: '8081', SMN_EXTRA_HOSTS: `ok.example,${host}` },
      want: /SMN_EXTRA_HOSTS.*host:port/,
    })),
    { given: { OTC_LIST_LAG_SECONDS: 'S3cr3t' }, want: /OTC_LIST_LAG_SECONDS/ },
    { given: { OTC_LIST_LAG_SECONDS: '-5' }, want: /OTC_LIST_LAG_SECONDS/ },
    { given: { OTC_LATE_EFFECT_SECONDS: 'Infinity' }, want: /OTC_LATE_EFFECT_SECONDS/ },
    { given: { ABSENCE_GAP_SECONDS: 'S3cr3t' }, want: /ABSENCE_GAP_SECONDS/ },
    { given: { JOURNAL: 'S3cr3t' }, want: /JOURNAL.*lease.*memory/ },
    { given: { TLS_CERT_FILE: '/S3cr3t' }, want: /TLS_CERT_FILE.*TLS_KEY_FILE/ },
    { given: { TLS_KEY_FILE: '/S3cr3t' }, want: /TLS_CERT_FILE.*TLS_KEY_FILE/ },
    { given: { OTC_SIMULATOR: 'S3cr3t' }, want: /OTC_SIMULATOR.*embedded/ },
    { given: { OTC_SIMULATOR: 'embedded', SIMULATOR_PORT: 'S3cr3t' }, want: /SIMULATOR_PORT/ },
    { given: { OTC_SIMULATOR: 'embedded', SIMULATOR_SPEED: 'S3cr3t' }, want: /SIMULATOR_SPEED/ },
  ];
  for (const { given, want } of table) {
    const message = refusal({ ...OTC, ...given });
    t.match(message, want);
    t.notMatch(message, /S3cr3t/);
  }
});

t.test('a secret file that cannot be read is told with its variable', async (t) => {
  for (const name of SECRETS)
    t.match(refusal({ ...OTC, [`${name}_FILE`]: '/no/such/file' }), new RegExp(`${name}_FILE`));
});

t.test('a secret written into the variable for its file is not shown', async (t) => {
  t.notMatch(refusal({ ...OTC, OS_PASSWORD_FILE: 'S3cr3t' }), /S3cr3t/);
});

t.test('a file of hook tokens without a token is refused: the hooks would be open', async (t) => {
  const path = join(t.testdir({ empty: '\n' }), 'empty');
  t.match(refusal({ ...OTC, HOOK_TOKEN_FILE: path }), /HOOK_TOKEN/);
  t.match(refusal({ ...OTC, HOOK_TOKEN: ' , ' }), /HOOK_TOKEN/);
});

t.test('a level that the logger does not know is refused with the name of the variable', async (t) => {
  t.match(refusal({ ...OTC, LOG_LEVEL: 'loud' }), /LOG_LEVEL/);
});

t.test('a port is a whole number', async (t) => {
  for (const PORT of ['80.5', '0x50', '1e3']) t.match(refusal({ ...OTC, PORT }), /PORT/, PORT);
});

t.test('without credentials it says which ones, and how to try it without a cloud', async (t) => {
  const message = refusal({});
  for (const word of ['OS_AUTH_URL', 'OS_USERNAME', 'OS_PASSWORD', 'OS_ACCESS_KEY', 'OTC_SIMULATOR=embedded'])
    t.ok(message.includes(word), word);
  t.match(refusal({ OS_PASSWORD: '', OS_AUTH_URL: '' }), /no credentials/, 'empty variables are none');
});

t.test('key and secret key are credentials, too', async (t) => {
  const { OS_USERNAME: _user, OS_PASSWORD: _password, ...rest } = OTC;
  const config = readConfig({ ...rest, OS_ACCESS_KEY: 'ak', OS_SECRET_KEY: 'sk' });
  t.match(readCredentials(config.otc ?? {}), { kind: 'aksk', accessKey: 'ak', secretKey: 'sk' });
});

t.test(
  'the embedded simulator needs no credentials and has small bounds, so that a demo is quick',
  async (t) => {
    const config = readConfig({ OTC_SIMULATOR: 'embedded' });
    t.equal(config.otc, undefined);
    t.same(config.simulator, { port: 9090, speed: 60 });
    t.ok(config.timing.settleMs <= 60_000 && config.timing.settleMs >= 40_000, 'our own part stays');
    t.ok(config.timing.absenceGapMs <= 5_000);
    const own = readConfig({
      OTC_SIMULATOR: 'embedded',
      OTC_LIST_LAG_SECONDS: '120',
      OTC_LATE_EFFECT_SECONDS: '60',
    });
    t.equal(own.timing.settleMs, 300_000, 'what is set by hand counts');
    const fast = { OTC_SIMULATOR: 'embedded', SIMULATOR_PORT: '9999', SIMULATOR_SPEED: '600' };
    t.same(readConfig(fast).simulator, { port: 9999, speed: 600 });
  },
);

t.test('the embedded simulator and real credentials do not mix', async (t) => {
  let config: Config | undefined;
  try {
    config = readConfig({ ...OTC, OTC_SIMULATOR: 'embedded' });
  } catch (error) {
    t.type(error, ConfigError);
  }
  t.equal(config?.otc, undefined);
});
