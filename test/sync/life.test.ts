import t from 'tap';
import { condition, createWorld } from '../support/world.ts';

const decoded = (data: unknown): Record<string, string> =>
  Object.fromEntries(
    Object.entries(data as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );

t.test('an Rds with nothing but defaults becomes a Ready database with a connection', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  t.ok(await world.reaches('shop', 'Ready'));

  const status = await world.status('shop');
  const [instance, ...others] = world.simulator.state.instances;
  t.same(others, [], 'one instance');
  t.match(status, {
    id: instance?.id,
    phase: 'Ready',
    status: 'ACTIVE',
    port: 3306,
    flavor: 'rds.mysql.c2.medium',
    volumeGb: 40,
    plan: [],
    binding: { name: 'shop-connection' },
  });
  t.match(condition(status, 'Ready'), { status: 'True', reason: 'Available', observedGeneration: 1 });
  t.match(condition(status, 'Synced'), { status: 'True', reason: 'UpToDate' });
  t.match(condition(status, 'Progressing'), { status: 'False', reason: 'Idle' });
  t.notOk(status.operation, 'no operation is left in status');

  const rds = await world.rds('shop');
  const digits = rds?.metadata.uid?.replaceAll('-', '').slice(0, 12);
  t.equal(instance?.name, `team-a_shop_${digits}`);
  t.match(instance?.tags, [{ key: 'rds-pilot-uid', value: rds?.metadata.uid }]);

  const secret = await world.object('/api/v1/namespaces/team-a/secrets/shop-connection');
  const root = await world.object('/api/v1/namespaces/team-a/secrets/shop-root');
  const connection = decoded(secret?.data);
  t.equal(secret?.type, 'servicebinding.io/mysql');
  t.same(connection, {
    type: 'mysql',
    provider: 'opentelekomcloud',
    host: 'shop.team-a.svc',
    ip: status.ip,
    port: '3306',
    username: 'root',
    password: decoded(root?.data).password,
    uri: `mysql://root:${encodeURIComponent(connection.password ?? '')}@shop.team-a.svc:3306/`,
    'jdbc-url': 'jdbc:mysql://shop.team-a.svc:3306/',
  });
  t.equal(instance?.password, connection.password, 'the generated password is the one in the cloud');

  const service = await world.object('/api/v1/namespaces/team-a/services/shop');
  t.match(service?.spec, { clusterIP: 'None', ports: [{ name: 'db', port: 3306 }] });
  const slice = await world.object('/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices/shop');
  t.match(slice, {
    addressType: 'IPv4',
    endpoints: [{ addresses: [status.ip] }],
    metadata: { labels: { 'kubernetes.io/service-name': 'shop' } },
  });
});

t.test('the plan is told before the create, and operation and phase while it runs', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  const seen: string[] = [];
  world.api.watch(({ object }) => {
    const status =
      object.kind === 'Rds'
        ? (object.status as { phase?: string; plan?: unknown[]; operation?: { kind: string } })
        : undefined;
    const line =
      status && `${status.phase} plan:${status.plan?.length ?? 0} ${status.operation?.kind ?? '-'}`;
    if (line && seen.at(-1) !== line) seen.push(line);
  });
  await world.apply('shop', { passwordSecretRef: { name: 'own', key: 'pw' } });
  await world.secret('own', { pw: 'Chang3-me_now' });
  t.ok(await world.reaches('shop', 'Ready'));
  t.same(seen, ['Pending plan:1 -', 'Creating plan:1 create', 'Creating plan:0 create', 'Ready plan:0 -']);
});

t.test('the address follows the instance', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('shop', {});
  await world.reaches('shop', 'Ready');
  const [instance] = world.simulator.state.instances;
  const moved = await world.byHand('PUT', `/instances/${instance?.id}/ip`, { new_ip: '192.168.0.77' });
  t.equal(moved.status, 200);
  await world.clock.advance(180_000);
  t.equal((await world.status('shop')).ip, '192.168.0.77');
  const slice = await world.object('/apis/discovery.k8s.io/v1/namespaces/team-a/endpointslices/shop');
  t.match(slice, { endpoints: [{ addresses: ['192.168.0.77'] }] });
  const secret = await world.object('/api/v1/namespaces/team-a/secrets/shop-connection');
  t.equal(decoded(secret?.data).ip, '192.168.0.77');
});

t.test('PostgreSQL in HA with a password of its own, and a clear-text password with a warning', async (t) => {
  const world = await createWorld();
  t.teardown(() => world.stop());
  await world.apply('orders', {
    datastoretype: 'PostgreSQL',
    datastoreversion: '16',
    hamode: 'Ha',
    hareplicationmode: 'async',
    availabilityzone: 'eu-de-01,eu-de-02',
    flavorref: 'rds.pg.n1.large.4.ha',
    port: '5432',
    volumetype: 'CLOUDSSD',
    password: 'A12345678+',
  });
  t.ok(await world.reaches('orders', 'Ready'), JSON.stringify(await world.status('orders')));
  const status = await world.status('orders');
  t.match(condition(status, 'CredentialsSafe'), { status: 'False', reason: 'PlainTextPassword' });
  const secret = await world.object('/api/v1/namespaces/team-a/secrets/orders-connection');
  t.match(decoded(secret?.data), {
    type: 'postgresql',
    uri: 'postgresql://root:A12345678%2B@orders.team-a.svc:5432/postgres',
  });
  t.equal(
    await world.object('/api/v1/namespaces/team-a/secrets/orders-root'),
    undefined,
    'nothing is generated',
  );
});
