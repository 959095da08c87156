import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import { CHART, PARTS } from '../../deploy/kustomize.ts';
import { find, helmTemplate, keyOf, objectsFrom, type Rendered } from './render.ts';

t.setTimeout(1_800_000);

const everything = Object.values(PARTS).flat();

type Controller = Rendered & {
  spec: {
    hooks: Record<string, { webhook: { url: string } }>;
    endpointConfigs: { host: string; authorization: unknown; caBundle?: unknown }[];
  };
};
type Workload = Rendered & {
  spec: {
    template: { spec: { containers: { env: { name: string; value?: string }[] }[]; volumes: unknown[] } };
  };
};
type Secret = Rendered & { data: Record<string, string> };

const decoded = ({ data }: Secret, key: string): string =>
  Buffer.from(data[key] ?? '', 'base64').toString('utf8');

t.test('by default Metacontroller calls https, checks the certificate and sends the token', async (t) => {
  const objects = await objectsFrom(helmTemplate());
  const { spec } = find<Controller>(objects, 'CompositeController', 'rds');
  for (const [hook, { webhook }] of Object.entries(spec.hooks))
    t.equal(webhook.url, `https://rds-pilot.rds-pilot.svc:8080/${hook}`);
  t.same(spec.endpointConfigs, [
    {
      host: 'rds-pilot.rds-pilot.svc:8080',
      authorization: {
        type: 'Bearer',
        secretRef: { name: 'rds-pilot-hook', namespace: 'rds-pilot', key: 'token' },
      },
      caBundle: { secretRef: { name: 'rds-pilot-tls', namespace: 'rds-pilot', key: 'ca.crt' } },
    },
  ]);

  const tls = find<Secret>(objects, 'Secret', 'rds-pilot-tls');
  const certificate = new X509Certificate(decoded(tls, 'tls.crt'));
  const ca = new X509Certificate(decoded(tls, 'ca.crt'));
  t.ok(certificate.verify(ca.publicKey), 'the CA signed it');
  t.equal(certificate.checkHost('rds-pilot.rds-pilot.svc'), 'rds-pilot.rds-pilot.svc');
  t.ok(Date.parse(certificate.validTo) > Date.now() + 9 * 365 * 86_400_000);

  const token = find<Secret>(objects, 'Secret', 'rds-pilot-hook');
  t.match(decoded(token, 'token'), /^[A-Za-z0-9]{48}$/);
  t.equal(decoded(token, 'accepted'), decoded(token, 'token'));
});

t.test('the controller is the one of the repository, but for addresses and trust', async (t) => {
  const objects = await objectsFrom(helmTemplate());
  const { spec, metadata } = find<Controller>(objects, 'CompositeController', 'rds');
  const original = parse(
    readFileSync(join(CHART, '../../metacontroller/controller.yaml'), 'utf8'),
  ) as Controller;
  for (const [name, { webhook }] of Object.entries(original.spec.hooks))
    webhook.url = `https://rds-pilot.rds-pilot.svc:8080/${name}`;
  const { endpointConfigs: _, ...rest } = spec;
  t.same(rest, original.spec);
  t.equal(metadata.name, original.metadata.name);
});

t.test('another namespace is followed everywhere', async (t) => {
  const { stdout } = await helmTemplate(everything, '--namespace', 'databases');
  const left = stdout.split('\n').filter((line) => /namespace: rds-pilot$|rds-pilot\.rds-pilot/.test(line));
  t.same(left, []);
});

t.test('credentials and keys reach the process as files, never as values', async (t) => {
  const objects = await objectsFrom(helmTemplate());
  const { spec } = find<Workload>(objects, 'Deployment', 'rds-pilot');
  const env = Object.fromEntries(
    spec.template.spec.containers.flatMap(({ env }) => env).map((e) => [e.name, e.value]),
  );
  t.equal(env.OS_PASSWORD_FILE, '/etc/rds-pilot/credentials/OS_PASSWORD');
  t.equal(env.HOOK_TOKEN_FILE, '/etc/rds-pilot/hook/accepted');
  t.equal(
    env.JOB_IMAGE,
    `rds-pilot:${JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8')).version}`,
  );
  for (const name of ['OS_PASSWORD', 'HOOK_TOKEN', 'OS_SECRET_KEY']) t.notOk(name in env, name);
});

t.test('trust can come from cert-manager, from a Secret, or from a mesh', async (t) => {
  const kinds = async (...settings: string[]) => (await objectsFrom(helmTemplate(settings))).map(keyOf);
  const certManager = await kinds('tls.mode=certManager');
  t.ok(certManager.includes('Certificate rds-pilot/rds-pilot'));
  t.notOk(certManager.includes('Secret rds-pilot/rds-pilot-tls'), 'cert-manager makes that');
  const own = await kinds('tls.mode=certManager', 'tls.certManager.issuerRef.name=corporate');
  t.notOk(
    own.some((key) => key.startsWith('Issuer ')),
    'a given issuer needs no CA of ours',
  );
  t.notOk((await kinds('tls.mode=existing', 'tls.existingSecret=mine')).some((key) => key.includes('tls')));

  const open = await objectsFrom(helmTemplate(['tls.mode=disabled']));
  const { spec } = find<Controller>(open, 'CompositeController', 'rds');
  t.match(spec.hooks.sync?.webhook.url, /^http:/);
  t.notOk(spec.endpointConfigs[0]?.caBundle);
});

