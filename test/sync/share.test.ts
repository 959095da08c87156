import t from 'tap';
import { type KubeObject, KubeUnreachable } from '../../src/kube/api.ts';
import { condition, MINUTE, SECOND } from '../support/world.ts';
import { COPY, SHARE, shareWorld, USE } from './share-world.ts';

t.test("nothing is copied on one side's word", async (t) => {
  const table = [
    { asks: false, allows: false, copied: false },
    { asks: true, allows: false, copied: false },
    { asks: false, allows: true, copied: false },
    { asks: true, allows: true, copied: true },
  ];
  const world = await shareWorld(t);
  for (const { asks, allows, copied } of table) {
    await world.asks('app-1', asks ? 'team-a/shop' : null);
    await world.allows(allows ? 'app-1' : null);
    t.same(await world.names('app-1'), copied ? [COPY] : [], `asks ${asks}, allows ${allows}`);
  }
  t.same(await world.copy('app-1'), await world.source(), 'the same content');
  t.equal(await world.result('app-1'), `team-a/shop: Secret ${COPY}`);
  t.same(await world.names('app-2'), [], 'nobody else gets it');
  const versions = async () => [
    (await world.object(world.secretPath('app-1', COPY)))?.metadata.resourceVersion,
    (await world.object('/api/v1/namespaces/app-1'))?.metadata.resourceVersion,
  ];
  const before = { calls: world.calls.length, versions: await versions() };
  await world.clock.advance(9 * MINUTE);
  const calls = world.calls.slice(before.calls).filter(({ path }) => path.endsWith('/share/sync'));
  t.ok(calls.length <= 4, 'it rests: at most one round of the safety net');
  t.same(await versions(), before.versions, 'and nothing is written');
});

t.test('either side can take it back, and give it again', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1,app-2');
  t.same(await world.names('app-1'), [COPY]);
  await world.allows('app-2');
  t.same(await world.names('app-1'), [], 'the Rds took it back');
  t.match(await world.result('app-1'), /does not exist or is not shared with this namespace/);
  await world.allows('app-1');
  t.same(await world.names('app-1'), [COPY]);
  await world.asks('app-1', null);
  t.same(await world.names('app-1'), [], 'the namespace took it back');
  t.equal(await world.result('app-1'), undefined);
});

t.test('a changed value reaches the copy; a changed copy is put right', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  await world.apply('shop', { password: 'Second-pass2' }, { [SHARE]: 'app-1' });
  await world.clock.advance(2 * MINUTE);
  t.match(await world.copy('app-1'), { password: 'Second-pass2' });
  const data = { password: Buffer.from('mine').toString('base64') };
  await world.kube('PATCH', world.secretPath('app-1', COPY), { data }, 'application/merge-patch+json');
  await world.clock.advance(5 * SECOND);
  t.match(await world.copy('app-1'), { password: 'Second-pass2' });
});

t.test('a deleted Rds and a deleted namespace leave nothing behind', async (t) => {
  const world = await shareWorld(t);
  await world.apply(
    'shop',
    { password: 'First-pass1', deletionPolicy: 'Delete' },
    { [SHARE]: 'app-1,app-2' },
  );
  await world.asks('app-1', 'team-a/shop');
  await world.asks('app-2', 'team-a/shop');
  t.same([await world.names('app-1'), await world.names('app-2')], [[COPY], [COPY]]);
  await world.kube('DELETE', '/api/v1/namespaces/app-2');
  await world.clock.advance(MINUTE);
  t.equal(await world.object('/api/v1/namespaces/app-2'), undefined, 'nothing keeps the namespace');
  await world.remove('shop');
  t.ok(await world.isGone('shop'));
  await world.clock.advance(MINUTE);
  t.same(await world.names('app-1'), []);
});

