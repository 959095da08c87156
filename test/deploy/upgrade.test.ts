// From the version before to this one, with live Rds that are created and changed meanwhile: nothing restarts, nothing
// is doubled, no finalizer is lost.
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { type Balancer, startBalancer } from '../cluster/balancer.ts';
import { startControlPlane } from '../cluster/control-plane.ts';
import { createLocalEngine, createMetacontrollerEngine } from '../cluster/engine.ts';
import { type HookReplica, startHookReplica } from '../cluster/hook-replica.ts';
import { installCrds, metacontrollerHome } from '../cluster/metacontroller.ts';
import { CHECKOUT } from '../cluster/node-process.ts';
import { installOperatorCrds } from '../cluster/operator-cluster.ts';
import { operatorRights } from '../cluster/operator-rights.ts';
import { startSimulatedCloud } from '../cluster/simulated-cloud.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { checkOutOldVersion } from './old-version.ts';

t.setTimeout(1_800_000);

const SETTLED = ['db-0', 'db-1', 'db-2', 'db-3'];
/** Ordered just before and while the replicas are exchanged. */
const UNDER_WAY = ['db-4', 'db-5', 'db-6', 'db-7'];
const ALL = [...SETTLED, ...UNDER_WAY];
const FINALIZER = 'metacontroller.io/compositecontroller-rds';
const RDSS = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';

type Rds = KubeObject & { status?: { phase?: string; id?: string; volumeGb?: number } };

const rds = (name: string, volumesize: number): KubeObject =>
  ({
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata: { name, namespace: 'team-a' },
    spec: { volumesize },
  }) as KubeObject;

const { root: oldRoot, missing } = checkOutOldVersion();
t.teardown(() => oldRoot && rmSync(oldRoot, { recursive: true }));

t.test('an upgrade under load touches no database', { skip: missing ?? false }, async (t) => {
  if (!oldRoot) return;
  const controlPlane = await startControlPlane();
  t.teardown(controlPlane.stop);
  const kube = controlPlane.client();
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  for (const name of ['crd-rds', 'crd-rdsbackup'])
    await installCrds(controlPlane, join(oldRoot, 'metacontroller', `${name}.yaml`));
  await kube.applyYaml(operatorRights());
  const cloud = await startSimulatedCloud({ dir: controlPlane.dir, speed: 60 });
  t.teardown(() => cloud.service.stop(1_000));

  const hookToken = 'only-the-two-sides-know';
  const balancer: Balancer = await startBalancer();
  t.teardown(balancer.stop);
  const replicas: HookReplica[] = [];
  t.teardown(() => Promise.all(replicas.map((replica) => replica.stop(2_000))));
  const startReplica = async (name: string, root: string) => {
    const replica = await startHookReplica({ controlPlane, name, hookToken, cloudEnv: cloud.env, root });
    replicas.push(replica);
    balancer.add(replica.port);
    return replica;
  };
  const old = await Promise.all([startReplica('old-1', oldRoot), startReplica('old-2', oldRoot)]);
  const { home, notice } = metacontrollerHome();
  if (notice) t.comment(notice);
  const engine = await (home
    ? createMetacontrollerEngine({ controlPlane }, home)
    : createLocalEngine({ controlPlane }));
  t.teardown(engine.stop);
  await engine.configure({ hookUrl: balancer.url, hookToken });

  const all = async () =>
    (await kube.list<Rds>(RDSS)).toSorted((a, b) => a.metadata.name.localeCompare(b.metadata.name));
  const areReady = (names: string[], volumeGb: number) => async () => {
    const wanted = (await all()).filter(({ metadata }) => names.includes(metadata.name));
    const isDone = ({ status }: Rds) => status?.phase === 'Ready' && status.volumeGb === volumeGb;
    return wanted.length === names.length && wanted.every(isDone);
  };
  for (const name of SETTLED) await kube.apply(rds(name, 40));
  await waitFor('the first Rds to be Ready', areReady(SETTLED, 40));
  const idsBefore = new Map((await all()).map(({ metadata, status }) => [metadata.name, status?.id]));

  for (const name of UNDER_WAY.slice(0, 2)) await kube.apply(rds(name, 40));
  for (const name of SETTLED.slice(0, 2)) await kube.apply(rds(name, 60));
  // As `helm upgrade` does it: first the CRDs, then one replica after the other.
  await installOperatorCrds(controlPlane);
  for (const [index, replica] of old.entries()) {
    await startReplica(`new-${index + 1}`, CHECKOUT);
    const name = UNDER_WAY[2 + index];
    if (name) await kube.apply(rds(name, 40));
    balancer.remove(replica.port);
    await replica.stop();
  }
  for (const name of ALL) await kube.apply(rds(name, 60));
  await waitFor('every Rds to be Ready with 60 GB', areReady(ALL, 60));

  const after = await all();
  t.same(
    after.map(({ metadata }) => metadata.name),
    ALL,
  );
  for (const { metadata, status } of after) {
    t.ok(metadata.finalizers?.includes(FINALIZER), `${metadata.name} keeps its finalizer`);
    const before = idsBefore.get(metadata.name);
    if (before) t.equal(status?.id, before, `${metadata.name} keeps its database`);
  }
  const count = async (kind: string) => (await cloud.events()).filter((event) => event.kind === kind).length;
  t.equal((await cloud.instances()).length, ALL.length, 'one instance for each');
  t.equal(await count('create'), ALL.length, 'and none was made twice');
  t.equal(await count('restart'), 0, 'no database was restarted');
  t.equal(await count('deleted'), 0, 'and none was deleted');

  await kube.delete(`${RDSS}/db-0`);
  await kube.waitForGone(`${RDSS}/db-0`);
  t.ok((await count('deleted')) > 0, 'the test sees a delete');
  t.equal((await cloud.instances()).length, ALL.length - 1, 'a delete still takes its database');
});
