// Sharing on a real API server with the rights that are shipped, by the local loop and by the real Metacontroller: the
// table of who gets what, and what becomes of copies.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { type ControlPlane, startControlPlane, type User } from '../cluster/control-plane.ts';
import { createLocalEngine, createMetacontrollerEngine, type Engine } from '../cluster/engine.ts';
import { startHookReplica } from '../cluster/hook-replica.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { kubeconfig } from '../cluster/kubeconfig.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { installOperatorCrds } from '../cluster/operator-cluster.ts';
import { startSimulatedCloud } from '../cluster/simulated-cloud.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { kustomizeBuild, objectsFrom } from '../deploy/render.ts';

t.setTimeout(1_800_000);

const COPY = 'team-a.shop-connection';
const USE = 'otc.mcsps.de/use-rds';
const SHARE = 'otc.mcsps.de/share-with';
const RIGHTS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];
const RDS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';

type Account = { namespace: string; name: string };

async function userOf(controlPlane: ControlPlane, { namespace, name }: Account): Promise<User> {
  const token = await controlPlane.client().serviceAccountToken(namespace, name);
  const kubeconfigPath = join(controlPlane.dir, `${name}-account.kubeconfig`);
  const { url, ca } = controlPlane;
  await writeFile(kubeconfigPath, kubeconfig({ url, ca, user: name, token }), { mode: 0o600 });
  return { name, token, kubeconfigPath };
}

async function startCluster(t: Test): Promise<ControlPlane> {
  const controlPlane = await startControlPlane();
  t.teardown(() => controlPlane.stop());
  const kube = controlPlane.client();
  await installOperatorCrds(controlPlane);
  for (const name of ['rds-pilot', 'metacontroller', 'team-a', 'app-1', 'app-2'])
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  await kube.apply({
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { namespace: 'metacontroller', name: 'metacontroller' },
  });
  const built = [
    ...(await objectsFrom(kustomizeBuild('deploy/kustomize/base'))),
    ...(await objectsFrom(kustomizeBuild('deploy/kustomize/components/sharing'))),
  ];
  for (const object of built.filter(({ kind }) => RIGHTS.includes(kind))) await kube.apply(object);
  return controlPlane;
}

type Test = { teardown(run: () => unknown): void };

async function startOperator(t: Test, controlPlane: ControlPlane, home: string | undefined) {
  const cloud = await startSimulatedCloud({ dir: controlPlane.dir, speed: 240 });
  t.teardown(() => cloud.service.stop(1_000));
  const hookToken = 'only-the-two-sides-know';
  const hook = await userOf(controlPlane, { namespace: 'rds-pilot', name: 'rds-pilot' });
  const replica = await startHookReplica({
    controlPlane,
    name: 'hook',
    hookToken,
    cloudEnv: cloud.env,
    env: { KUBECONFIG: hook.kubeconfigPath },
  });
  t.teardown(() => replica.stop(2_000));
  const problems: string[] = [];
  const user = await userOf(controlPlane, { namespace: 'metacontroller', name: 'metacontroller' });
  const options = {
    controlPlane: { ...controlPlane, user: () => user },
    onProblem: (message: string) => problems.push(message),
  };
  const engine: Engine = await (home === undefined
    ? createLocalEngine(options)
    : createMetacontrollerEngine(options, home));
  t.teardown(engine.stop);
  await engine.configure({ hookUrl: `http://127.0.0.1:${replica.port}`, hookToken, shares: true });
  return { problems, replica, engine };
}

function people(kube: KubeClient) {
  const namespacePath = (name: string) => `/api/v1/namespaces/${name}`;
  const secretPath = (namespace: string, name: string) => `${namespacePath(namespace)}/secrets/${name}`;
  const passwordIn = async (namespace: string, name: string) => {
    const secret = await kube.find<KubeObject & { data?: Record<string, string> }>(
      secretPath(namespace, name),
    );
    return secret && Buffer.from(secret.data?.password ?? '', 'base64').toString();
  };
  const resultOf = async (namespace: string) =>
    (await kube.get(namespacePath(namespace))).metadata.annotations?.['otc.mcsps.de/use-rds-result'];
  return {
    secretPath,
    passwordIn,
    resultOf,
    annotate: (path: string, key: string, value: string | null) =>
      kube.patch(path, { metadata: { annotations: { [key]: value } } }),
    asks: (namespace: string, wish: string | null) =>
      kube.patch(namespacePath(namespace), { metadata: { annotations: { [USE]: wish } } }),
    allows: (value: string | null) => kube.patch(RDS, { metadata: { annotations: { [SHARE]: value } } }),
    isTold: (namespace: string, words: RegExp) =>
      waitFor(`${namespace} to be told ${words}`, async () => words.test((await resultOf(namespace)) ?? '')),
    holds: (namespace: string, password: string | undefined) =>
      waitFor(
        `the copy in ${namespace} to be ${password}`,
        async () => (await passwordIn(namespace, COPY)) === password,
      ),
  };
}

