import t from 'tap';
import { DAY, MINUTE, mysqlHa, postgres, testCloud } from './test-cloud.ts';

t.test('a restart shows REBOOTING for a minute and refuses a second one meanwhile', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  const restart = () => rds('POST', `/instances/${id}/action`, { restart: {} });
  const reply = await restart();
  t.equal(reply.status, 202);
  t.ok(reply.body.job_id);
  t.equal((await show(id)).status, 'REBOOTING');
  t.match(await restart(), { status: 409, body: { error_code: 'DBS.200047' } });
  clock.advance(MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  t.equal((await rds('POST', `/instances/${id}/action`, { dance: {} })).status, 400);
});

t.test('enlarging takes the new total, in steps of 10, and only upwards', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  const enlarge = (size: unknown) => rds('POST', `/instances/${id}/action`, { enlarge_volume: { size } });
  t.match(await enlarge(40), { status: 400, body: { error_code: 'DBS.200306' } });
  t.match(await enlarge(55), { status: 400, body: { error_code: 'DBS.200027' } });
  t.match(await enlarge(5000), { status: 400, body: { error_code: 'DBS.200023' } });
  t.match(await enlarge('50'), { status: 400, body: { error_code: 'DBS.280001' } });
  const reply = await enlarge(50);
  t.equal(reply.status, 202);
  t.match(await show(id), { status: 'MODIFYING', volume: { size: 40 } });
  t.match((await rds('GET', `/jobs?id=${reply.body.job_id}`)).body.job.entities, {
    volume: { type: 'CLOUDSSD', original_size: '40', target_size: '50' },
  });
  clock.advance(3 * MINUTE);
  t.match(await show(id), { status: 'ACTIVE', volume: { size: 50 } });
});

t.test('resizing needs another flavor of the same kind that is in stock', async (t) => {
  const { build, clock, rds, show, simulator } = await testCloud();
  const id = await build();
  const resize = (spec_code: string) =>
    rds('POST', `/instances/${id}/action`, { resize_flavor: { spec_code } });
  t.match(await resize('rds.mysql.n1.large.2'), { status: 400, body: { error_code: 'DBS.200054' } });
  t.match(await resize('rds.mysql.n1.xlarge.2.ha'), { status: 400, body: { error_code: 'DBS.280239' } });
  t.match(await resize('rds.mysql.none'), { status: 404, body: { error_code: 'DBS.290002' } });
  simulator.faults.add({ kind: 'sold-out', flavor: 'rds.mysql.n1.xlarge.2' });
  t.match(await resize('rds.mysql.n1.xlarge.2'), { status: 400, body: { error_code: 'DBS.280450' } });
  t.equal((await resize('rds.mysql.n1.xlarge.2')).status, 202);
  t.equal((await show(id)).status, 'MODIFYING');
  clock.advance(8 * MINUTE);
  t.match(await show(id), { status: 'ACTIVE', flavor_ref: 'rds.mysql.n1.xlarge.2', cpu: '4', mem: '8' });
});

t.test('a single instance becomes a pair', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build(postgres);
  const toHa = (zone: string) =>
    rds('POST', `/instances/${id}/action`, { single_to_ha: { az_code_new_node: zone } });
  t.equal((await toHa('eu-de-99')).status, 404);
  t.equal((await toHa('eu-de-01')).status, 202, 'also in the same zone');
  t.equal((await show(id)).status, 'MODIFYING INSTANCE TYPE');
  clock.advance(8 * MINUTE);
  t.match(await show(id), {
    type: 'Ha',
    flavor_ref: 'rds.pg.n1.large.2.ha',
    ha: { replication_mode: 'async' },
  });
  t.match(await toHa('eu-de-01'), { status: 400, body: { error_code: 'DBS.201014' } });
});

t.test('the kind of volume can be changed, replicas first', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  const change = (volume_code: string) =>
    rds('POST', `/instances/${id}/action`, { change_volume: { volume_code } });
  t.match(await change('rds.pg.volume.essd'), { status: 400, body: { error_code: 'DBS.200026' } });
  t.equal((await change('rds.mysql.volume.essd')).status, 202);
  clock.advance(8 * MINUTE);
  t.equal((await show(id)).volume.type, 'ESSD');
});

