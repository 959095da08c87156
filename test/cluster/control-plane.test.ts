import { spawn } from 'node:child_process';
import { existsSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { createInterface } from 'node:readline';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { type ControlPlane, startControlPlane } from './control-plane.ts';
import { createKubeClient, KubeRefusal } from './kube-client.ts';
import type { WatchEvent } from './kube-watch.ts';
import { installCrds } from './metacontroller.ts';
import { isAlive } from './service.ts';
import { waitFor } from './wait-for.ts';

const refusal = (status: number, message: RegExp = /./) => ({ name: 'KubeRefusal', status, message });
const pidsOf = (controlPlane: ControlPlane): number[] =>
  [controlPlane.etcd, controlPlane.apiServer, controlPlane.controllerManager].map(
    (service) => service.pid() ?? 0,
  );

const CRD = `
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: boxes.test.example }
spec:
  group: test.example
  scope: Namespaced
  names: { plural: boxes, singular: box, kind: Box }
  versions:
  - name: v1
    served: true
    storage: true
    subresources: { status: {} }
    schema:
      openAPIV3Schema:
        type: object
        properties:
          spec:
            type: object
            properties: { size: { type: integer } }
            x-kubernetes-validations:
            - rule: self.size >= oldSelf.size
              message: size cannot shrink
          status: { type: object, properties: { phase: { type: string } } }
`;

const lease = (name: string): KubeObject => ({
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name, namespace: 'default' },
  spec: { holderIdentity: 'nobody' },
});

const secret = (name: string, metadata: Partial<KubeObject['metadata']> = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name, namespace: 'default', ...metadata },
  data: { key: Buffer.from('value').toString('base64') },
});

t.test('a control plane', async (t) => {
  const controlPlane = await startControlPlane({ log: t.comment.bind(t) });
  t.teardown(controlPlane.stop);
  const kube = controlPlane.client();

  t.test('serves the pinned version over TLS that its CA verifies', async (t) => {
    t.match((await kube.send('GET', '/version')).body, { gitVersion: 'v1.36.3' });
    const { url, adminToken: token } = controlPlane;
    const stranger = createKubeClient({ url, ca: '', token });
    t.teardown(stranger.close);
    await t.rejects(stranger.send('GET', '/version'), 'without the CA there is no connection');
    t.equal((await controlPlane.clientWithToken('wrong').send('GET', '/version')).status, 401);
  });

  t.test('stores a CRD with a status subresource, prunes, and enforces its CEL rule', async (t) => {
    await installCrds(controlPlane, CRD);
    const box = { apiVersion: 'test.example/v1', kind: 'Box', metadata: { name: 'a', namespace: 'default' } };
    await kube.create({ ...box, spec: { size: 2 }, status: { phase: 'ignored' } });
    const path = await kube.pathOf(box);
    t.notOk((await kube.get(path)).status, 'status is not written through the object');
    await kube.patchStatus(path, { phase: 'Ready', unknown: 'x' });
    t.same((await kube.get(path)).status, { phase: 'Ready' });
    await t.rejects(kube.patch(path, { spec: { size: 1 } }), refusal(422, /size cannot shrink/));
    t.match(await kube.apply({ ...box, spec: { size: 3 } }), { spec: { size: 3 } });
  });

  t.test('refuses a Lease written from an old version', async (t) => {
    const first = await kube.create(lease('swap'));
    await kube.update({ ...first, spec: { holderIdentity: 'a' } });
    await t.rejects(kube.update({ ...first, spec: { holderIdentity: 'b' } }), refusal(409));
    t.match(await kube.get(await kube.pathOf(first)), { spec: { holderIdentity: 'a' } });
    await t.rejects(kube.create(lease('swap')), refusal(409, /already exists/));
  });

  t.test('takes a headless Service, its EndpointSlice and a Secret', async (t) => {
    const metadata = { name: 'db', namespace: 'default' };
    const [, slice] = await kube.applyYaml(`
apiVersion: v1
kind: Service
metadata: { name: db }
spec: { clusterIP: None, ports: [{ name: db, port: 3306 }] }
---
apiVersion: discovery.k8s.io/v1
kind: EndpointSlice
metadata: { name: db, labels: { kubernetes.io/service-name: db } }
addressType: IPv4
ports: [{ name: db, port: 3306 }]
endpoints: [{ addresses: [192.168.0.10] }]
`);
    t.match(slice, { metadata, endpoints: [{ addresses: ['192.168.0.10'] }] });
    await kube.create(secret('plain'));
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'ip' },
      spec: { ports: [{ port: 80 }] },
    };
    t.match(await kube.create(service), { spec: { clusterIP: /^10\.0\./ } });
  });

  t.test('collects what belongs to a deleted owner', async (t) => {
    const owner = await kube.create(secret('owner'));
    const { uid = '' } = owner.metadata;
    const ownerReferences = [{ apiVersion: 'v1', kind: 'Secret', name: 'owner', uid, controller: true }];
    const child = await kube.create(secret('child', { ownerReferences }));
    await kube.delete(await kube.pathOf(owner));
    await kube.waitForGone(await kube.pathOf(child));
    t.equal(await kube.delete(await kube.pathOf(child)), false, 'nothing is left to delete');
  });

  t.test('empties and removes a deleted namespace', async () => {
    await kube.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'short' } });
    await kube.create(secret('inside', { namespace: 'short' }));
    await kube.delete('/api/v1/namespaces/short');
    await kube.waitForGone('/api/v1/namespaces/short');
  });

  t.test('lets a limited user do only what RBAC says', async (t) => {
    const pilot = controlPlane.client('rds-pilot');
    await t.rejects(pilot.list('/api/v1/secrets'), refusal(403, /User "rds-pilot" cannot list/));
    await kube.applyYaml(`
apiVersion: rbac.authorization.k8s.io/v1
kind: Role
metadata: { name: leases }
rules: [{ apiGroups: [coordination.k8s.io], resources: [leases], verbs: [get, create] }]
---
apiVersion: rbac.authorization.k8s.io/v1
kind: RoleBinding
metadata: { name: leases }
roleRef: { apiGroup: rbac.authorization.k8s.io, kind: Role, name: leases }
subjects: [{ apiGroup: rbac.authorization.k8s.io, kind: User, name: rds-pilot }]
`);
    await waitFor('the right to come into force', () => pilot.create(lease('limited')));
    await t.rejects(pilot.update({ ...lease('limited') }), refusal(403));
    await t.rejects(controlPlane.client('viewer').list('/api/v1/namespaces/default/secrets'), refusal(403));
    t.throws(() => controlPlane.user('nobody'), { message: /no user nobody/ });
  });

  t.test('gives a service account a real token', async (t) => {
    const token = await kube.serviceAccountToken('default', 'default');
    const client = controlPlane.clientWithToken(token);
    await t.rejects(client.list('/api/v1/secrets'), refusal(403, /system:serviceaccount:default:default/));
  });

  t.test('tells every change to a watcher, also across a restart of the API server', async (t) => {
    const seen: string[] = [];
    const tell = ({ type, object }: WatchEvent) => seen.push(`${type} ${object.metadata.name}`);
    const watch = kube.watch('/api/v1/namespaces/default/configmaps?labelSelector=w', tell);
    t.teardown(watch.close);
    const map = (name: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name, namespace: 'default', labels: { w: '1' } },
    });
    await kube.create(map('one'));
    await waitFor('the first event', () => seen.includes('ADDED one'));
    await controlPlane.apiServer.kill();
    await controlPlane.apiServer.start();
    await kube.delete(await kube.pathOf(map('one')));
    await kube.create(map('two'));
    await waitFor('the later events', () => seen.includes('DELETED one') && seen.includes('ADDED two'));
    t.equal(seen.filter((line) => line === 'ADDED one').length, 1);
  });

  t.test('keeps its data when etcd restarts', async (t) => {
    const { etcd } = controlPlane;
    const before = await kube.create(lease('kept'));
    await etcd.kill();
    await etcd.start();
    const path = await kube.pathOf(before);
    const after = await kube.waitForObject(path, 'to be served again', () => true);
    t.equal(after.metadata.uid, before.metadata.uid);
  });

  t.test('a paused API server does not answer, and goes on when resumed', async (t) => {
    controlPlane.apiServer.pause();
    let answered = false;
    const pending = kube.send('GET', '/readyz').then(({ status }) => {
      answered = true;
      return status;
    });
    await new Promise((resolve) => setTimeout(resolve, 300));
    t.equal(answered, false);
    controlPlane.apiServer.resume();
    t.equal(await pending, 200);
  });
});

