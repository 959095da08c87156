import t from 'tap';
import type { KubeObject, KubeRequest } from '../../src/kube/api.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import type { Admission } from '../../src/local/writes.ts';
import { rdsPath, secret, startMs } from './toy.ts';

type Status = {
  kind: string;
  reason: string;
  code: number;
  message: string;
  details: { causes?: unknown[] };
};

const mergeType = 'application/merge-patch+json';
const applyType = 'application/apply-patch+yaml';
const rdss = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';
const secrets = '/api/v1/namespaces/team-a/secrets';
const leases = '/apis/coordination.k8s.io/v1/namespaces/team-a/leases';

const setUp = (admission: Record<string, Admission> = {}) => {
  const clock = createVirtualClock(startMs);
  const server = createApiServer({
    clock,
    uid: seededUids(7),
    namespaces: ['default', 'team-a'],
    admission,
  });
  const send = async (method: KubeRequest['method'], path: string, body?: unknown, contentType?: string) => {
    const request: KubeRequest = { method, path, body, deadlineMs: 1000 };
    if (contentType) request.contentType = contentType;
    const response = await server.call(request);
    return { status: response.status, body: response.body as KubeObject & Status };
  };
  return { clock, server, send };
};

const rds = (
  name: string,
  more: Partial<KubeObject['metadata']> = {},
  spec: unknown = { volumesize: 40 },
) => ({
  apiVersion: 'otc.mcsps.de/v1alpha1',
  kind: 'Rds',
  metadata: { name, ...more },
  spec,
});

t.test('a created object gets uid, version, generation and time, and its status is dropped', async (t) => {
  const { send } = setUp();
  const created = await send('POST', rdss, { ...rds('shop'), status: { phase: 'Ready' } });
  t.equal(created.status, 201);
  t.match(created.body.metadata, {
    uid: /^[0-9a-f]{8}-[0-9a-f]{4}-4/,
    resourceVersion: /^\d+$/,
    generation: 1,
    creationTimestamp: '2026-11-16T02:40:00Z',
    namespace: 'team-a',
  });
  t.equal(created.body.status, undefined);
  const again = await send('POST', rdss, rds('shop'));
  t.match(again, { status: 409, body: { kind: 'Status', reason: 'AlreadyExists', code: 409 } });
});

t.test('what is not there is a 404, what has no such path too', async (t) => {
  const { send } = setUp();
  t.match(await send('GET', rdsPath('nobody')), {
    status: 404,
    body: { reason: 'NotFound', message: 'rdss.otc.mcsps.de "nobody" not found' },
  });
  t.equal((await send('GET', '/apis/example.org/v1/things')).status, 404);
  t.equal((await send('POST', '/api/v1/namespaces/nowhere/secrets', secret('x'))).status, 404);
});

t.test('a swap with an old resourceVersion is a conflict', async (t) => {
  const { send } = setUp();
  const lease = {
    apiVersion: 'coordination.k8s.io/v1',
    kind: 'Lease',
    metadata: { name: 'rds-1' },
    spec: { holderIdentity: 'a' },
  };
  const first = (await send('POST', leases, lease)).body;
  const won = await send('PUT', `${leases}/rds-1`, { ...first, spec: { holderIdentity: 'b' } });
  t.equal(won.status, 200);
  t.equal(won.body.metadata.generation, undefined, 'a Lease has no generation');
  const lost = await send('PUT', `${leases}/rds-1`, { ...first, spec: { holderIdentity: 'c' } });
  t.match(lost, { status: 409, body: { reason: 'Conflict', message: /the object has been modified/ } });
  const blind = await send('PUT', `${leases}/rds-1`, lease);
  t.match(blind, { status: 422, body: { message: /resourceVersion: Invalid value/ } });
});

t.test('generation counts the spec and the deletion, nothing else', async (t) => {
  const { send } = setUp();
  await send('POST', rdss, rds('shop', { finalizers: ['x/y'] }));
  const labelled = await send('PATCH', rdsPath(), { metadata: { labels: { a: 'b' } } }, mergeType);
  t.equal(labelled.body.metadata.generation, 1);
  const changed = await send('PATCH', rdsPath(), { spec: { volumesize: 50 } }, mergeType);
  t.equal(changed.body.metadata.generation, 2);
  const same = await send('PATCH', rdsPath(), { spec: { volumesize: 50 } }, mergeType);
  t.equal(same.body.metadata.resourceVersion, changed.body.metadata.resourceVersion, 'no-op writes nothing');
  const deleted = await send('DELETE', rdsPath());
  t.match(deleted.body.metadata, { generation: 3, deletionGracePeriodSeconds: 0 });
});

