import t from 'tap';
import { condition, createWorld, MINUTE, SECOND } from '../support/world.ts';

t.test('a Service that somebody else made is left alone and named', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const foreign = {
    apiVersion: 'v1',
    kind: 'Service',
    metadata: { name: 'shop', namespace: 'team-a' },
    spec: { clusterIP: 'None', ports: [{ port: 1234 }] },
  };
  await world.kube('POST', '/api/v1/namespaces/team-a/services', foreign);
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  t.match(condition(await world.status('shop'), 'ChildrenReady'), {
    status: 'False',
    reason: 'ChildNameTaken',
    message: /Service shop/,
  });
  const service = await world.object('/api/v1/namespaces/team-a/services/shop');
  t.match(service?.spec, { ports: [{ port: 1234 }] });
  t.notOk(service?.metadata.ownerReferences);
  await world.kube('DELETE', '/api/v1/namespaces/team-a/services/shop');
  await world.clock.advance(2 * MINUTE);
  t.match(condition(await world.status('shop'), 'ChildrenReady'), { status: 'True' });
  t.ok((await world.object('/api/v1/namespaces/team-a/services/shop'))?.metadata.ownerReferences);
});

t.test('children that were deleted by hand come back, the generated password excepted', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const password = world.simulator.state.instances[0]?.password;
  for (const path of ['services/shop', 'secrets/shop-connection'])
    await world.kube('DELETE', `/api/v1/namespaces/team-a/${path}`);
  await world.clock.advance(10 * SECOND);
  t.ok(await world.object('/api/v1/namespaces/team-a/services/shop'));
  t.ok(await world.object('/api/v1/namespaces/team-a/secrets/shop-connection'));
  await world.kube('DELETE', '/api/v1/namespaces/team-a/secrets/shop-root');
  await world.clock.advance(5 * MINUTE);
  t.notOk(await world.object('/api/v1/namespaces/team-a/secrets/shop-root'), 'it is never drawn anew');
  t.match(condition(await world.status('shop'), 'CredentialsSafe'), { reason: 'RootPasswordUnknown' });
  t.ok(
    await world.object('/api/v1/namespaces/team-a/secrets/shop-connection'),
    'the connection stays as it was',
  );
  t.equal(world.simulator.state.instances[0]?.password, password);
});

t.test('a Secret of your own may have the name of a Secret that is not needed', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.secret('shop-root', { password: 'Chang3-me_now' });
  await world.apply('shop', { passwordSecretRef: { name: 'shop-root', key: 'password' } });
  t.ok(await world.reaches('shop', 'Ready'));
  t.match(condition(await world.status('shop'), 'ChildrenReady'), { status: 'True' });
});

t.test(
  'Endpoints that the old operator left behind are named: they would be mirrored into our Service',
  async (t) => {
    const world = await createWorld();
    t.teardown(() => world.stop());
    const left = {
      apiVersion: 'v1',
      kind: 'Endpoints',
      metadata: { name: 'shop', namespace: 'team-a' },
      subsets: [{ addresses: [{ ip: '192.168.0.99' }], ports: [{ port: 3306 }] }],
    };
    t.equal((await world.kube('POST', '/api/v1/namespaces/team-a/endpoints', left)).status, 201);
    await world.apply('shop', {});
    t.ok(await world.reaches('shop', 'Ready'));
    t.match(condition(await world.status('shop'), 'ChildrenReady'), {
      status: 'False',
      message: /Endpoints shop/,
    });
    t.ok(await world.object('/api/v1/namespaces/team-a/services/shop'), 'our Service is made all the same');
  },
);

t.test('a stored name that no Service can have gets a connection by address, and a condition', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));
  const settled = world.calls.findLast(({ path }) => path.endsWith('/sync'));
  const body = structuredClone(settled?.body) as { parent: { metadata: { name: string } }; children: object };
  body.parent.metadata.name = 'my.shop';
  body.children = {};
  const answer = world.app.inject({ method: 'POST', url: '/sync', payload: body });
  await world.clock.advance(10 * SECOND);
  const { status, children } = (await answer).json();
  t.match(condition(status, 'ChildrenReady'), { status: 'False', reason: 'ChildNameInvalid' });
  t.notOk(children.some(({ kind }: { kind: string }) => kind === 'Service' || kind === 'EndpointSlice'));
});

t.test('no root password is drawn while its Secret cannot be made', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.secret('shop-root', { password: 'of-somebody-else' });
  await world.apply('shop', {});
  await world.clock.advance(20 * SECOND);
  t.match(condition(await world.status('shop'), 'Ready'), {
    reason: 'ChildNameTaken',
    message: /Secret shop-root/,
  });
  t.equal(world.creates(), 0);
  await world.kube('DELETE', '/api/v1/namespaces/team-a/secrets/shop-root');
  t.ok(await world.reaches('shop', 'Creating', MINUTE), 'and it goes on as soon as the name is free');
});
