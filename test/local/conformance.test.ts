// The same calls to a real kube-apiserver and to the one in memory must get the same answers.

import { existsSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { Agent } from 'undici';
import type { KubeCall, KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { backgroundClock } from '../../src/local/background-clock.ts';
import { createMetacontroller } from '../../src/local/metacontroller.ts';
import { createClusterWatch } from '../../src/local/real-cluster.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { type ControlPlane, startControlPlane } from '../cluster/control-plane.ts';
import { cacheFolder } from '../cluster/go-build.ts';
import { controllerManifest, ok, rdsPath, secret } from './toy.ts';

const binary = join(cacheFolder(), 'kube-apiserver');
const hasBinary = existsSync(binary) || existsSync(join(cacheFolder(), 'bin', 'kube-apiserver'));
const skip = hasBinary ? false : 'no kube-apiserver has been built on this machine';

const merge = 'application/merge-patch+json';
const apply = 'application/apply-patch+yaml';
const rdss = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';
const secrets = '/api/v1/namespaces/team-a/secrets';
const leases = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
const definition = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rdss.otc.mcsps.de' },
  spec: {
    group: 'otc.mcsps.de',
    scope: 'Namespaced',
    names: { plural: 'rdss', singular: 'rds', kind: 'Rds', listKind: 'RdsList' },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};

const rds = (metadata: KubeObject['metadata'], spec: unknown = { volumesize: 40, tags: { a: '1' } }) => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata,
  spec,
});
const lease = {
  apiVersion: 'coordination.k8s.io/v1',
  kind: 'Lease',
  metadata: { name: 'rds-1', annotations: { journal: '{}' } },
  spec: { holderIdentity: 'a' },
};

type Step = {
  say: string;
  method: KubeRequest['method'];
  path: string;
  type?: string;
  body?: Record<string, unknown> | ((last: (say: string) => KubeObject) => unknown);
};