t.test('two control planes run side by side, and each is gone after its stop', async (t) => {
  const [one, two] = await Promise.all([startControlPlane(), startControlPlane()]);
  t.teardown(() => Promise.all([one.stop(), two.stop()]));
  await one.client().create(lease('only-here'));
  t.equal(
    await two.client().find('/apis/coordination.k8s.io/v1/namespaces/default/leases/only-here'),
    undefined,
  );
  for (const controlPlane of [one, two]) {
    const pids = pidsOf(controlPlane);
    t.ok(pids.every(isAlive), 'its three processes run');
    await controlPlane.stop();
    t.notOk(pids.some(isAlive), 'none of them is left');
    t.notOk(existsSync(controlPlane.dir), 'its folder is gone');
  }
});

t.test('a parent that is killed leaves no process and no folder', async (t) => {
  const script = `
    const { startControlPlane } = await import(${JSON.stringify(new URL('./control-plane.ts', import.meta.url).href)});
    const { dir, etcd, apiServer, controllerManager } = await startControlPlane();
    console.log(JSON.stringify({ dir, pids: [etcd, apiServer, controllerManager].map((each) => each.pid()) }));
    setInterval(() => {}, 1000);
  `;
  for (const signal of ['SIGKILL', 'SIGINT'] as const) {
    const parent = spawn(process.execPath, ['--input-type=module', '-e', script], {
      stdio: ['ignore', 'pipe', 'inherit'],
      env: { ...process.env, NODE_OPTIONS: '' },
    });
    const line = await new Promise<string>((resolve) => createInterface(parent.stdout).once('line', resolve));
    const { dir, pids } = JSON.parse(line) as { dir: string; pids: number[] };
    t.ok(pids.every(isAlive) && existsSync(dir));
    parent.kill(signal);
    await waitFor(`cleanup after ${signal}`, () => !pids.some(isAlive) && !existsSync(dir));
    t.pass(`all gone after ${signal}`);
  }
});

t.test('a start that fails shows the last lines of the log and leaves nothing behind', async (t) => {
  const dir = t.testdir({});
  const users = [{ name: 'broken"quote,' }];
  await t.rejects(startControlPlane({ dir, users }), { message: /kube-apiserver ended \(code 1\).*\n.*/s });
  t.same(await readdir(dir), []);
});

t.test('a refusal carries the status and the words of the server', async (t) => {
  const error = new KubeRefusal('GET', '/x', { status: 403, body: { message: 'no', reason: 'Forbidden' } });
  t.match(error, { status: 403, reason: 'Forbidden', message: 'GET /x: 403 no' });
});
