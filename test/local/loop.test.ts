import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { controllerManifest, createWorld, type HookBody, ok, rdsPath, refusal, secret } from './toy.ts';

const mergeType = 'application/merge-patch+json';
const secrets = '/api/v1/namespaces/team-a/secrets';
const finalizer = 'metacontroller.io/compositecontroller-rds';

t.test('a new parent gets finalizer, children and status, in this order', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: { phase: 'Ready' }, children: [secret('shop-root')] }),
  });
  const writes: string[] = [];
  world.server.watch(({ type, object }) => {
    writes.push(`${type} ${object.kind}${object.status ? ' with status' : ''}`);
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  t.strictSame(writes, ['ADDED Rds', 'MODIFIED Rds', 'ADDED Secret', 'MODIFIED Rds with status']);
  const rds = await world.rds();
  t.strictSame(rds.metadata.finalizers, [finalizer]);
  t.strictSame(rds.status, { phase: 'Ready', observedGeneration: 1 });
  const child = await world.kube('GET', `${secrets}/shop-root`);
  t.match(child.metadata, {
    labels: { 'controller-uid': rds.metadata.uid },
    ownerReferences: [{ kind: 'Rds', name: 'shop', controller: true, blockOwnerDeletion: true }],
    managedFields: [{ manager: 'metacontroller', operation: 'Apply' }],
  });
  t.strictSame(world.callsOf('/sync')[0]?.body.parent.metadata.finalizers, [finalizer]);
});

t.test('a settled parent writes nothing more, and its own status write woke it once', async (t) => {
  const world = await createWorld({ sync: () => ({ status: { phase: 'Ready' } }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(600_000);
  t.equal(world.callsOf('/sync').length, 2);
});

t.test('ignoreStatusChanges leaves only the first call', async (t) => {
  const parentResource = {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    resource: 'rdss',
    ignoreStatusChanges: true,
  };
  let version = 0;
  const world = await createWorld(
    {
      sync: () => {
        version += 1;
        return { status: { version } };
      },
    },
    { controller: controllerManifest({ parentResource }) },
  );
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(10_000);
  t.ok(version <= 2, `${version} calls, the second for the finalizer`);
  const calls = version;
  await world.kube('PATCH', rdsPath(), { metadata: { annotations: { a: 'b' } } }, mergeType);
  await world.clock.advance(10_000);
  t.equal(version, calls + 1);
});

t.test('bodies have the keys of hook v2, and every declared kind even when empty', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: {}, children: [secret('shop-conn')] }),
    customize: () => ({
      relatedResources: [
        { apiVersion: 'v1', resource: 'secrets', namespace: 'team-a', names: ['pw'] },
        { apiVersion: 'v1', resource: 'namespaces', names: ['team-a'] },
      ],
    }),
  });
  await world.kube('POST', secrets, secret('pw'));
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  const [first, settled] = [world.callsOf('/sync')[0]?.body, world.callsOf('/sync').at(-1)?.body];
  t.strictSame(Object.keys(world.callsOf('/customize')[0]?.body ?? {}), ['controller', 'parent']);
  t.strictSame(Object.keys(first ?? {}), ['controller', 'parent', 'children', 'related', 'finalizing']);
  t.strictSame(first?.children, {
    'EndpointSlice.discovery.k8s.io/v1': {},
    'Job.batch/v1': {},
    'Secret.v1': {},
    'Service.v1': {},
  });
  t.strictSame(Object.keys(settled?.children['Secret.v1'] ?? {}), ['team-a/shop-conn']);
  t.strictSame(Object.keys(settled?.related ?? {}), ['Namespace.v1', 'Secret.v1']);
  t.strictSame(Object.keys(settled?.related['Secret.v1'] ?? {}), ['team-a/pw']);
  t.strictSame(Object.keys(settled?.related['Namespace.v1'] ?? {}), ['team-a']);
  t.equal(settled?.finalizing, false);
});

const recordings = process.env.HOOK_RECORDINGS;
const skip = recordings
  ? false
  : 'HOOK_RECORDINGS names no folder with hook requests of a real Metacontroller';

