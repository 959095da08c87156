// The real Metacontroller with the shipped rights, over TLS and with the token, as the chart sets them up. Only the
// address differs: there is no cluster DNS here.
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { Agent, request } from 'undici';
import type { KubeObject } from '../../src/kube/api.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { freePort } from '../cluster/free-port.ts';
import { kubeconfig } from '../cluster/kubeconfig.ts';
import { metacontrollerHome, startMetacontroller } from '../cluster/metacontroller.ts';
import { CHECKOUT } from '../cluster/node-process.ts';
import { installOperatorCrds } from '../cluster/operator-cluster.ts';
import { operatorRights } from '../cluster/operator-rights.ts';
import { createService } from '../cluster/service.ts';
import { startSimulatedCloud } from '../cluster/simulated-cloud.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { installMetacontrollerCrds } from './foreign-crds.ts';
import { makeTrust } from './make-trust.ts';
import { find, kustomizeBuild, objectsFrom, type Rendered } from './render.ts';

t.setTimeout(1_800_000);

type Controller = Rendered & {
  spec: { hooks: Record<string, { webhook: { url: string } }>; endpointConfigs: { host: string }[] };
};

const RDS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';
const { home, notice } = metacontrollerHome();

t.test('Metacontroller trusts the hook and is trusted', { skip: notice ?? false }, async (t) => {
  if (!home) return;
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const kube = controlPlane.client();
  await installMetacontrollerCrds(controlPlane);
  await installOperatorCrds(controlPlane);
  await kube.applyYaml(operatorRights());
  for (const name of ['metacontroller', 'team-a'])
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  const account = { name: 'metacontroller', namespace: 'metacontroller' };
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: account });
  const objects = await objectsFrom(kustomizeBuild('deploy/kustomize/base'));
  const rights = objects.filter(
    ({ kind, metadata }) => /Role/.test(kind) && metadata.name === 'rds-pilot-metacontroller',
  );
  t.equal(rights.length, 4);
  for (const right of rights) await kube.apply(right);

  const good = makeTrust(join(controlPlane.dir, 'good'), 'localhost');
  const other = makeTrust(join(controlPlane.dir, 'other'), 'localhost');
  const secret = (name: string, data: Record<string, string>) =>
    kube.apply({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: 'rds-pilot' },
      data: Object.fromEntries(
        Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]),
      ),
    } as KubeObject);
  const token = 'only-the-two-sides-know';
  await secret('rds-pilot-hook', { token, accepted: token });
  await secret('rds-pilot-tls', { 'ca.crt': readFileSync(good.ca, 'utf8') });

  const cloud = await startSimulatedCloud({ dir: controlPlane.dir, speed: 120 });
  t.teardown(() => cloud.service.stop(1_000));
  const port = await freePort();
  const dispatcher = new Agent({ connect: { ca: readFileSync(good.ca) } });
  t.teardown(() => dispatcher.close());
  const hook = createService({
    name: 'hook',
    command: process.execPath,
    args: [join(CHECKOUT, 'src/server.ts')],
    logFile: join(controlPlane.dir, 'hook.log'),
    isReady: async () =>
      (await request(`https://localhost:${port}/readyz`, { dispatcher })).statusCode === 200,
    env: {
      HOST: '127.0.0.1',
      PORT: `${port}`,
      KUBECONFIG: controlPlane.user('rds-pilot').kubeconfigPath,
      POD_NAMESPACE: 'rds-pilot',
      HOOK_TOKEN: token,
      TLS_CERT_FILE: good.cert,
      TLS_KEY_FILE: good.key,
      OTC_LIST_LAG_SECONDS: '0',
      OTC_LATE_EFFECT_SECONDS: '0',
      ABSENCE_GAP_SECONDS: '1',
      ...cloud.env,
    },
  });
  await hook.start();
  t.teardown(() => hook.stop(2_000));

  const controllers = objects.filter((object): object is Controller => object.kind === 'CompositeController');
  for (const controller of structuredClone(controllers)) {
    for (const { webhook } of Object.values(controller.spec.hooks))
      webhook.url = `https://localhost:${port}${new URL(webhook.url).pathname}`;
    for (const endpoint of controller.spec.endpointConfigs) endpoint.host = `localhost:${port}`;
    await kube.apply(controller);
  }
  t.ok(find(objects, 'CompositeController', 'rds'));
  const user = {
    name: account.name,
    token: await kube.serviceAccountToken(account.namespace, account.name),
    kubeconfigPath: join(controlPlane.dir, 'account.kubeconfig'),
  };
  const { url, ca } = controlPlane;
  await writeFile(user.kubeconfigPath, kubeconfig({ url, ca, user: user.name, token: user.token }));
  const metacontroller = await startMetacontroller({
    controlPlane: { ...controlPlane, user: () => user },
    home,
    flags: ['--leader-election', '--leader-election-namespace=metacontroller'],
  });
  t.teardown(() => metacontroller.stop(2_000));

  await kube.apply({
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', namespace: 'team-a' },
    spec: { deletionPolicy: 'Delete' },
  } as KubeObject);
  await kube.waitForObject(RDS, 'Ready', ({ status }) => (status as { phase?: string })?.phase === 'Ready');
  t.ok(await kube.find('/api/v1/namespaces/team-a/secrets/shop-connection'), 'children are there');

  // A wrong CA, read when Metacontroller starts again.
  await secret('rds-pilot-tls', { 'ca.crt': readFileSync(other.ca, 'utf8') });
  await metacontroller.stop(2_000);
  await metacontroller.start();
  type Told = KubeObject & { message: string };
  const told = await waitFor('an Event about the certificate', async () =>
    (await kube.list<Told>('/api/v1/namespaces/team-a/events')).find(({ message }) => /x509/.test(message)),
  );
  t.match(told.message, /certificate signed by unknown authority/, 'as docs/install.md tells');
  await secret('rds-pilot-tls', { 'ca.crt': readFileSync(good.ca, 'utf8') });
  await metacontroller.stop(2_000);
  await metacontroller.start();
  await kube.delete(RDS);
  await kube.waitForGone(RDS);
  t.same(await cloud.instances(), [], 'the database is gone');
  t.notMatch(
    metacontroller.logTail(5_000),
    /is forbidden|cannot (get|list|watch|create|update|patch|delete)/,
    'nothing was refused',
  );
});
