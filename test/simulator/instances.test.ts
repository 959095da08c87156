import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { MINUTE, mysqlHa, postgres, testCloud } from './test-cloud.ts';

t.test('a create is accepted at once and built after six minutes', async (t) => {
  const { clock, order, rds, show } = await testCloud();
  const reply = await rds('POST', '/instances', await order());
  t.equal(reply.status, 202);
  t.match(reply.body, {
    instance: {
      id: /^[0-9a-f]{32}in01$/,
      name: 'shop_db',
      status: 'BUILD',
      datastore: { type: 'MySQL', version: '8.0' },
      flavor_ref: 'rds.mysql.n1.large.2',
      volume: { type: 'CLOUDSSD', size: 40 },
      region: 'eu-de',
      availability_zone: 'eu-de-01',
      port: '3306',
      backup_strategy: { start_time: '01:00-02:00', keep_days: 7 },
      charge_info: { charge_mode: 'postPaid' },
    },
    job_id: String,
  });
  const { id } = reply.body.instance;
  t.match(await show(id), { status: 'BUILD', created: '', updated: '', private_ips: [], port: 3306 });
  clock.advance(6 * MINUTE - 1);
  t.equal((await show(id)).status, 'BUILD');
  clock.advance(1);
  const built = await show(id);
  t.match(built, {
    status: 'ACTIVE',
    type: 'Single',
    created: '2025-01-01T10:00:00+0000',
    private_ips: [/^192\.168\.\d+\.\d+$/],
    public_ips: [],
    port: 3306,
    datastore: { type: 'MySQL', version: '8.0', complete_version: '8.0.36' },
    volume: { type: 'CLOUDSSD', size: 40 },
    cpu: '2',
    mem: '4',
    db_user_name: 'root',
    switch_strategy: '',
    maintenance_window: '02:00-06:00',
    related_instance: [],
    tags: [],
    enable_ssl: false,
    associated_with_ddm: false,
    charge_info: { charge_mode: 'postPaid' },
  });
  t.notOk('ha' in built);
  t.match(built.nodes, [
    { id: /no01$/, name: 'shop_db_node0', role: 'master', availability_zone: 'eu-de-01' },
  ]);
});

t.test('the job says Completed only after the instance does', async (t) => {
  const { clock, order, rds, show } = await testCloud();
  const { instance, job_id } = (await rds('POST', '/instances', await order())).body;
  const job = async () => (await rds('GET', `/jobs?id=${job_id}`)).body.job;
  clock.advance(3 * MINUTE);
  t.match(await job(), {
    id: job_id,
    name: 'CreateMysqlSingleHAInstance',
    status: 'Running',
    process: /^4\d%$/,
    created: '2025-01-01T10:00:00+0000',
    instance: { id: instance.id, name: 'shop_db' },
    entities: { instance: { endpoint: /:3306$/, type: 'Single' }, resource_ids: [instance.id] },
  });
  clock.advance(3 * MINUTE);
  t.equal((await show(instance.id)).status, 'ACTIVE');
  t.equal((await job()).status, 'Running');
  clock.advance(5_000);
  t.match(await job(), { status: 'Completed', ended: '2025-01-01T10:06:05+0000', process: '' });
  t.match(await rds('GET', '/jobs?id=unknown'), { status: 400, body: { error_code: 'DBS.200543' } });
});

t.test('a primary with standby has two nodes, one address and a replication mode', async (t) => {
  const { build, show } = await testCloud();
  const orders = new Set<string>();
  for (let n = 0; n < 6; n++) {
    const instance = await show(await build({ ...mysqlHa, name: `pair_${n}` }));
    t.equal(instance.type, 'Ha');
    t.equal(instance.ha.replication_mode, 'semisync');
    t.equal(instance.switch_strategy, 'reliability');
    t.equal(instance.private_ips.length, 1);
    t.equal(instance.nodes.length, 2);
    orders.add(instance.nodes.map(({ role }: { role: string }) => role).join());
  }
  t.strictSame([...orders].sort(), ['master,slave', 'slave,master'], 'nodes are not always master-first');
});

t.test('names are not unique: the same create twice makes two instances', async (t) => {
  const { order, rds, simulator } = await testCloud();
  const body = await order();
  for (const _ of [1, 2]) t.equal((await rds('POST', '/instances', body)).status, 202);
  t.equal((await rds('GET', '/instances?name=shop_db')).body.total_count, 2);
  t.equal(simulator.state.counts.create, 2);
  const strict = await testCloud({ uniqueNames: true });
  t.equal((await strict.rds('POST', '/instances', await strict.order())).status, 202);
  t.match(await strict.rds('POST', '/instances', await strict.order()), {
    status: 409,
    body: { error_code: 'DBS.200022' },
  });
});