t.test('a failover swaps the roles of the two nodes', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const single = await build({ name: 'single' });
  t.match(await rds('PUT', `/instances/${single}/failover`, {}), {
    status: 400,
    body: { error_code: 'DBS.201014' },
  });
  const id = await build(mysqlHa);
  const masterOf = async () =>
    (await show(id)).nodes.find(({ role }: { role: string }) => role === 'master').id;
  const before = await masterOf();
  const reply = await rds('PUT', `/instances/${id}/failover`, {});
  t.equal(reply.status, 200);
  t.match(reply.body, { workflowId: String, instanceId: id, nodeId: /no01$/ });
  t.equal((await show(id)).status, 'SWITCHOVER');
  t.equal((await rds('GET', `/jobs?id=${reply.body.workflowId}`)).body.job.status, 'Running');
  clock.advance(MINUTE);
  t.equal(await masterOf(), reply.body.nodeId);
  t.not(await masterOf(), before);
});

t.test('replication mode, strategy and the zone of the standby can be set', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build(mysqlHa);
  t.match(await rds('PUT', `/instances/${id}/failover/mode`, { mode: 'async' }), {
    status: 200,
    body: { workflowId: String, instanceId: id, replicationMode: 'async' },
  });
  t.equal((await rds('PUT', `/instances/${id}/failover/mode`, { mode: 'sync' })).status, 400);
  t.strictSame(
    (await rds('PUT', `/instances/${id}/failover/strategy`, { repairStrategy: 'availability' })).body,
    {},
  );
  t.equal((await rds('PUT', `/instances/${id}/failover/strategy`, { repairStrategy: 'luck' })).status, 400);
  t.match(await show(id), { ha: { replication_mode: 'async' }, switch_strategy: 'availability' });
  const standby = (await show(id)).nodes.find(({ role }: { role: string }) => role === 'slave').id;
  const moved = await rds('POST', `/instances/${id}/migrateslave`, { nodeId: standby, azCode: 'eu-de-03' });
  t.match(moved, { status: 200, body: { workflowId: String } });
  t.equal((await show(id)).status, 'MIGRATING');
  clock.advance(8 * MINUTE);
  t.equal(
    (await show(id)).nodes.find((node: { id: string }) => node.id === standby).availability_zone,
    'eu-de-03',
  );
});

