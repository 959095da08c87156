// The shipped roles, bound to the shipped service accounts, judged by the real authorizer.
import { randomUUID } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { kubeconfigConnection } from '../../src/kube/connection.ts';
import { createFindRds } from '../../src/kube/find-rds.ts';
import { createKubeHttp } from '../../src/kube/http.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createNudge, nudgeMark } from '../../src/kube/nudge.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import { type ControlPlane, startControlPlane, type User } from '../cluster/control-plane.ts';
import { createLocalEngine, createMetacontrollerEngine } from '../cluster/engine.ts';
import { startHookReplica } from '../cluster/hook-replica.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { kubeconfig } from '../cluster/kubeconfig.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { installOperatorCrds } from '../cluster/operator-cluster.ts';
import { startSimulatedCloud } from '../cluster/simulated-cloud.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { kustomizeBuild, objectsFrom } from './render.ts';

t.setTimeout(1_800_000);

type Account = { namespace: string; name: string };

const METACONTROLLER: Account = { namespace: 'metacontroller', name: 'metacontroller' };
const HOOK: Account = { namespace: 'rds-pilot', name: 'rds-pilot' };
const RIGHTS = ['ServiceAccount', 'Role', 'RoleBinding', 'ClusterRole', 'ClusterRoleBinding'];

let controlPlane: ControlPlane;
let kube: KubeClient;

async function userOf(account: Account): Promise<User> {
  const token = await kube.serviceAccountToken(account.namespace, account.name);
  const kubeconfigPath = join(controlPlane.dir, `${account.name}-account.kubeconfig`);
  const { url, ca } = controlPlane;
  await writeFile(kubeconfigPath, kubeconfig({ url, ca, user: account.name, token }), { mode: 0o600 });
  return { name: account.name, token, kubeconfigPath };
}

t.before(async () => {
  controlPlane = await startControlPlane();
  kube = controlPlane.client();
  await installOperatorCrds(controlPlane);
  for (const name of ['rds-pilot', 'metacontroller', 'team-a'])
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  // Metacontroller's own chart makes this one.
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: METACONTROLLER });
  const objects = await objectsFrom(kustomizeBuild('deploy/kustomize/base'));
  for (const object of objects.filter(({ kind }) => RIGHTS.includes(kind))) await kube.apply(object);
});
t.teardown(() => controlPlane.stop());

t.test('with these rights a database lives and goes, and nobody is refused anything', async (t) => {
  const cloud = await startSimulatedCloud({ dir: controlPlane.dir, speed: 120 });
  t.teardown(() => cloud.service.stop(1_000));
  const hookToken = 'only-the-two-sides-know';
  const replica = await startHookReplica({
    controlPlane,
    name: 'hook',
    hookToken,
    cloudEnv: cloud.env,
    env: { KUBECONFIG: (await userOf(HOOK)).kubeconfigPath },
  });
  t.teardown(() => replica.stop(2_000));
  const problems: string[] = [];
  const metacontroller = await userOf(METACONTROLLER);
  const options = {
    controlPlane: { ...controlPlane, user: () => metacontroller },
    onProblem: (message: string) => problems.push(message),
  };
  const { home, notice } = metacontrollerHome();
  if (notice) t.comment(notice);
  const engine = await (home ? createMetacontrollerEngine(options, home) : createLocalEngine(options));
  t.teardown(engine.stop);
  await engine.configure({ hookUrl: `http://127.0.0.1:${replica.port}`, hookToken });

  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/shop';
  await kube.apply({
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name: 'shop', namespace: 'team-a' },
    spec: { volumesize: 40 },
  } as KubeObject);
  const isReady = ({ status }: KubeObject) => (status as { phase?: string } | undefined)?.phase === 'Ready';
  await kube.waitForObject(path, 'Ready', isReady).catch((error: unknown) => {
    throw new Error(`${error}\n${problems.join('\n')}\n${replica.logTail()}`);
  });
  for (const child of ['secrets/shop-connection', 'secrets/shop-root', 'services/shop'])
    t.ok(await kube.find(`/api/v1/namespaces/team-a/${child}`), child);
  await kube.delete(path);
  await kube.waitForGone(path);
  t.same(await cloud.instances(), [], 'the instance is gone');
  const events = await kube.list<KubeObject & { reason: string }>('/api/v1/namespaces/team-a/events');
  t.ok(
    events.some(({ reason }) => reason === 'Ready' || reason === 'Available' || reason === 'Creating'),
    `Events were written: ${events.map(({ reason }) => reason).join(' ')}`,
  );
  t.same(
    problems.filter((problem) => /403|forbidden/i.test(problem)),
    [],
  );
  t.notMatch(replica.logTail(1_000), /answered 403|forbidden/i);
});