t.test('status is written only through its own path, and nothing else is', async (t) => {
  const { send } = setUp();
  const created = (await send('POST', rdss, rds('shop'))).body;
  const status = await send('PUT', `${rdsPath()}/status`, {
    ...created,
    metadata: { ...created.metadata, labels: { not: 'this' } },
    spec: { volumesize: 1 },
    status: { phase: 'Ready' },
  });
  t.match(status.body, { spec: { volumesize: 40 }, status: { phase: 'Ready' } });
  t.equal(status.body.metadata.labels, undefined);
  t.equal(status.body.metadata.generation, 1);
  const main = await send('PUT', rdsPath(), { ...status.body, status: { phase: 'Lost' } });
  t.strictSame(main.body.status, { phase: 'Ready' });
  const patched = await send('PATCH', `${rdsPath()}/status`, { status: { reboot: true } }, mergeType);
  t.strictSame(patched.body.status, { phase: 'Ready', reboot: true });
});

t.test('a finalizer keeps the object, the last one to go takes it along', async (t) => {
  const { send, server } = setUp();
  const seen: string[] = [];
  server.watch((event: WatchEvent) => seen.push(event.type));
  await send('POST', rdss, rds('shop', { finalizers: ['x/y'] }));
  const marked = (await send('DELETE', rdsPath())).body;
  t.ok(marked.metadata.deletionTimestamp);
  const again = (await send('DELETE', rdsPath())).body;
  t.equal(again.metadata.resourceVersion, marked.metadata.resourceVersion);
  const more = await send('PATCH', rdsPath(), { metadata: { finalizers: ['x/y', 'z/z'] } }, mergeType);
  t.match(more, { status: 422, body: { message: /no new finalizers can be added/ } });
  const last = await send('PATCH', rdsPath(), { metadata: { finalizers: null } }, mergeType);
  t.equal(last.status, 200);
  t.equal((await send('GET', rdsPath())).status, 404);
  t.strictSame(seen, ['ADDED', 'MODIFIED', 'DELETED']);
  await send('POST', rdss, rds('plain'));
  t.match((await send('DELETE', rdsPath('plain'))).body, { kind: 'Status', status: 'Success' });
});

t.test('a delete for another uid is refused', async (t) => {
  const { send } = setUp();
  await send('POST', secrets, secret('x'));
  const refused = await send('DELETE', `${secrets}/x`, { preconditions: { uid: 'someone-else' } });
  t.match(refused, { status: 409, body: { message: /UID in precondition/ } });
});

t.test('children go with their owner, also those made after it went', async (t) => {
  const { send } = setUp();
  const owner = (await send('POST', rdss, rds('shop'))).body;
  const ownerReferences = [
    { apiVersion: owner.apiVersion, kind: 'Rds', name: 'shop', uid: owner.metadata.uid, controller: true },
  ];
  const child = (name: string) => ({ ...secret(name), metadata: { name, ownerReferences } });
  await send('POST', secrets, child('early'));
  await send('POST', secrets, secret('foreign'));
  await send('DELETE', rdsPath());
  t.equal((await send('GET', `${secrets}/early`)).status, 404);
  await send('POST', secrets, child('late'));
  t.equal((await send('GET', `${secrets}/late`)).status, 404);
  t.equal((await send('GET', `${secrets}/foreign`)).status, 200);
});

