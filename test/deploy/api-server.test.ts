// What the packages say, told to a real API server.
import t, { type Test } from 'tap';
import { PARTS } from '../../deploy/kustomize.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import type { KubeClient } from '../cluster/kube-client.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { childJobs } from './child-jobs.ts';
import { installMetacontrollerCrds, installOptionalCrds } from './foreign-crds.ts';
import { podsOf, VIOLATIONS } from './pod-templates.ts';
import { find, helmTemplate, keyOf, kustomizeBuild, objectsFrom, type Rendered } from './render.ts';

t.setTimeout(1_800_000);

const everything = Object.values(PARTS).flat();
let controlPlane: ControlPlane;
let kube: KubeClient;

t.before(async () => {
  controlPlane = await startControlPlane();
  kube = controlPlane.client();
  await installMetacontrollerCrds(controlPlane);
  await installOptionalCrds(controlPlane);
  for (const name of ['rds-pilot', 'metacontroller'])
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
});
t.teardown(() => controlPlane.stop());

/** Strict: a misspelt field is refused, not dropped. */
const dryRun = async (object: Rendered) =>
  kube.send(
    'PATCH',
    `${await kube.pathOf(object)}?dryRun=All&fieldManager=test&force=true&fieldValidation=Strict`,
    object,
    'application/apply-patch+yaml',
  );

async function acceptsAll(t: Test, objects: Rendered[]): Promise<void> {
  t.ok(objects.length > 15, `${objects.length} objects`);
  for (const object of objects) {
    const { status, body } = await dryRun(object);
    t.ok(
      status === 200 || status === 201,
      `${keyOf(object)}: ${status} ${(body as { message?: string }).message ?? ''}`,
    );
  }
}

t.test('all that helm renders is accepted', async (t) => {
  await acceptsAll(t, await objectsFrom(helmTemplate(everything)));
  await acceptsAll(t, await objectsFrom(helmTemplate(['tls.mode=disabled'])));
});

t.test('all that kustomize builds is accepted', async (t) => {
  await acceptsAll(t, await objectsFrom(kustomizeBuild('deploy/kustomize/base')));
});

t.test('a misspelt field would be refused', async (t) => {
  const deployment = find(await objectsFrom(helmTemplate()), 'Deployment', 'rds-pilot');
  const { status, body } = await dryRun({ ...deployment, spec: { ...deployment.spec, replica: 2 } });
  t.ok(status >= 400, `${status}`);
  t.match(JSON.stringify(body), /\.spec\.replica: field not declared|unknown field.*replica/);
});

t.test('every pod passes where `restricted` is enforced, and none with a planted violation', async (t) => {
  const namespace = 'restricted';
  await kube.apply({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: namespace, labels: { 'pod-security.kubernetes.io/enforce': 'restricted' } },
  });
  await kube.apply({ apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'rds-pilot', namespace } });
  await kube.waitForObject(`/api/v1/namespaces/${namespace}/serviceaccounts/default`, 'made', () => true);
  const makers = [...(await objectsFrom(helmTemplate(everything))), ...childJobs(namespace)];
  const pods = podsOf(makers, namespace);
  t.same(
    pods.map(({ metadata }) => metadata.name),
    ['rds-pilot', 'rds-pilot-test', 'shop-logs-1', 'shop-sql-1', 'drill-0123456789ab-202611170300'],
  );
  const create = (pod: unknown) => kube.send('POST', `/api/v1/namespaces/${namespace}/pods?dryRun=All`, pod);
  for (const pod of pods) {
    const good = await create(pod);
    t.equal(good.status, 201, `${pod.metadata.name}: ${JSON.stringify(good.body).slice(0, 300)}`);
    for (const [name, plant] of VIOLATIONS) {
      const bad = structuredClone(pod);
      plant(bad);
      const { status, body } = await create(bad);
      t.equal(status, 403, `${pod.metadata.name} ${name}`);
      t.match(JSON.stringify(body), /violates PodSecurity/, name);
    }
  }
});

type Controller = Rendered & {
  spec: { parentResource: Record<string, unknown>; hooks: Record<string, unknown> };
};

const EDITS: [name: string, edit: (controller: Controller) => void, says: RegExp][] = [
  ['another name', ({ metadata }) => Object.assign(metadata, { name: 'databases' }), /must be called rds/],
  ['no finalize hook', ({ spec }) => delete spec.hooks.finalize, /must keep spec\.hooks\.finalize/],
  [
    'an empty finalize hook',
    ({ spec }) => Object.assign(spec.hooks, { finalize: {} }),
    /must keep spec\.hooks\.finalize|webhook: Required/,
  ],
  [
    'another parent',
    ({ spec }) => Object.assign(spec.parentResource, { resource: 'databases' }),
    /must keep its parentResource/,
  ],
  [
    'a label selector',
    ({ spec }) => Object.assign(spec.parentResource, { labelSelector: { matchLabels: { a: 'b' } } }),
    /must have no labelSelector/,
  ],
];

t.test('the guard refuses an edit of the controller that would lose databases', async (t) => {
  const objects = await objectsFrom(helmTemplate());
  const guards = objects.filter(({ kind }) => kind.startsWith('ValidatingAdmissionPolicy'));
  const controller = find<Controller>(objects, 'CompositeController', 'rds');
  await kube.apply(controller);
  for (const guard of guards) await kube.apply(guard);
  const attempt = (edit: (controller: Controller) => void) => {
    const edited = structuredClone(controller);
    edit(edited);
    return dryRunReplacing(edited);
  };
  const [, drop] = EDITS[1] ?? [];
  if (!drop) throw new Error('no edit');
  await waitFor('the guard to be in force', async () => (await attempt(drop)).status === 422);
  for (const [name, edit, says] of EDITS) {
    const { status, body } = await attempt(edit);
    t.equal(status, 422, name);
    t.match(JSON.stringify(body), says, name);
  }
  const harmless = await attempt(({ spec }) => Object.assign(spec, { resyncPeriodSeconds: 300 }));
  t.equal(harmless.status, 200, 'other edits pass');
  const foreign = structuredClone(controller);
  foreign.metadata.name = 'theirs';
  foreign.spec.parentResource = { apiVersion: 'example.org/v1', resource: 'rdss' };
  t.equal((await dryRunReplacing(foreign)).status, 201, 'controllers of others are not ours to judge');
});

/** Replaces or creates, as an apply would leave removed fields alone. */
async function dryRunReplacing(object: Rendered) {
  const path = await kube.pathOf(object);
  const live = await kube.find(path);
  if (!live) return kube.send('POST', `${path.slice(0, path.lastIndexOf('/'))}?dryRun=All`, object);
  const metadata = { ...object.metadata, resourceVersion: live.metadata.resourceVersion };
  return kube.send('PUT', `${path}?dryRun=All`, { ...object, metadata });
}
