import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { type Json, postgres, testCloud } from './test-cloud.ts';

t.test('versions are listed for any spelling of the engine', async (t) => {
  const { rds } = await testCloud();
  const names = async (engine: string) =>
    (await rds('GET', `/datastores/${engine}`)).body.dataStores.map(({ name }: Json) => name);
  t.strictSame(await names('mysql'), ['5.7', '8.0']);
  t.strictSame(await names('PostgreSQL'), ['13', '14', '15', '16', '17']);
  t.ok((await names('SQLSERVER')).includes('2022_EE'));
  t.match(await rds('GET', '/datastores/oracle'), { status: 400, body: { error_code: 'DBS.200040' } });
});

t.test('flavors have string CPUs, integer memory and a stock per zone', async (t) => {
  const { rds, simulator } = await testCloud();
  const { flavors } = (await rds('GET', '/flavors/PostgreSQL?version_name=16')).body;
  t.match(
    flavors.find((flavor: Json) => flavor.spec_code === 'rds.pg.n1.large.2.ha'),
    {
      id: String,
      vcpus: '2',
      ram: 4,
      version_name: ['13', '14', '15', '16', '17'],
      instance_mode: 'ha',
      az_status: { 'eu-de-01': 'normal', 'eu-de-02': 'normal', 'eu-de-03': 'normal' },
      group_type: 'general',
    },
  );
  for (const code of ['rds.pg.x1.24xlarge.8', 'rds.pg.c2.medium', 'rds.pg.n1.2xlarge.4.rr'])
    t.ok(
      flavors.some((flavor: Json) => flavor.spec_code === code),
      code,
    );
  const one = async () => (await rds('GET', '/flavors/mysql?spec_code=rds.mysql.c2.medium.ha')).body.flavors;
  t.match(await one(), [{ vcpus: '1', ram: 2, instance_mode: 'ha' }]);
  simulator.faults.add({ kind: 'sold-out', flavor: 'rds.mysql.c2.medium.ha' });
  t.match(await one(), [{ az_status: { 'eu-de-01': 'sellout' } }]);
  t.equal(simulator.faults.list()[0]?.fired, 0, 'looking does not use it up');
  t.equal((await rds('GET', '/flavors/mysql?version_name=4')).status, 400);
});

t.test('what an instance can be resized to has memory as a string', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  const { flavor_groups } = (await rds('GET', `/instances/${id}/flavors-resize`)).body;
  const codes = flavor_groups.flatMap((group: Json) => group.compute_flavors.map(({ code }: Json) => code));
  t.notOk(codes.includes('rds.mysql.n1.large.2'), 'not the one in use');
  t.ok(codes.includes('rds.mysql.n1.xlarge.2'));
  t.match(flavor_groups[0].compute_flavors[0], {
    vcpus: String,
    ram: String,
    az_status: { 'eu-de-01': 'normal' },
  });
});

t.test('storage types, used space and collations', async (t) => {
  const { build, rds } = await testCloud();
  const types = (await rds('GET', '/storage-type/mysql?version_name=8.0&ha_mode=single')).body.storage_type;
  t.match(types[0], {
    name: 'CLOUDSSD',
    az_status: { 'eu-de-01': 'normal' },
    support_compute_group_type: [String],
  });
  t.equal((await rds('GET', '/storage-type/mysql')).status, 400);
  const id = await build();
  t.match((await rds('GET', `/instances/${id}/storage-used-space`)).body, { node_id: /no01$/, used: '2.00' });
  const pg = await build({ ...postgres, name: 'pg_db' });
  t.equal((await rds('GET', `/instances/${pg}/storage-used-space`)).status, 400);
  t.type((await rds('GET', '/instances')).body.instances[0].storage_used_space, 'undefined');
  t.equal((await rds('GET', `/instances?id=${pg}`)).body.instances[0].storage_used_space, 2);
  t.ok((await rds('GET', '/collations')).body.charSets.length > 0);
  t.match((await rds('GET', `/instances/${id}/replication/status`)).body, { abnormal_reason: '' });
});

t.test('networks are found by listing; the subnet id is the Neutron network id', async (t) => {
  const { call } = await testCloud({ networks: ['team-a', 'team-b'] });
  const v1 = (path: string) => call('GET', `/vpc/v1/${DEMO_PROJECT.id}/${path}`);
  const { vpcs } = (await v1('vpcs')).body;
  t.strictSame(
    vpcs.map(({ name }: Json) => name),
    ['default', 'team-a', 'team-b'],
  );
  t.match(vpcs[0], { status: 'OK', cidr: '192.168.0.0/16', routes: [] });
  t.equal((await v1('vpcs?name=team-a')).body.vpcs.length, 3, 'there is no name filter');
  t.equal((await v1(`vpcs?limit=1&marker=${vpcs[0].id}`)).body.vpcs[0].name, 'team-a');
  t.equal((await v1(`vpcs?id=${vpcs[1].id}`)).body.vpcs.length, 1);
  const [subnet] = (await v1(`subnets?vpc_id=${vpcs[1].id}`)).body.subnets;
  t.equal(subnet.id, subnet.neutron_network_id);
  t.not(subnet.id, subnet.neutron_subnet_id);
  t.match(subnet, { name: 'team-a', vpc_id: vpcs[1].id, status: 'ACTIVE', dnsList: [String, String] });
  const groups = (await call('GET', '/vpc/v2.0/security-groups?name=team-b')).body.security_groups;
  t.match(groups, [{ name: 'team-b', project_id: DEMO_PROJECT.id, security_group_rules: [] }]);
  t.equal((await v1(`security-groups?vpc_id=${vpcs[2].id}`)).body.security_groups[0].id, groups[0].id);
  t.equal(
    (await call('GET', '/v2.0/networks?name=team-a')).body.networks[0].id,
    subnet.id,
    'also at the root',
  );
  t.equal((await call('GET', '/v2.0/routers?name=team-a')).body.routers[0].id, vpcs[1].id);
  t.equal((await v1(`vpcs/${vpcs[0].id}`)).body.vpc.name, 'default');
  t.match(await v1('vpcs/none'), { status: 404, body: { code: 'VPC.0003' } });
  t.match(await call('GET', '/vpc/v2.0/networks/team-a'), {
    status: 404,
    body: { NeutronError: { type: 'NetworkNotFound' } },
  });
  t.strictSame((await v1('publicips')).body, { publicips: [] });
  t.equal((await call('GET', '/vpc/')).body.versions[0].id, 'v2.0');
});

t.test('an instance in another network gets an address of that one', async (t) => {
  const { build, call, show } = await testCloud({ networks: ['team-a'] });
  const v1 = async (path: string) => (await call('GET', `/v1/${DEMO_PROJECT.id}/${path}`)).body;
  const vpc_id = (await v1('vpcs')).vpcs[1].id;
  const subnet_id = (await v1('subnets')).subnets[1].id;
  t.match((await show(await build({ vpc_id, subnet_id }))).private_ips, [/^10\.1\./]);
});

t.test('unknown paths and methods are refused by the gateway', async (t) => {
  const { call, rds } = await testCloud();
  for (const reply of [
    await rds('GET', '/nothing'),
    await rds('DELETE', '/instances'),
    await call('GET', '/vpc/v1/x/y/z'),
    await call('GET', '/ces/V9/x'),
  ])
    t.match(reply, { status: 404, body: { error_code: 'APIGW.0101', request_id: String } });
});