t.test('foreground deletion waits for the children, orphan deletion lets them go', async (t) => {
  const { send } = setUp();
  const make = async (name: string, finalizers?: string[]) => {
    const owner = (await send('POST', rdss, rds(name))).body;
    const { apiVersion, kind, metadata } = owner;
    const ownerReferences = [{ apiVersion, kind, name, uid: metadata.uid }];
    await send('POST', secrets, { ...secret(name), metadata: { name, ownerReferences, finalizers } });
  };
  await make('front', ['keep/me']);
  const marked = await send('DELETE', rdsPath('front'), { propagationPolicy: 'Foreground' });
  t.strictSame(marked.body.metadata.finalizers, ['foregroundDeletion']);
  t.ok((await send('GET', `${secrets}/front`)).body.metadata.deletionTimestamp);
  await send('PATCH', `${secrets}/front`, { metadata: { finalizers: null } }, mergeType);
  t.equal((await send('GET', rdsPath('front'))).status, 404);
  await make('left');
  await send('DELETE', rdsPath('left'), { propagationPolicy: 'Orphan' });
  t.equal((await send('GET', rdsPath('left'))).status, 404);
  t.equal((await send('GET', `${secrets}/left`)).status, 200);
});

t.test('collection can lag behind, as in a real cluster', async (t) => {
  const clock = createVirtualClock(startMs);
  const server = createApiServer({ clock, uid: seededUids(1), namespaces: ['team-a'], collectAfterMs: 500 });
  const send = (method: KubeRequest['method'], path: string, body?: unknown) =>
    server.call({ method, path, body, deadlineMs: 1 });
  const owner = (await send('POST', rdss, rds('shop'))).body as KubeObject;
  const { apiVersion, kind } = owner;
  const ownerReferences = [{ apiVersion, kind, name: 'shop', uid: owner.metadata.uid }];
  await send('POST', secrets, { ...secret('x'), metadata: { name: 'x', ownerReferences } });
  await send('DELETE', rdsPath());
  t.equal((await send('GET', `${secrets}/x`)).status, 200);
  await clock.advance(600);
  t.equal((await send('GET', `${secrets}/x`)).status, 404);
});

t.test('a namespace empties itself, waits for finalizers and takes nothing new', async (t) => {
  const { send } = setUp();
  await send('POST', rdss, rds('shop', { finalizers: ['x/y'] }));
  await send('POST', secrets, secret('x'));
  await send('DELETE', '/api/v1/namespaces/team-a');
  const dying = await send('GET', '/api/v1/namespaces/team-a');
  t.match(dying.body, { metadata: { deletionTimestamp: String }, status: { phase: 'Terminating' } });
  t.equal((await send('GET', `${secrets}/x`)).status, 404);
  t.ok((await send('GET', rdsPath())).body.metadata.deletionTimestamp);
  const refused = await send('POST', '/api/v1/namespaces/team-a/events', { metadata: { name: 'e' } });
  t.match(refused, {
    status: 403,
    body: { reason: 'Forbidden', details: { causes: [{ reason: 'NamespaceTerminating' }] } },
  });
  await send('PATCH', rdsPath(), { metadata: { finalizers: null } }, mergeType);
  t.equal((await send('GET', '/api/v1/namespaces/team-a')).status, 404);
});

t.test('a CRD being deleted deletes its objects and waits for them', async (t) => {
  const { send } = setUp();
  const crds = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
  const spec = { group: 'otc.mcsps.de', names: { kind: 'Rds', plural: 'rdss' } };
  await send('POST', crds, { metadata: { name: 'rdss.otc.mcsps.de' }, spec });
  await send('POST', rdss, rds('shop', { finalizers: ['x/y'] }));
  await send('DELETE', `${crds}/rdss.otc.mcsps.de`);
  t.ok((await send('GET', `${crds}/rdss.otc.mcsps.de`)).body.metadata.deletionTimestamp);
  t.ok((await send('GET', rdsPath())).body.metadata.deletionTimestamp);
  await send('PATCH', rdsPath(), { metadata: { finalizers: null } }, mergeType);
  t.equal((await send('GET', `${crds}/rdss.otc.mcsps.de`)).status, 404);
});

t.test('lists are filtered by namespace and label', async (t) => {
  const { send } = setUp();
  const labelled = (name: string, app: string) => ({ ...secret(name), metadata: { name, labels: { app } } });
  await send('POST', secrets, labelled('b', 'x'));
  await send('POST', secrets, labelled('a', 'x'));
  await send('POST', '/api/v1/namespaces/default/secrets', labelled('c', 'y'));
  const names = async (path: string) => {
    const list = (await send('GET', path)).body as unknown as { kind: string; items: KubeObject[] };
    t.equal(list.kind, 'SecretList');
    return list.items.map((one) => one.metadata.name);
  };
  t.strictSame(await names(secrets), ['a', 'b']);
  t.strictSame(await names('/api/v1/secrets'), ['c', 'a', 'b']);
  t.strictSame(await names('/api/v1/secrets?labelSelector=app%3Dy'), ['c']);
  t.strictSame(await names('/api/v1/secrets?labelSelector=app!=y'), ['a', 'b']);
});