t.test('bodies look like the recorded ones of a real Metacontroller', { skip }, async (t) => {
  const read = (name: string) =>
    (JSON.parse(readFileSync(join(recordings ?? '', name), 'utf8')) as { body: HookBody }).body;
  const recorded = read('sync-settled.json');
  const world = await createWorld(
    {
      sync: () => ({
        status: { phase: 'Ready' },
        children: [
          secret('shop-conn', { host: 'MTAuMC4wLjE=' }),
          {
            apiVersion: 'discovery.k8s.io/v1',
            kind: 'EndpointSlice',
            metadata: { name: 'shop', labels: { 'kubernetes.io/service-name': 'shop' } },
            addressType: 'IPv4',
            endpoints: [{ addresses: ['192.168.0.5'], conditions: {} }],
            ports: [{ name: 'db', port: 3306, protocol: 'TCP' }],
          },
        ],
      }),
      customize: () => ({
        relatedResources: [{ apiVersion: 'v1', resource: 'namespaces', names: ['team-a'] }],
      }),
    },
    { controller: recorded.controller },
  );
  await world.loop.start();
  await world.createRds('shop', recorded.parent.spec);
  await world.clock.advance(1000);
  const seen = world.callsOf('/sync').at(-1)?.body;
  t.strictSame(seen?.controller, recorded.controller);
  t.strictSame(keysOf(seen), keysOf(recorded));
  t.strictSame(
    seen?.parent.metadata.managedFields?.slice(1).map(ownership),
    recorded.parent.metadata.managedFields?.slice(1).map(ownership),
  );
  t.strictSame(Object.keys(seen?.children ?? {}), Object.keys(recorded.children));
  for (const [kind, key] of [
    ['Secret.v1', 'team-a/shop-conn'],
    ['EndpointSlice.discovery.k8s.io/v1', 'team-a/shop'],
  ] as const) {
    t.strictSame(shape(seen?.children[kind]?.[key]), shape(recorded.children[kind]?.[key]), kind);
  }
  const home = (body: HookBody | undefined) => body?.related['Namespace.v1']?.['team-a'];
  t.strictSame(keysOf(home(seen)), keysOf(home(recorded)));
  t.strictSame(keysOf(home(seen)?.metadata), keysOf(home(recorded)?.metadata));
  await world.kube('DELETE', rdsPath());
  await world.clock.advance(1000);
  const leaving = world.callsOf('/finalize')[0]?.body.parent.metadata;
  const { annotations: _annotations, ...left } = read('finalize-first.json').parent.metadata;
  t.strictSame(keysOf(leaving), keysOf(left));
  t.equal(leaving?.generation, 2);
});

const keysOf = (value: unknown): string[] => Object.keys(value ?? {}).sort();
const ownership = (entry: { manager?: string; operation?: string; fieldsV1?: unknown }) => ({
  ...entry,
  time: 'then',
});
/** Keys of the object and its metadata, and what its managers own, without UIDs. */
const shape = (object: KubeObject | undefined) => ({
  keys: keysOf(object),
  metadata: keysOf(object?.metadata),
  owned: JSON.stringify(object?.metadata.managedFields?.map((entry) => sorted(entry.fieldsV1))).replace(
    /[0-9a-f]{8}-[0-9a-f-]{27}/g,
    'UID',
  ),
});
const sorted = (value: unknown): unknown =>
  typeof value === 'object' && value !== null
    ? Object.fromEntries(keysOf(value).map((key) => [key, sorted((value as Record<string, unknown>)[key])]))
    : value;

t.test('observedGeneration is forced, whatever the hook says', async (t) => {
  const world = await createWorld({ sync: () => ({ status: { observedGeneration: 99 } }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  t.strictSame((await world.rds()).status, { observedGeneration: 1 });
});

t.test('the customize answer is kept per generation for twenty minutes', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {}, resyncAfterSeconds: 60 }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(19 * 60_000);
  t.equal(world.callsOf('/customize').length, 1);
  await world.kube('PATCH', rdsPath(), { metadata: { labels: { a: 'b' } } }, mergeType);
  await world.clock.advance(10_000);
  t.equal(world.callsOf('/customize').length, 1, 'a label is no new generation');
  await world.clock.advance(2 * 60_000);
  t.equal(world.callsOf('/customize').length, 2, 'too old');
  await world.kube('DELETE', rdsPath());
  await world.clock.advance(1000);
  t.equal(world.callsOf('/customize').length, 3, 'a deletion is a new generation');
});

t.test('a change of a related object wakes the parent that named it', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: {} }),
    customize: ({ parent }) => ({
      relatedResources: [
        { apiVersion: 'v1', resource: 'secrets', namespace: 'team-a', names: [`${parent.metadata.name}-pw`] },
      ],
    }),
  });
  await world.loop.start();
  await world.createRds('one');
  await world.createRds('two');
  await world.clock.advance(1000);
  const before = world.callsOf('/sync').length;
  await world.kube('POST', secrets, secret('one-pw'));
  await world.clock.advance(1000);
  const woken = world.callsOf('/sync').slice(before);
  t.strictSame(
    woken.map((call) => [call.body.parent.metadata.name, Object.keys(call.body.related['Secret.v1'] ?? {})]),
    [['one', ['team-a/one-pw']]],
  );
});