t.test('port may be a string, a number or left out; old flavors and volume types still work', async (t) => {
  const { order, rds } = await testCloud();
  const create = async (changes: object) => rds('POST', '/instances', await order({ ...changes }));
  t.equal((await create({ port: 3307 })).body.instance.port, '3307');
  t.equal((await create({ port: undefined })).body.instance.port, '3306');
  t.equal((await create({ ...postgres, port: undefined })).body.instance.port, '5432');
  for (const flavor_ref of ['rds.mysql.c2.medium', 'rds.mysql.c2.large', 'rds.mysql.c2.xlarge'])
    t.equal((await create({ flavor_ref, volume: { type: 'COMMON', size: 100 } })).status, 202, flavor_ref);
  t.equal((await create({ ...mysqlHa, flavor_ref: 'rds.mysql.c2.medium.ha' })).status, 202);
  t.equal(
    (await create({ ...postgres, flavor_ref: 'rds.pg.c2.medium', volume: { type: 'ULTRAHIGH', size: 40 } }))
      .status,
    202,
  );
  t.match((await create({ backup_strategy: undefined })).body.instance.backup_strategy, {
    start_time: '02:00-03:00',
    keep_days: 7,
  });
  t.equal((await create({ backup_strategy: { start_time: '23:15-00:15', keep_days: 0 } })).status, 202);
});

const uuid = '00000000-0000-4000-8000-000000000000';
const refusals: [because: string, changes: object, status: number, code: string][] = [
  ['the name is too short', { name: 'abc' }, 400, 'DBS.200021'],
  ['the name begins with a digit', { name: '1shop' }, 400, 'DBS.200021'],
  ['the name is missing', { name: undefined }, 400, 'DBS.280001'],
  ['the name is a number', { name: 1234 }, 400, 'DBS.280001'],
  ['the engine is unknown', { datastore: { type: 'Oracle', version: '19' } }, 400, 'DBS.200040'],
  ['the version is unknown', { datastore: { type: 'MySQL', version: '5.5' } }, 400, 'DBS.200041'],
  ['the HA mode is unknown', { ...mysqlHa, ha: { mode: 'Many' } }, 400, 'DBS.200051'],
  [
    'the replication mode is another engine’s',
    { ...mysqlHa, ha: { mode: 'ha', replication_mode: 'sync' } },
    400,
    'DBS.200043',
  ],
  ['the flavor does not exist', { flavor_ref: 'rds.mysql.z9.huge' }, 404, 'DBS.290002'],
  ['the flavor is another engine’s', { flavor_ref: 'rds.pg.n1.large.2' }, 400, 'DBS.200053'],
  ['the flavor is for HA', { flavor_ref: 'rds.mysql.n1.large.2.ha' }, 400, 'DBS.280239'],
  [
    'the flavor is not to be had there',
    { flavor_ref: 'rds.mysql.x1.16xlarge.4', availability_zone: 'eu-de-03' },
    400,
    'DBS.280450',
  ],
  ['the volume type is unknown', { volume: { type: 'SSD', size: 40 } }, 400, 'DBS.200026'],
  ['the volume is too small', { volume: { type: 'ESSD', size: 30 } }, 400, 'DBS.200023'],
  ['the volume is too big', { volume: { type: 'ESSD', size: 4010 } }, 400, 'DBS.200023'],
  ['the volume is no multiple of 10', { volume: { type: 'ESSD', size: 45 } }, 400, 'DBS.200027'],
  ['the volume is a string', { volume: { type: 'ESSD', size: '40' } }, 400, 'DBS.280001'],
  ['the region is unknown', { region: 'eu-xx' }, 400, 'DBS.200024'],
  ['two zones for one node', { availability_zone: 'eu-de-01,eu-de-02' }, 400, 'DBS.200025'],
  ['the zone does not exist', { availability_zone: 'eu-de-09' }, 404, 'DBS.200470'],
  ['the VPC does not exist', { vpc_id: uuid }, 404, 'DBS.200503'],
  ['the VPC id is malformed', { vpc_id: 'default' }, 400, 'DBS.200048'],
  ['the subnet does not exist', { subnet_id: uuid }, 404, 'DBS.200501'],
  ['the subnet id is malformed', { subnet_id: 'default' }, 400, 'DBS.200049'],
  ['the security group does not exist', { security_group_id: uuid }, 404, 'DBS.200050'],
  ['the port is reserved', { port: '33071' }, 400, 'DBS.280001'],
  ['the port is no number', { port: 'http' }, 400, 'DBS.280001'],
  ['the password is too simple', { password: 'geheim1234' }, 400, 'DBS.200052'],
  ['the password is too short', { password: 'Ab-1' }, 400, 'DBS.200052'],
  ['the password has a forbidden character', { password: 'Geheim-1234"' }, 400, 'DBS.200052'],
  ['the password is well known', { password: 'Password123!' }, 400, 'DBS.280246'],
  [
    'the backup window is longer than an hour',
    { backup_strategy: { start_time: '01:00-03:00' } },
    400,
    'DBS.280253',
  ],
  [
    'the backups would be kept too long',
    { backup_strategy: { start_time: '01:00-02:00', keep_days: 733 } },
    400,
    'DBS.280250',
  ],
  ['the template does not exist', { configuration_id: `${'0'.repeat(32)}pr01` }, 404, 'DBS.212001'],
  ['the KMS key does not exist', { disk_encryption_id: 'my key' }, 400, 'DBS.200506'],
  ['table names are odd', { unchangeable_param: { lower_case_table_names: '2' } }, 400, 'DBS.280001'],
  ['the time zone is odd', { time_zone: 'UTC+01:30' }, 400, 'DBS.280001'],
];