t.test('the same name made again is another Rds', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  await world.apply('shop', { password: 'First-pass1', deletionPolicy: 'Delete' }, { [SHARE]: 'app-1' });
  await world.remove('shop');
  await world.isGone('shop');
  await world.apply('shop', { password: 'First-pass1' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(MINUTE);
  t.same(await world.names('app-1'), [], 'its owner did not allow it');
});

t.test('a Secret that only says whose it is is not copied', async (t) => {
  const world = await shareWorld(t);
  const shop = await world.rds('shop');
  const uid = shop?.metadata.uid ?? '';
  const forged = (namespace: string, name: string, ownerReferences: object[]) =>
    world.kube('POST', `/api/v1/namespaces/${namespace}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: {
        name,
        namespace,
        labels: { 'otc.mcsps.de/shareable': 'true' },
        annotations: { 'otc.mcsps.de/rds': `team-b/db/${uid}`, [SHARE]: 'app-1' },
        ownerReferences,
      },
      data: { password: Buffer.from('forged').toString('base64') },
    });
  const owner = { apiVersion: 'otc.mcsps.de/v1alpha1', kind: 'Rds', name: 'shop', uid, controller: true };
  await forged('app-2', 'db-connection', []);
  await forged('app-2', 'shop-connection', [owner]);
  await world.asks('app-1', 'team-b/db,app-2/db,app-2/shop,team-a/shop');
  t.same(await world.names('app-1'), [], 'no Rds allows it');
  await world.allows('app-1');
  t.same(await world.names('app-1'), [COPY]);
  t.match(await world.copy('app-1'), { password: 'First-pass1' }, 'only the real one');
});

t.test('what cannot be is said, and nothing is copied', async (t) => {
  const world = await shareWorld(t);
  await world.allows('app-1');
  const table = [
    { wish: '*', says: /\*: wild cards are not possible/ },
    { wish: 'team-a/*', says: /wild cards/ },
    { wish: 'team-a', says: /write <namespace>\/<Rds>/ },
    { wish: 'team-a/shop/', says: /write <namespace>/ },
    { wish: 'Team_A/shop', says: /write <namespace>/ },
    { wish: 'team-a/other', says: /does not exist or is not shared/ },
    { wish: 'team-a/shop/nobody', says: /its Secret is not there yet/ },
    { wish: 'app-1/own', says: /it is in this namespace/ },
  ];
  for (const { wish, says } of table) {
    await world.asks('app-1', wish);
    t.match(await world.result('app-1'), says, wish);
    t.same(await world.names('app-1'), []);
  }
  await world.asks('app-1', null);
  await world.secretIn('app-1', COPY, { mine: 'yes' });
  await world.asks('app-1', 'team-a/shop');
  t.match(await world.result('app-1'), /another Secret here has the name team-a\.shop-connection/);
  t.same(await world.copy('app-1'), { mine: 'yes' }, 'and it is not touched');
  for (const value of ['*', 'app-*', 'app-1/', 'App']) {
    await world.allows(value);
    t.match(
      condition(await world.status('shop'), 'Shared'),
      { status: 'False', reason: 'ShareRefused' },
      value,
    );
  }
  await world.allows('app-1, app-2');
  t.match(condition(await world.status('shop'), 'Shared'), { status: 'True', message: /app-1, app-2/ });
  await world.allows(null);
  t.match(condition(await world.status('shop'), 'Shared'), { status: 'False', reason: 'NotShared' });
});

t.test('consent for one user is consent for that user', async (t) => {
  const world = await shareWorld(t);
  await world.apply(
    'shop',
    { password: 'First-pass1', users: [{ name: 'app' }, { name: 'other' }] },
    { [SHARE]: 'app-1/app' },
  );
  await world.clock.advance(MINUTE);
  await world.asks('app-1', 'team-a/shop, team-a/shop/app, team-a/shop/other');
  const [name, ...others] = await world.names('app-1');
  t.match(name, /^team-a\.shop-u-app-/);
  t.same(others, []);
  t.match(await world.copy('app-1', name), { username: 'app' });
  t.match(
    await world.result('app-1'),
    /^team-a\/shop: it does not exist.*; team-a\/shop\/app: Secret .*; team-a\/shop\/other: it does not exist/,
  );
});

t.test('without an answer of the API server everything stays as it is', async (t) => {
  let isDown = false;
  const world = await shareWorld(t);
  const { readLive } = await import('../../src/kube/live.ts').then(({ createReadLive }) => ({
    readLive: createReadLive(world.api.call, 1_000),
  }));
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const replica = await world.startReplica({
    readLive: async (rds, want) => {
      if (isDown) throw new KubeUnreachable('down');
      return readLive(rds, want);
    },
  });
  const call = world.calls.findLast(({ path, status }) => path.endsWith('/share/sync') && status === 200);
  const ask = () => replica.inject({ method: 'POST', url: '/share/sync', payload: call?.body as object });
  isDown = true;
  const refused = await ask();
  t.match({ status: refused.statusCode, after: refused.headers['retry-after'] }, { status: 429, after: '5' });
  isDown = false;
  t.equal((await ask()).statusCode, 200);
  await replica.close();
});

t.test('many wishes and a slow API server still get an answer in time', async (t) => {
  const world = await shareWorld(t);
  const replica = await world.startReplica({
    readLive: async () => {
      await world.clock.sleep(SECOND);
      return { rds: undefined, namespaceTerminating: false, crdTerminating: false };
    },
  });
  const wishes = Array.from({ length: 64 }, (_, index) => `team-a/db${index}`).join(',');
  await world.asks('app-1', wishes);
  const object = await world.object('/api/v1/namespaces/app-1');
  let status = 0;
  const payload = { object, attachments: {}, related: {} };
  void replica.inject({ method: 'POST', url: '/share/sync', payload }).then((answer) => {
    status = answer.statusCode;
  });
  await world.clock.runUntil(() => status > 0, 20 * SECOND);
  t.equal(status, 200);
  await replica.close();
});

t.test('marks that a picture from the past took away do not take the copy along', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const call = world.calls.findLast(({ path, status }) => path.endsWith('/share/sync') && status === 200);
  const body = call?.body as Record<string, unknown>;
  const attachments = {
    'Secret.v1': { [`app-1/${COPY}`]: await world.object(world.secretPath('app-1', COPY)) },
  };
  const object = await world.object('/api/v1/namespaces/app-1');
  const ask = async () =>
    (
      await world.app.inject({
        method: 'POST',
        url: '/share/sync',
        payload: { ...body, object, attachments, related: { 'Secret.v1': {} } },
      })
    ).json();
  t.match(await ask(), { attachments: [{ metadata: { name: COPY }, data: {} }] });
  await world.annotate('shop', { [SHARE]: 'app-2' });
  t.same((await ask()).attachments, [], 'but a word of the Rds does');
});

/** What the hook answers when Metacontroller shows it this, whatever is true by now. */
type Shown = { object?: unknown; attachments?: unknown[]; related?: unknown[] };

function asker(world: Awaited<ReturnType<typeof shareWorld>>) {
  const secrets = (list: unknown[] = []) => ({
    'Secret.v1': Object.fromEntries(
      list.map((one) => {
        const { namespace, name } = (one as KubeObject).metadata;
        return [`${namespace}/${name}`, one];
      }),
    ),
  });
  return async ({ object, attachments, related }: Shown) => {
    const payload = {
      object,
      attachments: secrets(attachments),
      related: secrets(related),
      finalizing: false,
    };
    const answer = await world.app.inject({ method: 'POST', url: '/share/sync', payload: payload as object });
    return { status: answer.statusCode, ...answer.json() };
  };
}

t.test('an old picture of a namespace brings nothing back', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const old = await world.object('/api/v1/namespaces/app-1');
  const source = await world.object(world.secretPath('team-a', 'shop-connection'));
  await world.asks('app-1', null);
  const ask = asker(world);
  t.same((await ask({ object: old, related: [source] })).attachments, []);
  await world.kube('DELETE', '/api/v1/namespaces/app-1');
  const gone = await ask({ object: old, related: [source] });
  t.match(gone, { status: 429 }, 'it is gone: nothing is written');
});

t.test('a user that is declared no more takes the copy along', async (t) => {
  const world = await shareWorld(t);
  const spec = { password: 'First-pass1', removal: 'Drop' as const };
  await world.apply('shop', { ...spec, users: [{ name: 'app' }] }, { [SHARE]: 'app-1' });
  await world.clock.advance(MINUTE);
  await world.asks('app-1', 'team-a/shop/app');
  const [name = ''] = await world.names('app-1');
  t.match(name, /^team-a\.shop-u-app-/);
  const [object, copy] = [
    await world.object('/api/v1/namespaces/app-1'),
    await world.object(world.secretPath('app-1', name)),
  ];
  const ask = asker(world);
  t.match(await ask({ object, attachments: [copy] }), { attachments: [{ metadata: { name } }] });
  await world.apply('shop', { ...spec, users: [] }, { [SHARE]: 'app-1' });
  t.same((await ask({ object, attachments: [copy] })).attachments, []);
});

t.test('what an Rds of the same name left is not kept for its successor', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const object = await world.object('/api/v1/namespaces/app-1');
  const copy = (await world.object(world.secretPath('app-1', COPY))) as KubeObject;
  const annotations = { ...copy.metadata.annotations, 'otc.mcsps.de/rds': 'team-a/shop/an-older-uid' };
  const older = { ...copy, metadata: { ...copy.metadata, annotations } };
  t.same((await asker(world)({ object, attachments: [older] })).attachments, []);
});

t.test('a Secret that went before its Rds takes the copy along', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const object = await world.object('/api/v1/namespaces/app-1');
  const copy = await world.object(world.secretPath('app-1', COPY));
  await world.remove('shop');
  t.ok((await world.rds('shop'))?.metadata.deletionTimestamp, 'it is still there');
  const ask = asker(world);
  const kept = await ask({ object, attachments: [copy] });
  t.match(kept, { attachments: [{ metadata: { name: COPY } }] }, 'not shown is not gone');
  await world.kube('DELETE', world.secretPath('team-a', 'shop-connection'));
  t.same((await ask({ object, attachments: [copy] })).attachments, []);
});

t.test('a copy of another type is made anew: the type of a Secret never changes', async (t) => {
  const world = await shareWorld(t);
  await world.asks('app-1', 'team-a/shop');
  await world.allows('app-1');
  const object = await world.object('/api/v1/namespaces/app-1');
  const source = (await world.object(world.secretPath('team-a', 'shop-connection'))) as KubeObject;
  const copy = (await world.object(world.secretPath('app-1', COPY))) as KubeObject;
  const ask = asker(world);
  const older = { ...copy, type: 'servicebinding.io/postgresql' };
  t.same((await ask({ object, attachments: [older], related: [source] })).attachments, []);
  t.match(await ask({ object, related: [source] }), { attachments: [{ type: 'servicebinding.io/mysql' }] });
});

t.test('the answer of customize is the same for everyone', async (t) => {
  const world = await shareWorld(t);
  const ask = async (annotations: Record<string, string>) =>
    (
      await world.app.inject({
        method: 'POST',
        url: '/share/customize',
        payload: { parent: { metadata: { name: 'app-1', annotations } } },
      })
    ).json();
  t.same(await ask({}), await ask({ [USE]: 'team-a/shop' }));
  t.same(await ask({}), {
    relatedResources: [
      {
        apiVersion: 'v1',
        resource: 'secrets',
        labelSelector: { matchLabels: { 'otc.mcsps.de/shareable': 'true' } },
      },
    ],
  });
});