const { home, notice } = metacontrollerHome();

for (const engine of ['local loop', 'real Metacontroller'] as const) {
  const isReal = engine === 'real Metacontroller';
  t.test(`sharing by the ${engine}`, { skip: isReal && !home ? (notice ?? true) : false }, async (t) => {
    const controlPlane = await startCluster(t);
    const kube = controlPlane.client();
    const { problems, replica } = await startOperator(t, controlPlane, isReal ? home : undefined);
    const { asks, allows, holds, isTold, passwordIn, secretPath } = people(kube);
    const shop = (password: string, annotations = {}): KubeObject => ({
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name: 'shop', namespace: 'team-a', annotations },
      spec: { volumesize: 40, password, deletionPolicy: 'Delete' },
    });
    await kube.apply(shop('First-pass1'));
    const isReady = ({ status }: KubeObject) => (status as { phase?: string } | undefined)?.phase === 'Ready';
    await kube.waitForObject(RDS, 'Ready', isReady).catch((error: unknown) => {
      throw new Error(`${error}\n${problems.join('\n')}\n${replica.logTail()}`);
    });

    await t.test('one side alone gets nothing, both do', async (t) => {
      await asks('app-1', 'team-a/shop');
      await isTold('app-1', /does not exist or is not shared/);
      t.equal(await passwordIn('app-1', COPY), undefined, 'asked, not allowed');
      await allows('app-2');
      await asks('app-2', 'team-a/other');
      await isTold('app-2', /does not exist/);
      t.equal(await passwordIn('app-2', COPY), undefined, 'allowed, not asked for');
      await allows('app-1');
      await holds('app-1', 'First-pass1');
      await isTold('app-1', /^team-a\/shop: Secret team-a\.shop-connection$/);
    });

    await t.test('a changed password reaches the copy', async () => {
      await kube.apply(shop('Second-pass2', { [SHARE]: 'app-1' }));
      await holds('app-1', 'Second-pass2');
    });

    await t.test('either side withdraws', async () => {
      await allows(null);
      await holds('app-1', undefined);
      await isTold('app-1', /does not exist or is not shared/);
      await allows('app-1,app-2');
      await holds('app-1', 'Second-pass2');
      await asks('app-1', null);
      await holds('app-1', undefined);
    });

    await t.test('wild cards, a taken name and forged Secrets get nothing', async (t) => {
      await asks('app-1', 'team-a/*');
      await isTold('app-1', /wild cards are not possible/);
      const { uid = '' } = (await kube.get(RDS)).metadata;
      await kube.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: {
          name: 'shop-connection',
          namespace: 'app-1',
          labels: { 'otc.mcsps.de/shareable': 'true' },
          annotations: { 'otc.mcsps.de/rds': `team-a/shop/${uid}` },
        },
        data: { password: Buffer.from('forged').toString('base64') },
      } as KubeObject);
      await kube.apply({
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name: COPY, namespace: 'app-2' },
        data: { password: Buffer.from('mine').toString('base64') },
      } as KubeObject);
      await asks('app-2', 'team-a/shop,app-1/shop');
      await isTold(
        'app-2',
        /another Secret here has the name team-a\.shop-connection; app-1\/shop: it does not exist/,
      );
      t.equal(await passwordIn('app-2', COPY), 'mine', 'not touched');
      await kube.delete(secretPath('app-2', COPY));
      await asks('app-2', 'team-a/shop');
      await holds('app-2', 'Second-pass2');
    });

    await t.test('a deleted namespace goes, and so do the copies of a deleted Rds', async () => {
      await asks('app-1', 'team-a/shop');
      await holds('app-1', 'Second-pass2');
      await kube.delete('/api/v1/namespaces/app-2');
      await kube.waitForGone('/api/v1/namespaces/app-2');
      await kube.delete(RDS);
      await kube.waitForGone(RDS);
      await holds('app-1', undefined);
    });
    t.same(
      problems.filter((problem) => /403|forbidden/i.test(problem)),
      [],
      'nobody is refused anything',
    );
    t.notMatch(replica.logTail(1_000), /First-pass1|Second-pass2|answered 403/, 'and no password is logged');
  });
}