t.test('a create is refused with the code of the rule it breaks, and makes nothing', async (t) => {
  const { order, rds, simulator } = await testCloud();
  for (const [because, changes, status, code] of refusals) {
    const reply = await rds('POST', '/instances', await order({ ...changes }));
    t.match(reply, { status, body: { error_code: code, error_msg: String } }, because);
  }
  for (const body of ['', 'no json', '[]', '7'])
    t.equal((await rds('POST', '/instances', body)).status, 400, body);
  t.match((await rds('POST', '/instances')).body, { error_code: 'DBS.200006' });
  t.equal(simulator.state.instances.length, 0);
});

t.test('the quota ends creation with 413', async (t) => {
  const { order, rds } = await testCloud({ instanceQuota: 1 });
  t.equal((await rds('POST', '/instances', await order())).status, 202);
  t.match(await rds('POST', '/instances', await order()), {
    status: 413,
    body: { error_code: 'DBS.200046' },
  });
  t.strictSame((await rds('GET', '/quotas')).body, {
    quotas: { resources: [{ type: 'instance', quota: 1, used: 1 }] },
  });
});

t.test('the list filters, pages, and is empty for an unknown id', async (t) => {
  const { build, rds, call } = await testCloud();
  const first = await build({ name: 'shop_one' });
  await build({ ...postgres, name: 'shop_two' });
  await build({ ...mysqlHa, name: 'blog_one' });
  const names = async (query: string) =>
    (await rds('GET', `/instances?${query}`)).body.instances.map(({ name }: { name: string }) => name);
  t.strictSame(await names(`id=${first}`), ['shop_one']);
  t.strictSame(await names('name=shop'), [], 'a name is exact');
  t.strictSame((await names('name=*shop')).sort(), ['shop_one', 'shop_two']);
  t.strictSame(await names('type=Ha'), ['blog_one']);
  t.strictSame(await names('datastore_type=PostgreSQL'), ['shop_two']);
  t.strictSame(await names('datastore_type=postgresql'), [], 'the engine is case-sensitive');
  t.strictSame(await names('vpc_id=other'), []);
  t.strictSame(await names('offset=0&limit=2'), ['blog_one', 'shop_two'], 'newest first');
  t.strictSame(await names('offset=2&limit=2'), ['shop_one']);
  const beyond = await rds('GET', '/instances?offset=3');
  t.match(beyond, { status: 200, body: { instances: [], total_count: 3 } });
  t.match(await rds('GET', '/instances?id=unknown'), {
    status: 200,
    body: { instances: [], total_count: 0 },
  });
  for (const query of ['limit=0', 'limit=101', 'limit=x', 'offset=-1', 'type=Many'])
    t.match(
      await rds('GET', `/instances?${query}`),
      { status: 400, body: { error_code: 'DBS.280001' } },
      query,
    );
  t.equal(
    (await call('GET', `/rds/v3/${DEMO_PROJECT.id}/instances/${first}`)).body.error_code,
    'APIGW.0101',
    'no GET by id',
  );
});