type Question = [verb: string, resource: string, namespace: string, allowed: boolean];

/** `group/resource` or `resource`; an empty namespace means all of them. */
const HOOK_MAY: Question[] = [
  ['get', 'secrets', 'team-a', false],
  ['list', 'secrets', '', false],
  ['get', 'secrets', 'rds-pilot', false],
  ['create', 'pods', 'rds-pilot', false],
  ['create', 'batch/jobs', 'team-a', false],
  ['update', 'otc.mcsps.de/rdss', 'team-a', false],
  ['delete', 'otc.mcsps.de/rdss', 'team-a', false],
  ['patch', 'otc.mcsps.de/rdss/status', 'team-a', false],
  ['patch', 'otc.mcsps.de/rdsbackups', 'team-a', false],
  ['get', 'coordination.k8s.io/leases', 'kube-system', false],
  ['watch', 'namespaces', '', false],
  ['get', 'configmaps', 'rds-pilot', false],
  ['create', 'configmaps', 'team-a', false],
  ['create', 'configmaps', 'rds-pilot', true],
  ['list', 'pods', 'team-a', true],
  ['get', 'otc.mcsps.de/rdss', 'team-a', true],
  ['patch', 'otc.mcsps.de/rdss', 'team-a', true],
  ['get', 'otc.mcsps.de/rdsbackups', 'team-a', true],
  ['update', 'coordination.k8s.io/leases', 'rds-pilot', true],
  ['create', 'events', 'team-a', true],
];

const METACONTROLLER_MAY: Question[] = [
  ['delete', 'otc.mcsps.de/rdss', 'team-a', false],
  ['create', 'otc.mcsps.de/rdss', 'team-a', false],
  ['create', 'pods', 'team-a', false],
  ['create', 'apps/deployments', 'team-a', false],
  ['list', 'configmaps', '', false],
  ['update', 'namespaces', '', false],
  ['delete', 'apiextensions.k8s.io/customresourcedefinitions', '', false],
  ['update', 'metacontroller.k8s.io/compositecontrollers', '', false],
  ['create', 'rbac.authorization.k8s.io/clusterrolebindings', '', false],
  ['update', 'otc.mcsps.de/rdss', 'team-a', true],
  ['patch', 'secrets', 'team-a', true],
  ['create', 'batch/jobs', 'team-a', true],
];

async function isAllowed(account: Account, [verb, name, namespace]: Question): Promise<boolean> {
  const [resource = '', group = ''] = name.split('/').reverse();
  const review = await kube.create<KubeObject & { status: { allowed: boolean } }>({
    apiVersion: 'authorization.k8s.io/v1',
    kind: 'SubjectAccessReview',
    metadata: {},
    spec: {
      user: `system:serviceaccount:${account.namespace}:${account.name}`,
      resourceAttributes: { verb, group, resource, namespace },
    },
  } as unknown as KubeObject);
  return review.status.allowed;
}

t.test('nothing more is allowed', async (t) => {
  for (const [account, questions] of [
    [HOOK, HOOK_MAY],
    [METACONTROLLER, METACONTROLLER_MAY],
  ] as const) {
    for (const question of questions) {
      const [verb, resource, namespace, allowed] = question;
      t.equal(
        await isAllowed(account, question),
        allowed,
        `${account.name}: ${verb} ${resource} ${namespace}`,
      );
    }
  }
});

t.test('a real request of the hook for a Secret of others is refused', async (t) => {
  await kube.apply({
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'theirs', namespace: 'team-a' },
  });
  const hook = controlPlane.clientWithToken((await userOf(HOOK)).token);
  for (const path of ['namespaces/team-a/secrets/theirs', 'namespaces/team-a/secrets', 'secrets']) {
    const { status, body } = await hook.send('GET', `/api/v1/${path}`);
    t.equal(status, 403, path);
    t.match(JSON.stringify(body), /system:serviceaccount:rds-pilot:rds-pilot.*cannot/);
  }
});