t.test('a stopped instance starts when asked, or by itself after seven days', async (t) => {
  const { build, clock, login, rds, show } = await testCloud({ automatedBackups: false });
  const id = await build();
  const power = (verb: string) => rds('POST', `/instances/${id}/action/${verb}`, {});
  t.match(await power('startup'), { status: 400, body: { error_code: 'DBS.200086' } });
  t.match(await power('shutdown'), { status: 200, body: { job_id: String } });
  clock.advance(2 * MINUTE);
  t.equal((await show(id)).status, 'SHUTDOWN');
  t.match(await rds('POST', `/instances/${id}/action`, { enlarge_volume: { size: 50 } }), {
    status: 400,
    body: { error_code: 'DBS.200086' },
  });
  t.equal((await power('startup')).status, 200);
  clock.advance(2 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  await power('shutdown');
  clock.advance(7 * DAY);
  await login();
  t.equal((await show(id)).status, 'SHUTDOWN');
  clock.advance(2 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
});

t.test('replicas are stopped and started with their primary, never alone', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  const replica = await build({ name: 'copy', replica_of_id: id, flavor_ref: 'rds.mysql.n1.large.2.rr' });
  t.equal((await rds('POST', `/instances/${replica}/action/shutdown`, {})).status, 400);
  await rds('POST', `/instances/${id}/action/shutdown`, {});
  clock.advance(2 * MINUTE);
  t.equal((await show(replica)).status, 'SHUTDOWN');
  await rds('POST', `/instances/${id}/action/startup`, {});
  clock.advance(2 * MINUTE);
  t.equal((await show(replica)).status, 'ACTIVE');
});

t.test('SQL Server has its own rules', async (t) => {
  const { build, order, rds, show } = await testCloud();
  const standard = {
    datastore: { type: 'SQLServer', version: '2022_SE' },
    flavor_ref: 'rds.mssql.n1.large.2',
    port: undefined,
  };
  const id = await build(standard);
  t.match(await show(id), { db_user_name: 'rdsuser', port: 1433, enable_ssl: true });
  const enterprise = { ...standard, datastore: { type: 'SQLServer', version: '2022_EE' } };
  t.match(
    (await rds('POST', '/instances', await order(enterprise))).body,
    { error_code: 'DBS.200042' },
    'HA only',
  );
  t.equal((await rds('POST', '/instances', await order({ ...standard, port: 5985 }))).status, 400);
  t.equal(
    (await rds('POST', '/instances', await order({ ...standard, password: 'Geheim=1234' }))).status,
    400,
  );
  t.equal((await rds('POST', `/instances/${id}/db-upgrade`, { is_delayed: false })).status, 400);
  t.equal(
    (await rds('GET', `/instances/${id}/slowlog?start_date=2025-01-01T00:00:00&end_date=2025-01-02T00:00:00`))
      .status,
    400,
  );
});

t.test('name, alias, password and window change at once', async (t) => {
  const { build, rds, show, simulator } = await testCloud();
  const id = await build();
  const renamed = await rds('PUT', `/instances/${id}/name`, { name: 'other_db' });
  t.match(renamed, { status: 200, text: '' });
  t.equal((await rds('PUT', `/instances/${id}/name`, { name: '1' })).body.error_code, 'DBS.200021');
  t.strictSame((await rds('PUT', `/instances/${id}/alias`, { alias: 'our shop' })).body, {
    resp: 'successful',
  });
  t.strictSame(
    (await rds('PUT', `/instances/${id}/ops-window`, { start_time: '22:00', end_time: '02:00' })).body,
    {},
  );
  t.equal(
    (await rds('PUT', `/instances/${id}/ops-window`, { start_time: '22:00', end_time: '23:00' })).status,
    400,
  );
  t.match(await show(id), { name: 'other_db', alias: 'our shop', maintenance_window: '22:00-02:00' });
  t.match(await rds('POST', `/instances/${id}/password`, { db_user_pwd: 'Neu-Geheim-99' }), {
    status: 200,
    body: {},
  });
  t.equal(
    (await rds('POST', `/instances/${id}/password`, { db_user_pwd: 'x' })).body.error_code,
    'DBS.200052',
  );
  t.equal(simulator.state.instances[0]?.password, 'Neu-Geheim-99');
});

t.test('port, address and security group change with a workflow', async (t) => {
  const { build, clock, network, rds, show } = await testCloud();
  const id = await build();
  const change = async (what: string, body: object) => {
    const reply = await rds('PUT', `/instances/${id}/${what}`, body);
    t.match(reply, { status: 200, body: { workflowId: String } }, what);
  };
  t.equal((await rds('PUT', `/instances/${id}/port`, { port: '3307' })).status, 400, 'an integer is needed');
  await change('port', { port: 3307 });
  t.equal((await show(id)).status, 'MODIFYING DATABASE PORT');
  clock.advance(MINUTE);
  await change('ip', { new_ip: '192.168.7.7' });
  t.equal((await show(id)).status, 'ACTIVE');
  clock.advance(MINUTE);
  await change('security-group', { security_group_id: (await network()).security_group_id });
  clock.advance(MINUTE);
  t.match(await show(id), { port: 3307, private_ips: ['192.168.7.7'] });
  t.equal((await rds('PUT', `/instances/${id}/ip`, { new_ip: '10.0.0.1' })).status, 400);
});

t.test('TLS is switched without a status, but a port change and a delete must wait', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  t.strictSame((await rds('PUT', `/instances/${id}/ssl`, { ssl_option: true })).body, {});
  t.match(await show(id), { status: 'ACTIVE', enable_ssl: false });
  t.equal((await rds('PUT', `/instances/${id}/port`, { port: 3307 })).status, 409);
  t.equal((await rds('DELETE', `/instances/${id}`)).status, 409);
  clock.advance(10_000);
  t.equal((await show(id)).enable_ssl, true);
  const other = await build({ ...postgres, name: 'pg_db' });
  t.equal((await rds('PUT', `/instances/${other}/ssl`, { ssl_option: true })).status, 400);
  t.match((await rds('GET', `/instances/${id}/ssl-cert/download-link`)).body, {
    cert_info_list: [{ category: 'international', download_link: String }],
  });
});

