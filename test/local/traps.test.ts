// The twelve traps of Metacontroller, each shown by the local loop as the real one showed it.

import t from 'tap';
import type { KubeCall, KubeObject } from '../../src/kube/api.ts';
import { createLaggingWatch } from '../../src/local/lagging-watch.ts';
import { controllerManifest, createWorld, rdsPath, refusal, secret, startMs } from './toy.ts';

const mergeType = 'application/merge-patch+json';
const secrets = '/api/v1/namespaces/team-a/secrets';
const rdss = { apiVersion: 'otc.mcsps.de/v1alpha1', resource: 'rdss' };
const finalizer = 'metacontroller.io/compositecontroller-rds';

t.test('1: a stale parent lacks the id that the first call returned', async (t) => {
  let ids = 0;
  const world = await createWorld({
    sync: ({ parent }) => {
      if (parent.status?.id) return { status: parent.status };
      ids += 1;
      return { status: { id: `id-${ids}` }, resyncAfterSeconds: 0.01 };
    },
  });
  const lagging = createLaggingWatch({
    watch: world.server.source,
    clock: world.clock,
    // A cached parent without finalizer would be replaced by a live read: the lag must begin after it.
    delayMs: (_ref, { object }) => (object.status ? 100 : 0),
  });
  const loop = world.restart({ watch: lagging.watch });
  await loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  t.ok(ids > 1, 'the naive hook created more than one');
  t.not((await world.rds()).status.id, 'id-1', 'and a later one overwrote the first');
});

t.test('1: a cache can go backwards', async (t) => {
  const world = await createWorld({ sync: ({ parent }) => ({ status: { seen: parent.spec.volumesize } }) });
  const lagging = createLaggingWatch({ watch: world.server.source, clock: world.clock, delayMs: () => 0 });
  const loop = world.restart({ watch: lagging.watch });
  await loop.start();
  await world.createRds();
  await world.clock.advance(100);
  await world.kube('PATCH', rdsPath(), { spec: { volumesize: 50 } }, mergeType);
  await world.clock.advance(100);
  t.equal((await world.rds()).status.seen, 50);
  t.ok(lagging.goBack(rdss, 'team-a/shop', 2));
  await world.clock.advance(1);
  t.match(
    (await world.rds()).status,
    { seen: 40, observedGeneration: 1 },
    'trap 6 follows: last writer wins',
  );
  t.notOk(lagging.goBack(rdss, 'team-a/nobody'));
});