const NOT_ITS_BUSINESS: [what: string, metadata: object, spec?: object][] = [
  ['the spec', {}, { volumesize: 60 }],
  ['a consent', { annotations: { 'otc.mcsps.de/approve': 'x' } }],
  ["somebody else's annotation", { annotations: { theirs: null } }],
  ['a change of one', { annotations: { theirs: 'x' } }],
  ['a label', { labels: { a: 'b' } }],
  ['the finalizers', { finalizers: null }],
];

t.test('of an Rds the hook may write the annotation for alarms and nothing else', async (t) => {
  const objects = await objectsFrom(kustomizeBuild('deploy/kustomize/base'));
  for (const object of objects)
    if (
      object.kind.startsWith('ValidatingAdmissionPolicy') &&
      object.metadata.name === 'rds-pilot-guard-alarm'
    )
      await kube.apply(object);
  const rds = {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: {
      name: 'guarded',
      namespace: 'team-a',
      annotations: { theirs: 'y' },
      finalizers: ['example.org/keep'],
    },
    spec: { volumesize: 40 },
  };
  const { uid = '' } = (await kube.create(rds as KubeObject)).metadata;
  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss/guarded';
  const account = await userOf(HOOK);
  const http = createKubeHttp(kubeconfigConnection(account.kubeconfigPath));
  t.teardown(http.close);
  const patch = (metadata: object, spec?: object) =>
    http.call({
      method: 'PATCH',
      path: `${path}?dryRun=All`,
      body: { metadata, ...(spec ? { spec } : {}) },
      contentType: 'application/merge-patch+json',
      deadlineMs: 5_000,
    });
  const [, metadata = {}, spec] = NOT_ITS_BUSINESS[0] ?? [];
  await waitFor('the guard to be in force', async () => (await patch(metadata, spec)).status === 422);
  for (const [what, changed, wish] of NOT_ITS_BUSINESS) {
    const { status, body } = await patch(changed, wish);
    t.equal(status, 422, what);
    t.match(JSON.stringify(body), /rds-pilot itself may/, what);
  }

  const journal = createJournalStore({
    call: http.call,
    namespace: HOOK.namespace,
    nonce: randomUUID,
    deadlineMs: 5_000,
  });
  await journal.create(uid, {}, { namespace: 'team-a', name: 'guarded' });
  const find = createFindRds(journal, http.call, 5_000);
  const nudge = createNudge(find, http.call, 5_000);
  const found = await find(uid);
  if (!found) throw new Error('the Rds was not found by its UID');
  const [first, second] = [nudgeMark(1_000, 'a'), nudgeMark(2_000, 'a')];
  t.equal(await nudge(found.rds, first), 'nudged');
  t.equal(await nudge(found.rds, second), 'nudged', 'what was read before is looked at again');
  t.equal(await nudge(found.rds, first), 'old');
  const { metadata: written, spec: kept } = (await kube.find(path)) as KubeObject;
  t.same(written.annotations, { theirs: 'y', [ANNOTATIONS.alarm]: second });
  t.match(kept, { volumesize: 40 });
  t.equal(written.generation, 1);
});

const USERS: [role: string, verb: string, resource: string, allowed: boolean][] = [
  ['view', 'list', 'rdss', true],
  ['view', 'create', 'rdss', false],
  ['edit', 'create', 'rdss', true],
  ['edit', 'delete', 'rdsbackups', true],
  ['edit', 'deletecollection', 'rdss', false],
  ['admin', 'deletecollection', 'rdss', true],
  ['admin', 'patch', 'rdss/status', false],
];

t.test('people get their part through the roles they have', async (t) => {
  for (const role of ['view', 'edit', 'admin']) {
    await kube.apply({
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: role, namespace: 'team-a' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
      subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'User', name: `the-${role}` }],
    } as KubeObject);
  }
  const ask = async (role: string, verb: string, name: string): Promise<boolean> => {
    const [resource, subresource] = name.split('/');
    const attributes = { verb, group: 'otc.mcsps.de', resource, subresource, namespace: 'team-a' };
    const review = await kube.create<KubeObject & { status: { allowed: boolean } }>({
      apiVersion: 'authorization.k8s.io/v1',
      kind: 'SubjectAccessReview',
      metadata: {},
      spec: { user: `the-${role}`, resourceAttributes: attributes },
    } as unknown as KubeObject);
    return review.status.allowed;
  };
  for (const [role, verb, resource, allowed] of USERS)
    t.equal(await ask(role, verb, resource), allowed, `${role}: ${verb} ${resource}`);
});