t.test('server-side apply creates, merges, and removes what a manager stops sending', async (t) => {
  const { send } = setUp();
  const path = `${secrets}/x`;
  const apply = (manager: string, data: Record<string, string>, force = true) =>
    send('PATCH', `${path}?fieldManager=${manager}&force=${force}`, secret('x', data), applyType);
  t.equal((await apply('one', { a: 'MQ==', b: 'MQ==' })).status, 201);
  const merged = await apply('two', { c: 'Mg==' });
  t.strictSame(merged.body.data, { a: 'MQ==', b: 'MQ==', c: 'Mg==' });
  const fewer = await apply('one', { a: 'MQ==' });
  t.strictSame(fewer.body.data, { a: 'MQ==', c: 'Mg==' }, 'b had one owner, who dropped it');
  const same = await apply('one', { a: 'MQ==' });
  t.equal(same.body.metadata.resourceVersion, fewer.body.metadata.resourceVersion);
  t.match(await apply('two', { a: 'Mg==', c: 'Mg==' }, false), {
    status: 409,
    body: { reason: 'Conflict', details: { causes: [{ reason: 'FieldManagerConflict' }] } },
  });
  const forced = await apply('two', { a: 'Mg==', c: 'Mg==' });
  const fieldsOf = (manager: string) =>
    forced.body.metadata.managedFields?.find((entry) => entry.manager === manager)?.fieldsV1;
  t.strictSame(fieldsOf('two'), { 'f:data': { 'f:a': {}, 'f:c': {} } });
  t.equal(fieldsOf('one'), undefined, 'forced changes take the field away');
  t.match(await send('PATCH', path, secret('x'), applyType), { status: 422 });
});

t.test('keyed lists merge by key, atomic ones are replaced', async (t) => {
  const { send } = setUp();
  const apply = (manager: string, spec: unknown) =>
    send(
      'PATCH',
      `/api/v1/namespaces/team-a/services/db?fieldManager=${manager}&force=true`,
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 'db' }, spec },
      applyType,
    );
  await apply('one', { ports: [{ port: 1, name: 'a' }], externalIPs: ['10.0.0.1'] });
  const both = await apply('two', { ports: [{ port: 2, name: 'b' }], externalIPs: ['10.0.0.2'] });
  t.match(both.body.spec, { ports: [{ port: 1 }, { port: 2 }], externalIPs: ['10.0.0.2'] });
  const left = await apply('one', { type: 'ClusterIP' });
  t.strictSame(left.body.spec, {
    ports: [{ port: 2, name: 'b' }],
    externalIPs: ['10.0.0.2'],
    type: 'ClusterIP',
  });
});

t.test('an update owns what it changed and no more', async (t) => {
  const { send } = setUp();
  const made = await send(
    'POST',
    `${rdss}?fieldManager=kubectl`,
    rds('shop', {}, { volumesize: 40, port: '1' }),
  );
  await send('PUT', `${rdsPath()}?fieldManager=console`, { ...made.body, spec: { volumesize: 50 } });
  const after = (await send('GET', rdsPath())).body.metadata.managedFields;
  t.match(after, [
    { manager: 'kubectl', operation: 'Update', fieldsV1: { 'f:spec': { '.': {} } } },
    { manager: 'console', operation: 'Update', fieldsV1: { 'f:spec': { 'f:volumesize': {} } } },
  ]);
  t.notMatch(JSON.stringify(after), 'f:port');
});