t.test('related objects can be chosen by label and by namespace label', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: {} }),
    customize: () => ({
      relatedResources: [
        { apiVersion: 'v1', resource: 'configmaps', labelSelector: { matchLabels: { a: 'b' } } },
        {
          apiVersion: 'v1',
          resource: 'secrets',
          namespaceSelector: {
            matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['default'] }],
          },
        },
      ],
    }),
  });
  await world.kube('POST', '/api/v1/namespaces/default/configmaps', {
    metadata: { name: 'x', labels: { a: 'b' } },
  });
  await world.kube('POST', '/api/v1/namespaces/default/configmaps', { metadata: { name: 'y' } });
  await world.kube('POST', '/api/v1/namespaces/default/secrets', secret('far'));
  await world.kube('POST', secrets, secret('near'));
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  const related = world.callsOf('/sync').at(-1)?.body.related;
  t.strictSame(Object.keys(related?.['ConfigMap.v1'] ?? {}), ['default/x']);
  t.strictSame(Object.keys(related?.['Secret.v1'] ?? {}), ['default/far']);
});

t.test('the earlier of two resync delays wins, and speed divides it', async (t) => {
  const delays = [100, 10];
  const world = await createWorld(
    { sync: () => ({ status: {}, resyncAfterSeconds: delays.shift() ?? 1000 }) },
    { speed: 10 },
  );
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(30_000);
  const at = world.callsOf('/sync').map((call) => call.at);
  t.equal(at.length, 3);
  t.ok((at[2] ?? 0) >= 1000 && (at[2] ?? 0) < 1100, `third call at ${at[2]} ms`);
});

t.test('resyncPeriodSeconds calls for all parents on the same tick', async (t) => {
  const world = await createWorld(
    { sync: () => ({ status: {} }) },
    { controller: controllerManifest({ resyncPeriodSeconds: 30 }) },
  );
  await world.loop.start();
  await world.createRds('one');
  await world.createRds('two');
  await world.clock.advance(29_000);
  const before = world.callsOf('/sync').length;
  await world.clock.advance(2_000);
  const ticked = world.callsOf('/sync').slice(before);
  t.strictSame(ticked.map((call) => call.body.parent.metadata.name).sort(), ['one', 'two']);
});

t.test('children: OnDelete kinds are never changed, InPlace kinds are', async (t) => {
  let round = 0;
  const job = () => ({
    apiVersion: 'batch/v1',
    kind: 'Job',
    metadata: { name: 'logs' },
    spec: { parallelism: round },
  });
  const world = await createWorld({
    sync: () => {
      round += 1;
      return { status: {}, children: [job(), secret('s', { round: btoa(String(round)) })] };
    },
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.runUntil(() => round >= 3, 1000);
  world.loop.stop();
  t.match(await world.kube('GET', '/apis/batch/v1/namespaces/team-a/jobs/logs'), {
    spec: { parallelism: 1 },
  });
  t.notMatch(await world.kube('GET', `${secrets}/s`), { data: { round: btoa('1') } });
});

t.test('an unchanged child is not applied again, drift without a generation is repaired', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {}, children: [secret('s')] }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  const before = (await world.kube('GET', `${secrets}/s`)).metadata.resourceVersion;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(1000);
  t.equal((await world.kube('GET', `${secrets}/s`)).metadata.resourceVersion, before);
  await world.kube('PATCH', `${secrets}/s`, { data: { a: 'Yg==' } }, mergeType);
  await world.clock.advance(1000);
  t.match(await world.kube('GET', `${secrets}/s`), { data: { a: 'YQ==' } });
});

t.test('orphans with our label are adopted, owned ones that lose it are released', async (t) => {
  const world = await createWorld({
    sync: ({ children }) => ({
      status: {},
      children: Object.values(children['Secret.v1'] ?? {}).map((one) => secret(one.metadata.name)),
    }),
  });
  await world.loop.start();
  const { uid = '' } = (await world.createRds()).metadata;
  await world.kube('POST', secrets, {
    ...secret('lost'),
    metadata: { name: 'lost', labels: { 'controller-uid': uid } },
  });
  await world.clock.advance(1000);
  t.match((await world.kube('GET', `${secrets}/lost`)).metadata.ownerReferences, [{ uid, controller: true }]);
  await world.kube('PATCH', `${secrets}/lost`, { metadata: { labels: null } }, mergeType);
  await world.clock.advance(1000);
  t.equal((await world.kube('GET', `${secrets}/lost`)).metadata.ownerReferences, undefined);
});