const steps: Step[] = [
  {
    say: 'create',
    method: 'POST',
    path: `${rdss}?fieldManager=kubectl`,
    body: rds({ name: 'shop', finalizers: ['x.io/y'] }),
  },
  { say: 'create twice', method: 'POST', path: rdss, body: rds({ name: 'shop' }) },
  { say: 'bad name', method: 'POST', path: rdss, body: rds({ name: 'Shop' }) },
  { say: 'no such namespace', method: 'POST', path: '/api/v1/namespaces/none/secrets', body: secret('x') },
  {
    say: 'label',
    method: 'PATCH',
    path: `${rdsPath()}?fieldManager=me`,
    type: merge,
    body: { metadata: { labels: { a: 'b' } } },
  },
  {
    say: 'no-op',
    method: 'PATCH',
    path: `${rdsPath()}?fieldManager=me`,
    type: merge,
    body: { metadata: { labels: { a: 'b' } } },
  },
  {
    say: 'spec',
    method: 'PATCH',
    path: `${rdsPath()}?fieldManager=me`,
    type: merge,
    body: { spec: { volumesize: 50, tags: { a: null, b: '2' } } },
  },
  { say: 'blind put', method: 'PUT', path: rdsPath(), body: rds({ name: 'shop' }) },
  { say: 'old put', method: 'PUT', path: rdsPath(), body: (last) => last('create') },
  {
    say: 'status put',
    method: 'PUT',
    path: `${rdsPath()}/status?fieldManager=metacontroller`,
    body: (last) => ({ ...last('spec'), spec: { volumesize: 1 }, status: { phase: 'Ready', list: [1] } }),
  },
  {
    say: 'status patch',
    method: 'PATCH',
    path: `${rdsPath()}/status?fieldManager=user`,
    type: merge,
    body: { status: { reboot: true } },
  },
  {
    say: 'put drops status',
    method: 'PUT',
    path: `${rdsPath()}?fieldManager=me`,
    body: (last) => ({ ...last('status patch'), status: { phase: 'Gone' } }),
  },
  {
    say: 'apply',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=one&force=true`,
    type: apply,
    body: rds({ name: 'two' }, { a: 1, b: { c: 1, d: 2 }, list: [1, 2] }),
  },
  {
    say: 'apply same',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=one&force=true`,
    type: apply,
    body: rds({ name: 'two' }, { a: 1, b: { c: 1, d: 2 }, list: [1, 2] }),
  },
  {
    say: 'apply fewer',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=one&force=true`,
    type: apply,
    body: rds({ name: 'two' }, { a: 1, b: { c: 1 }, list: [3] }),
  },
  {
    say: 'apply other',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=two&force=true`,
    type: apply,
    body: rds({ name: 'two', labels: { x: 'y' } }, { b: { c: 1, e: 5 } }),
  },
  {
    say: 'apply conflict',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=two`,
    type: apply,
    body: rds({ name: 'two' }, { a: 2 }),
  },
  {
    say: 'apply forced',
    method: 'PATCH',
    path: `${rdsPath('two')}?fieldManager=two&force=true`,
    type: apply,
    body: rds({ name: 'two' }, { a: 2 }),
  },
  {
    say: 'apply status',
    method: 'PATCH',
    path: `${rdsPath('two')}/status?fieldManager=s&force=true`,
    type: apply,
    body: { ...rds({ name: 'two' }, undefined), status: { phase: 'Ready' } },
  },
  {
    say: 'apply status of nobody',
    method: 'PATCH',
    path: `${rdsPath('nobody')}/status?fieldManager=s`,
    type: apply,
    body: rds({ name: 'nobody' }),
  },
  { say: 'no manager', method: 'PATCH', path: rdsPath('two'), type: apply, body: rds({ name: 'two' }) },
  {
    say: 'secret',
    method: 'PATCH',
    path: `${secrets}/s?fieldManager=metacontroller&force=true`,
    type: apply,
    body: secret('s'),
  },
  {
    say: 'secret of another',
    method: 'PATCH',
    path: `${secrets}/s?fieldManager=kubectl`,
    type: merge,
    body: { data: { z: 'eg==' } },
  },
  {
    say: 'secret text',
    method: 'POST',
    path: `${secrets}?fieldManager=kubectl`,
    body: { ...secret('t'), data: undefined, stringData: { a: 'hello' } },
  },
  { say: 'lease', method: 'POST', path: `${leases}?fieldManager=rds-pilot`, body: lease },
  {
    say: 'lease swap',
    method: 'PUT',
    path: `${leases}/rds-1?fieldManager=rds-pilot`,
    body: (last) => ({ ...last('lease'), spec: { holderIdentity: 'b' } }),
  },
  {
    say: 'lease lost',
    method: 'PUT',
    path: `${leases}/rds-1?fieldManager=rds-pilot`,
    body: (last) => ({ ...last('lease'), spec: { holderIdentity: 'c' } }),
  },
  { say: 'lease blind', method: 'PUT', path: `${leases}/rds-1`, body: lease },
  {
    say: 'other uid',
    method: 'DELETE',
    path: `${leases}/rds-1`,
    body: { preconditions: { uid: '00000000-0000-4000-8000-000000000000' } },
  },
  { say: 'lease gone', method: 'DELETE', path: `${leases}/rds-1` },
  { say: 'get nothing', method: 'GET', path: `${leases}/rds-1` },
  { say: 'delete', method: 'DELETE', path: rdsPath() },
  { say: 'delete again', method: 'DELETE', path: rdsPath() },
  {
    say: 'new finalizer',
    method: 'PATCH',
    path: rdsPath(),
    type: merge,
    body: { metadata: { finalizers: ['x.io/y', 'z.io/z'] } },
  },
  {
    say: 'status while leaving',
    method: 'PATCH',
    path: `${rdsPath()}/status?fieldManager=user`,
    type: merge,
    body: { status: { reboot: false } },
  },
  {
    say: 'last finalizer',
    method: 'PATCH',
    path: `${rdsPath()}?fieldManager=me`,
    type: merge,
    body: { metadata: { finalizers: null } },
  },
  { say: 'really gone', method: 'GET', path: rdsPath() },
];

/** What may differ: identities, times, order of managers, their `.` marks, and the words of a refusal. */
const comparable = (status: number, body: KubeObject) => {
  if (status >= 400) return { status, reason: (body as unknown as { reason: string }).reason };
  if (body.kind === 'Status') return { status, kind: 'Status' };
  const { uid: _u, resourceVersion: _v, managedFields = [], ...metadata } = body.metadata;
  const times = ['creationTimestamp', 'deletionTimestamp'].filter((key) => key in metadata);
  for (const key of times) (metadata as Record<string, unknown>)[key] = 'then';
  const owners = managedFields
    .map((entry) => JSON.stringify(sorted({ ...entry, time: 'then' })))
    // Without a name of its own, a real client is known by its user agent.
    .filter((entry) => !/"manager":"(undici|node|unknown)/.test(entry))
    .sort();
  return { status, body: sorted({ ...body, metadata }), owners };
};

const sorted = (value: unknown): unknown => {
  if (Array.isArray(value)) return value.map(sorted);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value)
    .filter(([key]) => key !== '.')
    .sort(([left], [right]) => (left < right ? -1 : 1));
  return Object.fromEntries(entries.map(([key, item]) => [key, sorted(item)]));
};

const play = async (call: KubeCall) => {
  const answers = new Map<string, KubeObject>();
  const told = [];
  const last = (say: string): KubeObject => answers.get(say) ?? ({} as KubeObject);
  for (const { say, method, path, type, body } of steps) {
    const before = answers.get('label')?.metadata.resourceVersion;
    const request: KubeRequest = { method, path, deadlineMs: 5000, contentType: type ?? 'application/json' };
    if (body !== undefined) request.body = typeof body === 'function' ? body(last) : body;
    const response = await call(request);
    const object = response.body as KubeObject;
    answers.set(say, object);
    const isNoOp = say === 'no-op' ? { isSame: object.metadata.resourceVersion === before } : {};
    told.push({ say, ...comparable(response.status, object), ...isNoOp });
  }
  return told;
};

t.test('against a real API server', { skip }, async (t) => {
  const real: ControlPlane = await startControlPlane({});
  t.teardown(() => real.stop());
  const admin = real.client();
  const realCall: KubeCall = ({ method, path, body, contentType }) =>
    admin.send(method, path, body, contentType);
  await admin.create(definition);
  await admin.create({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'team-a' } });
  await admin.waitForObject(
    `/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de`,
    'CRD',
    (crd) => JSON.stringify(crd.status).includes('"Established"'),
  );
  while ((await admin.send('GET', rdss)).status !== 200)
    await new Promise((resolve) => setTimeout(resolve, 50));

  await t.test('every answer is the same', async (t) => {
    const memory = createApiServer({ clock: backgroundClock, uid: seededUids(1), namespaces: ['team-a'] });
    const [wanted, got] = [await play(realCall), await play(memory.call)];
    for (const [index, answer] of wanted.entries()) t.strictSame(got[index], answer, answer.say);
  });

  await t.test('the loop runs on it', async (t) => {
    const dispatcher = new Agent({ connect: { ca: real.ca } });
    t.teardown(() => dispatcher.destroy());
    const calls: string[] = [];
    const loop = createMetacontroller({
      controller: controllerManifest(),
      kube: realCall,
      watch: createClusterWatch({
        baseUrl: real.url,
        headers: { authorization: `Bearer ${real.adminToken}` },
        dispatcher,
        clock: backgroundClock,
      }),
      callHook: async (path, body) => {
        calls.push(path);
        if (path === '/customize')
          return ok({ relatedResources: [{ apiVersion: 'v1', resource: 'namespaces', names: ['team-a'] }] });
        return ok({
          status: { phase: 'Ready' },
          children: [secret(`${(body as { parent: KubeObject }).parent.metadata.name}-s`)],
          finalized: path === '/finalize',
        });
      },
      clock: backgroundClock,
    });
    t.teardown(() => loop.stop());
    await loop.start();
    await admin.create(rds({ name: 'loop', namespace: 'team-a' }));
    await admin.waitForObject(rdsPath('loop'), 'status', (one) => one.status !== undefined);
    const child = await admin.get(`${secrets}/loop-s`);
    t.match(child.metadata, { ownerReferences: [{ name: 'loop', controller: true }] });
    await admin.delete(rdsPath('loop'));
    await admin.waitForGone(rdsPath('loop'));
    t.ok(calls.includes('/finalize'));
  });
});