t.test('the CRDs are those of the repository and survive an uninstall', async (t) => {
  const objects = await objectsFrom(helmTemplate());
  for (const file of ['crd-rds', 'crd-rdsbackup']) {
    const wanted = parse(readFileSync(join(CHART, `../../metacontroller/${file}.yaml`), 'utf8')) as Rendered;
    const crd = find(objects, 'CustomResourceDefinition', wanted.metadata.name);
    t.same(crd.spec, wanted.spec, file);
    t.equal(crd.metadata.annotations?.['helm.sh/resource-policy'], 'keep');
  }
});

t.test('only the alarm port is open to the outside', async (t) => {
  const objects = await objectsFrom(helmTemplate(PARTS['alarm-ingress']));
  const { spec } = find(objects, 'Service', 'rds-pilot-alarms');
  t.same(spec?.ports, [{ name: 'alarms', port: 8081, targetPort: 'alarms' }]);
  const backends = JSON.stringify(find(objects, 'Ingress', 'rds-pilot-alarms').spec).match(
    /"service":\{[^}]*\}/g,
  );
  t.same(backends, ['"service":{"name":"rds-pilot-alarms","port":{"name":"alarms"}']);
  t.notOk(
    (await objectsFrom(helmTemplate())).some(({ kind }) => kind === 'Ingress'),
    'off by default',
  );
});

t.test('the Ingress, the port and the process agree on how alarms come in', async (t) => {
  type Container = {
    env: { name: string; value?: string }[];
    ports: { name: string; containerPort: number }[];
    volumeMounts: { mountPath: string }[];
  };
  const containerFor = async (settings: string[]): Promise<Container> => {
    const { spec } = find(await objectsFrom(helmTemplate(settings)), 'Deployment', 'rds-pilot');
    const { template } = spec as unknown as { template: { spec: { containers: [Container] } } };
    return template.spec.containers[0];
  };
  const valueIn = ({ env }: Container, wanted: string) => env.find(({ name }) => name === wanted)?.value;
  for (const settings of [[], PARTS['alarm-ingress'] ?? []]) {
    const container = await containerFor(settings);
    const port = container.ports.find(({ name }) => name === 'alarms')?.containerPort;
    t.equal(valueIn(container, 'ALARM_PORT'), `${port}`);
    t.equal(valueIn(container, 'ALARM_TLS'), 'off', 'the Ingress speaks http');
    t.equal(valueIn(container, 'SMN_EXTRA_HOSTS'), 'console.otc.t-systems.com');
    t.equal(valueIn(container, 'SMN_CA_FILE'), undefined);
  }
  const own = await containerFor([
    'alarms.caConfigMap=cloud-ca',
    'alarms.extraHosts={a.example,b.example:8443}',
  ]);
  t.equal(valueIn(own, 'SMN_CA_FILE'), '/etc/rds-pilot/smn/ca.crt');
  t.ok(own.volumeMounts.some(({ mountPath }) => mountPath === '/etc/rds-pilot/smn'));
  t.equal(valueIn(own, 'SMN_EXTRA_HOSTS'), 'a.example,b.example:8443');
});

const REFUSED: [name: string, settings: string[], says: RegExp][] = [
  [
    'no credentials',
    ['credentials.existingSecret='],
    /no credentials.*credentials\.existingSecret[\s\S]*kubectl create secret generic/,
  ],
  ['a misspelt value', ['replicaCount=3'], /replicaCount/],
  ['an unknown kind of trust', ['tls.mode=off'], /tls.*mode/],
  ['trust without its Secret', ['tls.mode=existing'], /tls\.existingSecret: a Secret with ca\.crt/],
  ['an alarm address without a host', ['alarms.ingress.enabled=true'], /alarms\.ingress\.host/],
  ['a pattern of hosts', ['alarms.extraHosts={*.example.org}'], /alarms.*extraHosts/],
  ['an unknown credential', ['credentials.keys={OS_AUTH_URL,OS_PASWORD}'], /credentials.*keys/],
  ['the simulator beside real databases', ['extraEnv[0].name=OTC_SIMULATOR'], /extraEnv/],
  ['a digest that is none', ['image.digest=latest'], /image.*digest/],
];

t.test('what cannot work is refused, with the way out', async (t) => {
  for (const [name, settings, says] of REFUSED) {
    const { ok, stderr } = await helmTemplate(settings);
    t.notOk(ok, name);
    t.match(stderr, says, name);
  }
});

t.test('the version is that of package.json', async (t) => {
  const { version } = JSON.parse(readFileSync(join(CHART, '../../package.json'), 'utf8')) as {
    version: string;
  };
  const chart = parse(readFileSync(join(CHART, 'Chart.yaml'), 'utf8')) as Record<string, unknown>;
  t.same([chart.version, chart.appVersion], [version, version]);
});