t.test('a lagging list hides the new and may still show the gone', async (t) => {
  const { clock, order, rds } = await testCloud({ listLagMs: 30_000, goneLagMs: 20_000 });
  const { id } = (await rds('POST', '/instances', await order())).body.instance;
  const count = async (query: string) => (await rds('GET', `/instances${query}`)).body.total_count;
  t.equal(await count(''), 0);
  t.equal(await count(`?id=${id}`), 0);
  clock.advance(30_000);
  t.equal(await count(''), 1);
  clock.advance(10 * MINUTE);
  await rds('DELETE', `/instances/${id}`);
  clock.advance(MINUTE);
  t.equal(await count(''), 1);
  clock.advance(20_000);
  t.equal(await count(''), 0);
});

t.test('a shuffled list has all rows in another order', async (t) => {
  const { build, rds } = await testCloud({ shuffleList: true });
  for (let n = 0; n < 8; n++) await build({ name: `shop_${n}` });
  const seen = new Set<string>();
  for (let n = 0; n < 4; n++) {
    const names = (await rds('GET', '/instances')).body.instances.map(({ name }: { name: string }) => name);
    t.equal(new Set(names).size, 8);
    seen.add(names.join());
  }
  t.ok(seen.size > 1);
});

t.test(
  'a delete keeps the row until its job is done, and takes replicas and automated backups along',
  async (t) => {
    const { build, clock, rds, show, simulator } = await testCloud();
    const id = await build();
    const replica = await build({
      name: 'shop_copy',
      replica_of_id: id,
      flavor_ref: 'rds.mysql.n1.large.2.rr',
    });
    await rds('POST', '/backups', { instance_id: id, name: 'keep_me' });
    clock.advance(5 * MINUTE);
    t.ok(simulator.state.backups.some(({ type }) => type === 'auto'));
    const reply = await rds('DELETE', `/instances/${id}`);
    t.equal(reply.status, 202);
    t.ok(reply.body.job_id);
    t.equal((await show(id)).status, 'ACTIVE');
    t.match(await rds('DELETE', `/instances/${id}`), { status: 409, body: { error_code: 'DBS.200047' } });
    clock.advance(MINUTE);
    t.equal(await show(id), undefined);
    t.equal(await show(replica), undefined);
    t.strictSame(
      simulator.state.backups.map(({ name }) => name),
      ['keep_me'],
    );
    t.match(await rds('DELETE', `/instances/${id}`), { status: 404, body: { error_code: 'DBS.200002' } });
    t.match(await rds('DELETE', '/instances/nonsense'), { status: 400, body: { error_code: 'DBS.280404' } });
    const bin = (await rds('GET', '/recycle-instances')).body;
    t.match(bin, { total_count: 1, instances: [{ id, name: 'shop_db' }] });
  },
);

t.test('a delete is refused while the instance is being built', async (t) => {
  const { order, rds } = await testCloud();
  const { id } = (await rds('POST', '/instances', await order())).body.instance;
  t.match(await rds('DELETE', `/instances/${id}`), { status: 409, body: { error_code: 'DBS.200047' } });
});

t.test('a replica follows its primary, at most five, and not of anything', async (t) => {
  const { build, order, rds, show } = await testCloud();
  const id = await build({ flavor_ref: 'rds.mysql.n1.xlarge.2' });
  const replica = { name: 'copy_0', replica_of_id: id, flavor_ref: 'rds.mysql.n1.xlarge.2.rr' };
  const first = await build(replica);
  t.match(await show(first), {
    type: 'Replica',
    nodes: [{ role: 'readreplica' }],
    related_instance: [{ id, type: 'replica_of' }],
  });
  t.match(await show(id), { related_instance: [{ id: first, type: 'replica' }] });
  const ask = async (changes: object) => rds('POST', '/instances', await order({ ...replica, ...changes }));
  t.match(await ask({ flavor_ref: 'rds.mysql.n1.large.2.rr' }), {
    status: 400,
    body: { error_code: 'DBS.200054' },
  });
  t.match(await ask({ flavor_ref: 'rds.mysql.n1.xlarge.2' }), {
    status: 400,
    body: { error_code: 'DBS.280239' },
  });
  t.match(await ask({ replica_of_id: first }), { status: 400, body: { error_code: 'DBS.200055' } });
  for (let n = 1; n < 5; n++) await build({ ...replica, name: `copy_${n}` });
  t.match(await ask({}), { status: 400, body: { error_code: 'DBS.200056' } });
});