t.test('2: after a timeout the next call overlaps the one that still runs', async (t) => {
  let running = 0;
  let most = 0;
  const world = await createWorld({
    sync: async () => {
      running += 1;
      most = Math.max(most, running);
      await world.clock.sleep(35_000);
      running -= 1;
      return { status: { phase: 'Ready' } };
    },
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(31_000);
  t.equal(most, 2);
  t.match(world.events[0], { type: 'failed', message: /context deadline exceeded/ });
  await world.clock.advance(5_000);
  t.equal((await world.rds()).status, undefined, 'the late answer of the first call is lost');
});

t.test('3: an empty answer erases status and deletes all children', async (t) => {
  let isBroken = false;
  const world = await createWorld({
    sync: () => (isBroken ? {} : { status: { id: '1' }, children: [secret('s')] }),
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(1000);
  isBroken = true;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(1000);
  t.strictSame((await world.rds()).status, { observedGeneration: 1 });
  t.match(await world.kube('GET', `${secrets}/s`), { code: 404 });
});

t.test('4: the schema eats unknown fields, and a wrong type blocks the write', async (t) => {
  let id: unknown = 'x';
  const world = await createWorld(
    { sync: () => ({ status: { id, secretIngredient: 1 } }) },
    {},
    {
      admission: {
        Rds: (next) => {
          const status = next.status as { id?: unknown; observedGeneration?: number } | undefined;
          if (status && typeof status.id !== 'string') {
            return { reject: { status: 422, message: 'status.id: must be string' } };
          }
          const { id: kept, observedGeneration } = status ?? {};
          return { object: { ...next, ...(status ? { status: { id: kept, observedGeneration } } : {}) } };
        },
      },
    },
  );
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(10);
  t.strictSame((await world.rds()).status, { id: 'x', observedGeneration: 1 });
  id = 7;
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(10);
  t.strictSame((await world.rds()).status, { id: 'x', observedGeneration: 1 });
  t.match(world.events.at(-1), { type: 'failed', message: /can't update status: status.id: must be string/ });
});

t.test('5: a wrong child label loses children and status after the hook has acted', async (t) => {
  const world = await createWorld({
    sync: () => ({
      status: { id: '1' },
      children: [
        secret('good'),
        { ...secret('bad'), metadata: { name: 'bad', labels: { 'controller-uid': 'x' } } },
      ],
    }),
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(3);
  t.equal((await world.rds()).status, undefined);
  t.match(await world.kube('GET', `${secrets}/good`), { code: 404 });
  t.match(world.events[0], { message: /labels on desired child Secret team-a\/bad don't match/ });
});

t.test('5: a conflict that lasts for four tries is swallowed, with the status', async (t) => {
  const world = await createWorld({ sync: () => ({ status: { id: '1' } }) });
  let tries = 0;
  const kube: KubeCall = async (request) => {
    if (request.method === 'PUT' && request.path.includes('/status')) {
      tries += 1;
      return { status: 409, body: { kind: 'Status', reason: 'Conflict', message: 'modified' } };
    }
    return world.server.call(request);
  };
  const loop = world.restart({ kube });
  await loop.start();
  await world.createRds();
  await world.clock.runUntil(() => world.events.length > 0);
  t.equal(tries, 4);
  t.strictSame(world.events[0], { type: 'synced', key: 'team-a/shop' });
  t.equal(world.clock.now() - (world.calls[1]?.at ?? 0) > 300, true, '10 + 50 + 250 ms of retries');
});

t.test('6: the last of two writers wins, without a check', async (t) => {
  const world = await createWorld({ sync: () => ({ status: { from: 'first' } }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  await world.kube('PATCH', `${rdsPath()}/status`, { status: { from: 'somebody', extra: 1 } }, mergeType);
  await world.clock.advance(100);
  t.strictSame((await world.rds()).status, { from: 'first', observedGeneration: 1 });
});

t.test('7: a label edit calls finalize on a living object', async (t) => {
  const parentResource = { ...rdss, labelSelector: { matchLabels: { managed: 'yes' } } };
  const world = await createWorld(
    { sync: () => ({ status: {} }) },
    { controller: controllerManifest({ parentResource }) },
  );
  await world.loop.start();
  await world.createRds();
  await world.kube('PATCH', rdsPath(), { metadata: { labels: { managed: 'yes' } } }, mergeType);
  await world.clock.advance(100);
  t.equal(world.callsOf('/finalize').length, 0);
  await world.kube('PATCH', rdsPath(), { metadata: { labels: { managed: 'no' } } }, mergeType);
  await world.clock.advance(100);
  const [call] = world.callsOf('/finalize');
  t.equal(call?.body.finalizing, true);
  t.equal(call?.body.parent.metadata.deletionTimestamp, undefined);
});

t.test('8: finalized acts at once, from any hook, before children and status', async (t) => {
  const removed: KubeObject[] = [];
  const world = await createWorld({
    sync: () => ({ status: { phase: 'Ready' }, children: [secret('s')] }),
    finalize: () => ({ finalized: true, status: { evidence: 'lost' }, children: [secret('s')] }),
  });
  world.server.watch(({ type, object }) => {
    if (type === 'DELETED' && object.kind === 'Rds') removed.push(object);
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  await world.kube('DELETE', rdsPath());
  await world.clock.advance(100);
  t.equal(removed.length, 1);
  t.match(removed[0]?.status, { phase: 'Ready' });
  t.equal(world.callsOf('/finalize').length, 1);
  t.match(await world.kube('GET', `${secrets}/s`), { code: 404 }, 'the garbage collector took the child');
});

t.test('8: a sync answer with finalized strips the finalizer, and the next sync puts it back', async (t) => {
  let answers = 0;
  const seen: boolean[] = [];
  const world = await createWorld({
    sync: () => {
      answers += 1;
      return { status: {}, finalized: answers === 1 };
    },
  });
  world.server.watch(({ object }) => {
    if (object.kind === 'Rds') seen.push(object.metadata.finalizers?.includes(finalizer) ?? false);
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  t.strictSame(seen.slice(0, 3), [false, true, false]);
  t.equal(seen.at(-1), true);
});

t.test('8: finalize is called again while another finalizer keeps the object', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {} }), finalize: () => ({ finalized: true }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  await world.kube('PATCH', rdsPath(), { metadata: { finalizers: [finalizer, 'other/one'] } }, mergeType);
  await world.kube('DELETE', rdsPath());
  await world.clock.advance(100);
  t.ok(world.callsOf('/finalize').length > 1);
  t.strictSame((await world.rds()).metadata.finalizers, ['other/one'], 'ours is not put back');
});

t.test('9: without a finalize hook the finalizer is stripped, under another name it hangs', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {} }) });
  await world.loop.start();
  await world.createRds('one');
  await world.createRds('two');
  await world.clock.advance(100);
  world.loop.stop();
  const renamed = world.restart({
    controller: { ...controllerManifest(), metadata: { name: 'rds-new' } },
  });
  await renamed.start();
  await world.clock.advance(100);
  await world.kube('DELETE', rdsPath('one'));
  await world.clock.advance(100);
  t.ok((await world.rds('one')).metadata.finalizers?.includes(finalizer));
  renamed.stop();
  const hooks = controllerManifest().spec as { hooks: { sync: unknown } };
  const without = world.restart({ controller: controllerManifest({ hooks: { sync: hooks.hooks.sync } }) });
  await without.start();
  await world.clock.advance(100);
  t.notOk((await world.rds('two')).metadata.finalizers?.includes(finalizer));
});

t.test('10: the child list is total, and a child that vanished is made again', async (t) => {
  let names = ['a', 'b'];
  const world = await createWorld({
    sync: () => ({ status: {}, children: names.map((name) => secret(name)) }),
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  const { uid } = (await world.kube('GET', `${secrets}/a`)).metadata;
  await world.kube('DELETE', `${secrets}/a`);
  await world.clock.advance(100);
  t.not((await world.kube('GET', `${secrets}/a`)).metadata.uid, uid);
  names = ['a'];
  world.loop.enqueue({ namespace: 'team-a', name: 'shop' });
  await world.clock.advance(100);
  t.match(await world.kube('GET', `${secrets}/b`), { code: 404 });
});

t.test('10: apply takes over an ownerless object of the same name', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {}, children: [secret('taken')] }) });
  await world.kube('POST', secrets, secret('taken', { theirs: 'eA==' }));
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  t.match(await world.kube('GET', `${secrets}/taken`), {
    metadata: { ownerReferences: [{ name: 'shop' }] },
    data: { theirs: 'eA==', a: 'YQ==' },
  });
});

t.test('10: a null child kills the whole loop', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {}, children: [null] }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(60_000);
  t.match(world.events, [{ type: 'crashed' }]);
  t.equal(world.callsOf('/sync').length, 1);
});

t.test('11: only 200 counts, the gaps double, and the body reaches an event', async (t) => {
  for (const status of [201, 204, 400, 500, 503]) {
    const world = await createWorld({ sync: () => refusal(status, { 'retry-after': '100' }, 'leaked text') });
    await world.loop.start();
    await world.createRds();
    await world.clock.advance(700);
    const at = world.callsOf('/sync').map((call) => call.at);
    // The second call comes from the finalizer's own write; then 5 ms doubling.
    const gaps = at.slice(2).map((time, index) => time - (at[index + 1] ?? 0));
    t.ok(
      gaps.slice(1).every((gap, index) => gap >= (gaps[index] ?? 0) * 1.5),
      `${status}: ${gaps}`,
    );
    const list = (await world.kube('GET', '/api/v1/namespaces/team-a/events')) as unknown as {
      items: KubeObject[];
    };
    t.match(list.items, [{ type: 'Warning', reason: 'SyncError', message: /leaked text/, count: at.length }]);
    t.equal((await world.rds()).status, undefined);
  }
});

t.test('11: backoff starts anew only after a success, and a new event does not wait for it', async (t) => {
  let isBroken = true;
  const world = await createWorld({ sync: () => (isBroken ? refusal(500) : { status: { fine: true } }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100_000);
  const before = world.callsOf('/sync').length;
  t.ok(before < 20);
  isBroken = false;
  await world.kube('PATCH', rdsPath(), { metadata: { annotations: { poke: '1' } } }, mergeType);
  await world.clock.advance(10);
  t.match((await world.rds()).status, { fine: true });
});

t.test('11: 429 waits as told, without event; without a header it is a hot loop', async (t) => {
  const inTenSeconds = new Date(startMs + 10_000).toUTCString();
  for (const header of ['10', inTenSeconds]) {
    const world = await createWorld({ sync: () => refusal(429, { 'retry-after': header }) });
    await world.loop.start();
    await world.createRds();
    await world.clock.advance(9_000);
    const early = world.callsOf('/sync').length;
    t.ok(early <= 2, 'the first, and one for the finalizer');
    await world.clock.advance(1_100);
    t.ok(world.callsOf('/sync').length > early);
    t.ok(world.events.every((event) => event.type === 'throttled'));
    const list = (await world.kube('GET', '/api/v1/events')) as unknown as { items: KubeObject[] };
    t.equal(list.items.length, 0);
    world.loop.stop();
  }
  const world = await createWorld({ sync: () => refusal(429) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(200);
  t.ok(world.callsOf('/sync').length > 150);
});

t.test('11: a status that changes on every call is a hot loop', async (t) => {
  let count = 0;
  const world = await createWorld({
    sync: () => {
      count += 1;
      return { status: { count } };
    },
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(200);
  t.ok(count > 50, `${count} calls`);
});

t.test('12: a restart calls again with an empty memory', async (t) => {
  const world = await createWorld({ sync: () => ({ status: {}, resyncAfterSeconds: 5 }) });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(4_000);
  world.loop.stop();
  const before = world.calls.length;
  await world.clock.advance(60_000);
  t.equal(world.calls.length, before, 'the pending resync died with the process');
  await world.restart().start();
  await world.clock.advance(100);
  t.strictSame(
    world.calls.slice(before).map((call) => call.path),
    ['/customize', '/sync'],
  );
});

t.test('12: foreground deletion removes children under a running finalize', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: {}, children: [secret('s')] }),
    finalize: () => ({ status: { phase: 'Deleting' }, children: [secret('s')] }),
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  const gone: string[] = [];
  world.server.watch(({ type, object }) => {
    if (type === 'DELETED') gone.push(object.kind);
  });
  await world.kube('DELETE', rdsPath(), { propagationPolicy: 'Foreground' });
  await world.clock.advance(100);
  t.strictSame(gone, ['Secret']);
  t.strictSame(world.callsOf('/finalize')[0]?.body.children['Secret.v1'], {});
  t.ok((await world.rds()).metadata.deletionTimestamp);
});

t.test('12: a namespace on its way out still finalizes its parents', async (t) => {
  const world = await createWorld({
    sync: () => ({ status: {}, children: [secret('s')] }),
    finalize: ({ related }) => {
      const home = related['Namespace.v1']?.['team-a'];
      return { finalized: home?.metadata.deletionTimestamp !== undefined, status: {}, resyncAfterSeconds: 1 };
    },
    customize: ({ parent }) => ({
      relatedResources: parent.metadata.deletionTimestamp
        ? [{ apiVersion: 'v1', resource: 'namespaces', names: ['team-a'] }]
        : [],
    }),
  });
  await world.loop.start();
  await world.createRds();
  await world.clock.advance(100);
  await world.kube('DELETE', '/api/v1/namespaces/team-a');
  await world.clock.advance(5_000);
  t.match(await world.kube('GET', '/api/v1/namespaces/team-a'), { code: 404 });
});
