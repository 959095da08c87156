// helm install, upgrade and uninstall on a real API server: what is missing is named, what must stay stays.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { CHART } from '../../deploy/kustomize.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { type Outcome, runTool } from '../cluster/package-tools.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { installMetacontrollerCrds } from './foreign-crds.ts';

t.setTimeout(1_800_000);

let controlPlane: ControlPlane;
let kube: KubeClient;

t.before(async () => {
  controlPlane = await startControlPlane();
  kube = controlPlane.client();
  for (const name of ['rds-pilot', 'metacontroller', 'team-a'])
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
t.teardown(() => controlPlane.stop());

function helm(
  command: 'install' | 'upgrade' | 'uninstall',
  settings: string[] = [],
  chart = CHART,
): Promise<Outcome> {
  const home = join(controlPlane.dir, 'helm');
  mkdirSync(home, { recursive: true });
  const where = ['rds-pilot', ...(command === 'uninstall' ? [] : [chart]), '--namespace', 'rds-pilot'];
  const sets = settings.flatMap((setting) => ['--set', setting]);
  return runTool('helm', [command, ...where, ...sets], {
    KUBECONFIG: controlPlane.kubeconfigPath,
    HOME: home,
  });
}

const secret = (name: string, keys: string[]): KubeObject =>
  ({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name, namespace: 'rds-pilot' },
    data: Object.fromEntries(keys.map((key) => [key, Buffer.from('x').toString('base64')])),
  }) as KubeObject;

const KEYS = ['OS_AUTH_URL', 'OS_PROJECT_NAME', 'OS_DOMAIN_NAME', 'OS_USERNAME', 'OS_PASSWORD'];

async function refuses(t: Test, says: RegExp, ...settings: string[]): Promise<void> {
  const { ok, stderr } = await helm('install', settings);
  t.notOk(ok);
  t.match(stderr, says);
}

t.test('what is missing in the cluster is named, with the way to get it', async (t) => {
  await refuses(t, /Metacontroller is not installed.*docs\/install\.md, step 1/);
  await installMetacontrollerCrds(controlPlane);
  await refuses(
    t,
    /there is no Secret rds-pilot-credentials in namespace rds-pilot[\s\S]*kubectl create secret generic/,
  );
  await kube.apply(secret('rds-pilot-credentials', KEYS.slice(0, -1)));
  await refuses(t, /rds-pilot-credentials in namespace rds-pilot has no key OS_PASSWORD/);
  await kube.apply(secret('rds-pilot-credentials', KEYS));
  await refuses(t, /knows no Rds.*crds\.install=true/, 'crds.install=false');
  await refuses(t, /knows no Certificate: install cert-manager/, 'tls.mode=certManager');
  await kube.apply(secret('own-tls', ['tls.crt', 'tls.key']));
  await refuses(
    t,
    /own-tls in namespace rds-pilot has no key ca\.crt[\s\S]*for rds-pilot\.rds-pilot\.svc and signed by ca\.crt/,
    'tls.mode=existing',
    'tls.existingSecret=own-tls',
  );
  t.notOk(
    await kube.find('/apis/apps/v1/namespaces/rds-pilot/deployments/rds-pilot'),
    'nothing was installed',
  );
});

const data = async (name: string): Promise<Record<string, string>> => {
  const { data } = await kube.get<KubeObject & { data: Record<string, string> }>(
    `/api/v1/namespaces/rds-pilot/secrets/${name}`,
  );
  return data;
};

/** The chart of a later version, with one more field in the CRD. */
function laterChart(): string {
  const chart = join(controlPlane.dir, 'chart');
  cpSync(CHART, chart, { recursive: true });
  const crd = join(chart, 'files', 'crd-rds.yaml');
  const text = readFileSync(crd, 'utf8');
  writeFileSync(
    crd,
    text.replace('description: A managed database server', 'description: Newer. A managed database server'),
  );
  return chart;
}

t.test('an upgrade brings the new CRD and keeps token and certificate', async (t) => {
  const installed = await helm('install');
  t.ok(installed.ok, installed.stderr);
  const before = [await data('rds-pilot-hook'), await data('rds-pilot-tls')];
  const chart = laterChart();
  const upgraded = await helm('upgrade', ['replicas=3'], chart);
  t.ok(upgraded.ok, upgraded.stderr);
  t.same([await data('rds-pilot-hook'), await data('rds-pilot-tls')], before);
  const crdPath = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de';
  t.match(JSON.stringify((await kube.get(crdPath)).spec), /Newer\. A managed database server/);
});

t.test('an Rds that another controller finalizes stops the upgrade', async (t) => {
  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/old';
  const rds = {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: {
      name: 'old',
      namespace: 'team-a',
      finalizers: ['metacontroller.io/compositecontroller-databases'],
    },
    spec: {},
  };
  await waitFor(
    'Rds to be served',
    async () => (await kube.send('POST', path.slice(0, -4), rds)).status === 201,
  );
  const { ok, stderr } = await helm('upgrade');
  t.notOk(ok);
  t.match(
    stderr,
    /Rds team-a\/old has the finalizer metacontroller\.io\/compositecontroller-databases[\s\S]*Bring that/,
  );
  await kube.patch(path, { metadata: { finalizers: ['metacontroller.io/compositecontroller-rds'] } });
  const again = await helm('upgrade');
  t.ok(again.ok, again.stderr);
});

t.test(
  'a chart that renames the controller or drops its finalize hook is refused, and the old one stays',
  async (t) => {
    const chart = laterChart();
    const file = join(chart, 'files', 'controller.yaml');
    const text = readFileSync(file, 'utf8');
    const live = () => kube.get('/apis/metacontroller.k8s.io/v1alpha1/compositecontrollers/rds');
    for (const [broken, says] of [
      [text.replace(/^ {2}name: rds$/m, '  name: databases'), /must be called rds|has the finalizer/],
      [text.replace(/^ {4}finalize:\n.*\n.*\n/m, ''), /must keep spec\.hooks\.finalize/],
    ] as const) {
      t.not(broken, text);
      writeFileSync(file, broken);
      // As a release would be that was made without looking: its own guard fits its own controller.
      const { ok, stderr } = await helm('upgrade', ['guard.enabled=false'], chart);
      t.notOk(ok, 'refused');
      t.match(stderr, says);
      t.ok(
        ((await live()).spec as { hooks: { finalize?: unknown } }).hooks.finalize,
        'the finalize hook is there',
      );
    }
  },
);

t.test('an uninstall leaves every Rds, the CRDs and the journal', async (t) => {
  await kube.create({
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'rds-1', namespace: 'rds-pilot' },
  });
  const { ok, stderr } = await helm('uninstall');
  t.ok(ok, stderr);
  t.notOk(await kube.find('/apis/apps/v1/namespaces/rds-pilot/deployments/rds-pilot'));
  t.ok(await kube.find('/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/old'));
  t.ok(await kube.find('/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-1'));
});