t.test('a public address is bound and released', async (t) => {
  const { build, rds, show } = await testCloud();
  const id = await build();
  const bind = { is_bind: true, public_ip: '80.158.1.1', public_ip_id: 'eip-1' };
  t.match(await rds('PUT', `/instances/${id}/public-ip`, bind), { status: 200, text: '' });
  t.strictSame((await show(id)).public_ips, ['80.158.1.1']);
  t.equal((await rds('PUT', `/instances/${id}/public-ip`, { is_bind: false })).status, 200);
  t.strictSame((await show(id)).public_ips, []);
});

t.test('a private name is given and shown', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  t.equal((await rds('POST', `/instances/${id}/create-dns`, { dns_type: 'private' })).status, 202);
  clock.advance(MINUTE);
  t.match((await rds('GET', `/instances/${id}/dns?dns_type=private`)).body, {
    instance_id: id,
    dns_name: /^[0-9a-f]{32}in01\./,
  });
  t.equal((await show(id)).private_dns_names.length, 1);
});

t.test('minor versions move up; PostgreSQL goes to a newer major version after an inspection', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build(postgres);
  t.equal((await rds('POST', `/instances/${id}/db-upgrade`, { is_delayed: false })).status, 202);
  clock.advance(10 * MINUTE);
  t.equal((await show(id)).datastore.complete_version, '16.5');
  const major = (method: string, path: string, body?: object) =>
    rds(method, `/instances/${id}/major-version/${path}`, body);
  t.strictSame((await major('GET', 'available-version')).body.available_versions, ['17']);
  const upgrade = { target_version: '17', is_change_private_ip: true };
  t.equal((await major('POST', 'upgrade', upgrade)).status, 400, 'no inspection yet');
  t.equal((await major('POST', 'inspection', { target_version: '12' })).status, 400);
  t.equal((await major('POST', 'inspection', { target_version: '17' })).status, 200);
  t.equal((await major('GET', 'status?action=check')).body.status, 'success');
  t.match(await major('POST', 'upgrade', upgrade), { status: 200, body: { job_id: String } });
  t.equal((await major('GET', 'status?action=upgrade')).body.status, 'running');
  clock.advance(10 * MINUTE);
  t.equal((await show(id)).datastore.version, '17');
  t.equal((await major('GET', 'inspection-histories')).body.total_count, 1);
  t.match((await major('GET', 'upgrade-histories')).body.upgrade_reports, [{ result: 'success' }]);
});

t.test('a disk that may grow by itself does so under pressure', async (t) => {
  const { build, call, clock, rds, show } = await testCloud();
  const id = await build();
  const path = `/instances/${id}/disk-auto-expansion`;
  t.equal((await rds('GET', path)).body.switch_option, false);
  t.equal(
    (await rds('PUT', path, { switch_option: true, limit_size: 60, trigger_threshold: 11 })).status,
    400,
  );
  t.equal(
    (await rds('PUT', path, { switch_option: true, limit_size: 60, trigger_threshold: 10 })).status,
    200,
  );
  t.strictSame((await rds('GET', path)).body, { switch_option: true, limit_size: 60, trigger_threshold: 10 });
  await call('POST', '/_sim/load', { id, disk: 92 });
  t.equal((await show(id)).status, 'MODIFYING');
  clock.advance(3 * MINUTE);
  t.match(await show(id), { status: 'ACTIVE', volume: { size: 50 } });
});