t.test('admission defaults, prunes and refuses, per kind', async (t) => {
  const { send } = setUp({
    Rds: (next, previous) => {
      const spec = next.spec as { volumesize?: number; port?: string };
      const before = (previous?.spec as { volumesize?: number } | undefined)?.volumesize ?? 0;
      const { volumesize = 40, port = '3306' } = spec;
      if (volumesize < before) return { reject: { status: 422, message: 'volumesize cannot shrink' } };
      return { object: { ...next, spec: { volumesize, port } } };
    },
  });
  const path = `${rdsPath()}?fieldManager=kubectl&force=true`;
  const made = await send('PATCH', path, rds('shop', {}, { volumesize: 50, unknown: 1 }), applyType);
  t.strictSame(made.body.spec, { volumesize: 50, port: '3306' });
  t.strictSame(
    made.body.metadata.managedFields?.[0]?.fieldsV1,
    { 'f:spec': { 'f:volumesize': {} } },
    'what was defaulted or pruned is nobody’s wish',
  );
  t.match(await send('PATCH', rdsPath(), { spec: { volumesize: 40 } }, mergeType), {
    status: 422,
    body: { reason: 'Invalid', message: 'volumesize cannot shrink' },
  });
});

t.test('answers are copies: editing one changes nothing', async (t) => {
  const { send } = setUp();
  const made = (await send('POST', secrets, { ...secret('x'), stringData: { b: 'hello' } })).body;
  t.strictSame(made.data, { a: 'YQ==', b: 'aGVsbG8=' });
  made.metadata.labels = { edited: 'yes' };
  t.equal((await send('GET', `${secrets}/x`)).body.metadata.labels, undefined);
});

t.test('a dry run answers without storing', async (t) => {
  const { send } = setUp();
  t.equal((await send('POST', `${secrets}?dryRun=All`, secret('x'))).status, 201);
  t.equal((await send('GET', `${secrets}/x`)).status, 404);
});

t.test('what makes no sense is refused with the right code', async (t) => {
  const { send } = setUp();
  await send('POST', secrets, secret('x'));
  const cases: [Parameters<typeof send>, number][] = [
    [['PATCH', `${secrets}/x`, {}, 'application/json-patch+json'], 415],
    [['POST', `${secrets}/x`, secret('x')], 405],
    [['DELETE', secrets], 405],
    [['POST', secrets, 'text'], 400],
    [['POST', '/api/v1/secrets', secret('y')], 400],
    [['PUT', `${secrets}/x`, secret('other')], 400],
    [['PUT', `${secrets}/x`, { ...secret('x'), metadata: { name: 'x', namespace: 'default' } }], 400],
    [
      [
        'PATCH',
        `${secrets}/x?fieldManager=a`,
        { ...secret('x'), metadata: { managedFields: [] } },
        applyType,
      ],
      400,
    ],
    [['PATCH', `${rdsPath('no')}/status?fieldManager=a`, rds('no'), applyType], 404],
    [['POST', secrets, secret('Not-A-Name')], 422],
    [['PUT', `${secrets}/x`, { ...secret('x'), metadata: { name: 'x', uid: 'other' } }], 409],
  ];
  for (const [request, status] of cases) t.equal((await send(...request)).status, status, request.join(' '));
});

t.test('status can be applied too, by its own managers', async (t) => {
  const { send } = setUp();
  await send('POST', `${rdss}?fieldManager=kubectl`, rds('shop'));
  const path = `${rdsPath()}/status?fieldManager=me&force=true`;
  const applied = await send(
    'PATCH',
    path,
    { ...rds('shop', {}, {}), status: { phase: 'Ready' } },
    applyType,
  );
  t.match(applied.body, {
    spec: { volumesize: 40 },
    status: { phase: 'Ready' },
    metadata: { generation: 1 },
  });
  t.match(applied.body.metadata.managedFields?.[1], {
    manager: 'me',
    subresource: 'status',
    fieldsV1: { 'f:status': { 'f:phase': {} } },
  });
});

t.test('a generated name is made from the prefix', async (t) => {
  const { send } = setUp();
  const made = await send('POST', '/api/v1/namespaces/team-a/events', {
    metadata: { generateName: 'shop-' },
  });
  t.match(made.body.metadata.name, /^shop-[0-9a-f]{5}$/);
});

t.test('an applied empty map takes away what the same manager had in it', async (t) => {
  const { send } = setUp();
  const apply = (annotations: Record<string, string>) =>
    send(
      'PATCH',
      `${secrets}/s?fieldManager=kubectl&force=true`,
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's', namespace: 'team-a', annotations } },
      applyType,
    );
  await apply({ a: '1', b: '2' });
  t.same((await apply({ a: '1' })).body.metadata.annotations, { a: '1' });
  t.same((await apply({})).body.metadata.annotations ?? {}, {});
});