t.test('one failing child stops neither the others nor the status', async (t) => {
  const world = await createWorld(
    { sync: () => ({ status: { phase: 'Ready' }, children: [secret('bad'), secret('good')] }) },
    {},
    {
      admission: {
        Secret: (next) =>
          next.metadata.name === 'bad' ? { reject: { status: 403, message: 'no' } } : { object: next },
      },
    },
  );
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(3);
  t.match(await world.kube('GET', `${secrets}/good`), { kind: 'Secret' });
  t.match((await world.rds()).status, { phase: 'Ready' });
  t.match(world.events[0], { type: 'failed', message: /can't apply Secret team-a\/bad: no/ });
});

t.test('one key is never worked on twice at once, and workers bound the rest', async (t) => {
  let running = 0;
  let most = 0;
  const busy = new Set<string>();
  const world = await createWorld(
    {
      sync: async ({ parent }) => {
        t.notOk(busy.has(parent.metadata.name));
        busy.add(parent.metadata.name);
        running += 1;
        most = Math.max(most, running);
        await world.clock.sleep(1000);
        running -= 1;
        busy.delete(parent.metadata.name);
        return { status: {} };
      },
    },
    { workers: 2 },
  );
  await world.loop.start();
  for (const name of ['a', 'b', 'c', 'd']) await world.createRds(name);
  await world.clock.advance(500);
  world.loop.enqueue({ namespace: 'team-a', name: 'a' });
  await world.clock.advance(20_000);
  t.equal(most, 2);
  t.ok(world.loop.isIdle());
});

t.test('a parent outside the label selector is left alone', async (t) => {
  const parentResource = {
    apiVersion: 'otc.mcsps.de/v1alpha1',
    resource: 'rdss',
    labelSelector: { matchLabels: { managed: 'yes' } },
  };
  const world = await createWorld({}, { controller: controllerManifest({ parentResource }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  t.equal(world.calls.length, 0);
});

t.test('stop ends everything: a late answer is not written', async (t) => {
  const world = await createWorld({
    sync: async () => {
      await world.clock.sleep(1000);
      return { status: { phase: 'Late' }, children: [secret('late')] };
    },
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(500);
  world.loop.stop();
  await world.clock.advance(60_000);
  t.equal((await world.rds()).status, undefined);
  t.match(await world.kube('GET', `${secrets}/late`), { code: 404 });
  t.equal(world.callsOf('/sync').length, 1);
});

t.test('the same run twice gives the same history', async (t) => {
  const run = async () => {
    const history: unknown[] = [];
    let calls = 0;
    const world = await createWorld({
      sync: async ({ parent }) => {
        calls += 1;
        await world.clock.sleep((calls * 37) % 11);
        if (calls % 4 === 0) return refusal(500);
        if (calls % 5 === 0) return refusal(429, { 'retry-after': '1' });
        return {
          status: { calls: Math.min(calls, 30) },
          children: [secret(`${parent.metadata.name}-${calls % 3}`)],
          resyncAfterSeconds: 3,
        };
      },
      finalize: () => ({ finalized: true }),
    });
    world.server.watch(({ type, object }) => history.push([world.clock.now(), type, object]));
    await world.loop.start();
    for (const name of ['a', 'b', 'c']) await world.createRds(name);
    await world.clock.advance(5_000);
    await world.kube('DELETE', rdsPath('b'));
    await world.clock.advance(20_000);
    world.loop.stop();
    return JSON.stringify([history, world.calls, world.events]);
  };
  const [first, second] = [await run(), await run()];
  t.ok(first.length > 10_000);
  t.equal(first, second);
});

t.test('unknown fields, wrong types and broken JSON fail the hook', async (t) => {
  const cases = [
    { given: ok({ status: {}, statuss: 1 }), want: /unknown field "statuss"/ },
    { given: ok({ status: 'Ready' }), want: /field "status" has the wrong type/ },
    { given: ok({ children: {} }), want: /field "children" has the wrong type/ },
    { given: ok({ children: [{ metadata: { name: 'x' } }] }), want: /Object 'Kind' is missing/ },
    { given: { status: 200, headers: {}, body: '{' }, want: /can't unmarshal/ },
    { given: { status: 200, headers: {}, body: '[]' }, want: /not an object/ },
  ];
  for (const { given, want } of cases) {
    const world = await createWorld({ sync: () => given });
    await world.loop.start();
    await world.createRds();
    await world.clock.advance(1);
    t.match(world.events[0], { type: 'failed', message: want }, String(want));
    t.equal((await world.rds()).status, undefined);
    world.loop.stop();
  }
});

t.test('a controller that the loop cannot model is refused at once', async (t) => {
  const make = (spec: Record<string, unknown>) => createWorld({}, { controller: controllerManifest(spec) });
  const child = { apiVersion: 'v1', resource: 'pods', updateStrategy: { method: 'RollingRecreate' } };
  await t.rejects(make({ childResources: [child] }), /RollingRecreate is not modelled/);
  await t.rejects(make({ childResources: [{ apiVersion: 'v1', resource: 'widgets' }] }), /unknown resource/);
  await t.rejects(make({ hooks: { sync: { webhook: { url: 'http://x/sync' } } } }), /not version v2/);
});

t.test('a customize answer that contradicts itself fails the sync', async (t) => {
  const base = { apiVersion: 'v1', resource: 'secrets' };
  const cases: [unknown, RegExp][] = [
    [{ ...base, names: ['a'], labelSelector: {} }, /both names and labelSelector/],
    [{ ...base, namespace: 'a', namespaceSelector: {} }, /both namespace and namespaceSelector/],
    [{ ...base, resource: 'namespaces', namespaceSelector: {} }, /only supported for namespaced/],
    [{ ...base, resource: 'widgets' }, /unknown related resource v1\/widgets/],
  ];
  for (const [rule, message] of cases) {
    const world = await createWorld({ customize: () => ({ relatedResources: [rule] }) });
    await world.loop.start();
    await world.createRds();
    await world.clock.advance(5);
    t.match(world.events[0], { type: 'failed', message });
    t.equal(world.callsOf('/sync').length, 0);
    world.loop.stop();
  }
});

t.test('without generateSelector the selector of the parent counts', async (t) => {
  const controller = controllerManifest({ generateSelector: false });
  const selector = {
    matchLabels: { app: 'x' },
    matchExpressions: [{ key: 'old', operator: 'DoesNotExist' }],
  };
  const labelled = { ...secret('s'), metadata: { name: 's', labels: { app: 'x' } } };
  const world = await createWorld({ sync: () => ({ status: {}, children: [labelled] }) }, { controller });
  await world.loop.start();
  await world.createRds('none', {});
  await world.createRds('shop', { selector });
  await world.clock.advance(5);
  t.match(
    world.events.find((event) => event.key === 'team-a/none'),
    { message: /spec.selector must have/ },
  );
  t.match((await world.kube('GET', `${secrets}/s`)).metadata.labels, { app: 'x' });
  t.equal((await world.kube('GET', `${secrets}/s`)).metadata.labels?.['controller-uid'], undefined);
});

t.test('a kind that is no declared child is created, never observed and never deleted', async (t) => {
  let isWanted = true;
  const map = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'm' } };
  const world = await createWorld({ sync: () => ({ status: {}, children: isWanted ? [map] : [] }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  isWanted = false;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(100);
  t.match(await world.kube('GET', '/api/v1/namespaces/team-a/configmaps/m'), { kind: 'ConfigMap' });
  t.notOk(Object.keys(world.callsOf('/sync').at(-1)?.body.children ?? {}).includes('ConfigMap.v1'));
});

t.test('a kind that nobody serves is an error that spares the others', async (t) => {
  const widget = { apiVersion: 'v9', kind: 'Widget', metadata: { name: 'w' } };
  const world = await createWorld({ sync: () => ({ status: {}, children: [widget, secret('s')] }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(3);
  t.match(world.events[0], { type: 'failed', message: /unknown kind Widget/ });
  t.match(await world.kube('GET', `${secrets}/s`), { kind: 'Secret' });
});

t.test('a child that is being deleted is left alone and still shown', async (t) => {
  let isWanted = true;
  const held = { ...secret('s'), metadata: { name: 's', finalizers: ['keep/it'] } };
  const world = await createWorld({ sync: () => ({ status: {}, children: isWanted ? [held] : [] }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  isWanted = false;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(100);
  const marked = await world.kube('GET', `${secrets}/s`);
  t.ok(marked.metadata.deletionTimestamp);
  isWanted = true;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(100);
  t.equal(
    (await world.kube('GET', `${secrets}/s`)).metadata.resourceVersion,
    marked.metadata.resourceVersion,
  );
  t.ok(world.callsOf('/sync').at(-1)?.body.children['Secret.v1']?.['team-a/s']);
});
