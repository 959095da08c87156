import t from 'tap';
import type { OtcRequest } from '../../src/otc/send.ts';
import {
  createRoute,
  createScripted,
  failure,
  instancesRoute,
  newInstance,
  project,
  wireInstance,
} from './scripted-cloud.ts';

const base = `https://rds.example/v3/${project}`;
const bodyOf = (request: OtcRequest | undefined) => JSON.parse(request?.body ?? 'null');

t.test('an instance is read in our words', async (t) => {
  const wire = wireInstance(1, {
    type: 'Ha',
    port: 5432,
    datastore: { type: 'postgresql', version: '16', complete_version: '16.4' },
    ha: { replication_mode: 'async' },
    volume: { type: 'CLOUDSSD', size: 40 },
    flavor_ref: 'rds.pg.n1.large.2.ha',
    private_ips: ['192.168.0.9'],
    db_user_name: 'root',
    vpc_id: 'v',
    subnet_id: 's',
    security_group_id: 'g',
    switch_strategy: 'reliability',
    backup_strategy: { start_time: '01:00-02:00', keep_days: 7 },
    maintenance_window: '02:00-06:00',
    enable_ssl: true,
    tags: [{ key: 'a', value: 'b' }, { value: 'no key' }],
    nodes: [
      { id: 'n1', role: 'slave', status: 'ACTIVE', availability_zone: 'eu-de-02' },
      { id: 'n2', role: 'master', status: 'ACTIVE', availability_zone: 'eu-de-01' },
      { id: 'n3', role: 'witness' },
    ],
    related_instance: [
      { id: 'r1', type: 'replica' },
      { id: 'p1', type: 'replica_of' },
    ],
    created: '2025-01-01T10:00:00+0000',
  });
  const cloud = createScripted({ [instancesRoute]: () => ({ body: { instances: [wire], total_count: 1 } }) });
  t.same((await cloud.open().findInstanceById(wire.id)).value, {
    id: wire.id,
    name: 'team_db_1',
    status: 'ACTIVE',
    type: 'Ha',
    engine: 'PostgreSQL',
    version: '16',
    completeVersion: '16.4',
    port: 5432,
    flavor: 'rds.pg.n1.large.2.ha',
    volumeType: 'CLOUDSSD',
    volumeGb: 40,
    ip: '192.168.0.9',
    user: 'root',
    vpcId: 'v',
    subnetId: 's',
    securityGroupId: 'g',
    replicationMode: 'async',
    failoverStrategy: 'reliability',
    backupStartTime: '01:00-02:00',
    backupKeepDays: 7,
    maintenanceWindow: '02:00-06:00',
    ssl: true,
    tags: { a: 'b' },
    nodes: [
      { id: 'n1', role: 'slave', status: 'ACTIVE', availabilityZone: 'eu-de-02' },
      { id: 'n2', role: 'master', status: 'ACTIVE', availabilityZone: 'eu-de-01' },
    ],
    replicaOf: 'p1',
    replicaIds: ['r1'],
    createdAt: '2025-01-01T10:00:00+0000',
  });
});

t.test('an instance being built has no address and no creation time yet', async (t) => {
  const wire = wireInstance(1, { status: 'BUILD', created: '', private_ips: [], tags: null, port: '5432' });
  const cloud = createScripted({ [instancesRoute]: () => ({ body: { instances: [wire], total_count: 1 } }) });
  const { value } = await cloud.open().findInstanceById(wire.id);
  t.match(value, {
    status: 'BUILD',
    ip: undefined,
    createdAt: undefined,
    tags: {},
    port: 5432,
    type: 'Single',
  });
});

t.test('a fresh read carries the time of the cloud, or ours if it gave none', async (t) => {
  const cloud = createScripted({
    [instancesRoute]: (_, n) => ({
      headers: { date: n === 1 ? 'Thu, 01 Jan 2026 10:00:00 GMT' : 'garbage' },
      body: { instances: [], total_count: 0 },
    }),
  });
  t.equal((await cloud.open().findInstanceById('a')).at, Date.UTC(2026, 0, 1, 10));
  t.equal((await cloud.open().findInstanceById('a')).at, cloud.clock.now());
});

t.test('a filter that the cloud ignored does not hand out a wrong instance', async (t) => {
  const instances = [wireInstance(1), wireInstance(2)];
  const cloud = createScripted({ [instancesRoute]: () => ({ body: { instances, total_count: 2 } }) });
  t.equal((await cloud.open().findInstanceById('other')).value, undefined);
  const byName = await cloud.open().findInstancesByName('team_db_2');
  t.same(
    byName.value.map(({ id }) => id),
    [wireInstance(2).id],
  );
  t.match(cloud.calls.at(-1)?.url, `${base}/instances?name=team_db_2&offset=0&limit=100`);
});

t.test('a page that is shorter than its total is a failure, never absence', async (t) => {
  const cloud = createScripted({ [instancesRoute]: () => ({ body: { instances: [], total_count: 1 } }) });
  await t.rejects(cloud.open().findInstanceById(wireInstance(1).id), { code: 'LIST_CHANGED' });
  await t.rejects(cloud.open().findInstancesByName('team_db_1'), { code: 'LIST_CHANGED' });
});

t.test('a create sends what OTC wants: port as a string, HA only when asked for', async (t) => {
  const reply = () => ({ status: 202, body: { instance: { id: 'new' }, job_id: 'job' } });
  const cloud = createScripted({ [createRoute]: reply });
  t.same(await cloud.open().createInstance(newInstance), { id: 'new', jobId: 'job' });
  t.same(bodyOf(cloud.calls.at(-1)), {
    name: 'team_db_1',
    datastore: { type: 'PostgreSQL', version: '16' },
    flavor_ref: 'rds.pg.n1.large.2',
    volume: { type: 'CLOUDSSD', size: 40 },
    region: 'eu-de',
    availability_zone: 'eu-de-01',
    vpc_id: 'vpc-1',
    subnet_id: 'subnet-1',
    security_group_id: 'group-1',
    password: 'root-Secret-2',
    port: '5432',
    backup_strategy: { start_time: '01:00-02:00', keep_days: 7 },
  });
  await cloud.open().createInstance({ ...newInstance, replicationMode: 'sync' });
  t.same(bodyOf(cloud.calls.at(-1)).ha, { mode: 'Ha', replication_mode: 'sync' });
});

t.test('an id cannot leave its place in the path', async (t) => {
  const cloud = createScripted({ 'DELETE /v3/{project}/instances/{id}': () => ({ status: 202, body: '' }) });
  for (const id of ['', '..', 'a/b', 'a?b', 'a%2Fb']) {
    t.match(await failure(cloud.open().deleteInstance(id)), { code: 'BAD_ID', outcome: 'refused' });
  }
  t.same(await cloud.open().deleteInstance('abcin03'), { jobId: undefined });
  t.equal(cloud.calls.at(-1)?.url, `${base}/instances/abcin03`);
});

t.test('restart, growth and resize are actions with a job', async (t) => {
  const route = 'POST /v3/{project}/instances/{id}/action';
  const cloud = createScripted({ [route]: () => ({ status: 202, body: { job_id: 'job' } }) });
  t.same(await cloud.open().restartInstance('i'), { jobId: 'job' });
  t.same(bodyOf(cloud.calls.at(-1)), { restart: {} });
  t.same(await cloud.open().change('i', { kind: 'enlarge', sizeGb: 50 }), { jobId: 'job' });
  t.same(bodyOf(cloud.calls.at(-1)), { enlarge_volume: { size: 50 } });
  t.same(await cloud.open().change('i', { kind: 'resize', flavor: 'rds.pg.n1.xlarge.2' }), { jobId: 'job' });
  t.same(bodyOf(cloud.calls.at(-1)), { resize_flavor: { spec_code: 'rds.pg.n1.xlarge.2' } });
});

t.test('jobs are found, with any form of progress; an unknown one is undefined', async (t) => {
  const cloud = createScripted({
    'GET /v3/{project}/jobs': (_, n) =>
      [
        { body: { job: { id: 'j', name: 'CreateX', status: 'Running', process: '60%' } } },
        {
          body: { job: { id: 'j', name: 'CreateX', status: 'Failed', process: '', fail_reason: 'no room' } },
        },
        { status: 400, body: { error_code: 'DBS.200543' } },
        { status: 403, body: { error_code: 'DBS.200044' } },
        { body: { job: { id: 'j', status: 'Dreaming' } } },
      ][n - 1] ?? {},
  });
  const job = () => cloud.open().findJob('j');
  t.same(await job(), {
    id: 'j',
    name: 'CreateX',
    status: 'Running',
    progressPercent: 60,
    failReason: undefined,
  });
  t.match(await job(), { status: 'Failed', progressPercent: undefined, failReason: 'no room' });
  t.equal(await job(), undefined);
  t.match(await failure(job()), { code: 'DBS.200044' });
  t.match(await failure(job()), { code: 'UNREADABLE' });
});

t.test('tasks of an instance since a time, in pages of fifty', async (t) => {
  const all = Array.from({ length: 60 }, (_, n) => ({
    id: `t${n}`,
    name: 'Restart',
    instance_id: n < 59 ? 'i' : 'other',
    status: 'Completed',
    create_time: `${n}`,
  }));
  const cloud = createScripted({
    'GET /v3/{project}/tasklist': ({ url }) => {
      const offset = Number(new URL(url).searchParams.get('offset'));
      return { body: { tasks: all.slice(offset, offset + 50), total_count: 60 } };
    },
  });
  const tasks = await cloud.open().tasks('i', 1_000);
  t.equal(tasks.length, 59);
  t.same(tasks[1], { id: 't1', name: 'Restart', instanceId: 'i', status: 'Completed', createdAt: 1 });
  t.match(cloud.calls[1]?.url, 'instance_id=i&start_time=1000&limit=50&offset=0');
});

t.test('backups are listed with times in ms; a new one returns its id', async (t) => {
  const row = { id: 'b', name: 'final', instance_id: 'i', type: 'manual', status: 'COMPLETED', size: 2048 };
  const cloud = createScripted({
    'GET /v3/{project}/backups': () => ({
      body: {
        backups: [
          { ...row, begin_time: '2026-01-01T10:00:00+0000', end_time: '2026-01-01T10:05:00+0000' },
          { ...row, id: 'c', status: 'BUILDING', begin_time: '2026-01-01T10:00:00' },
        ],
        total_count: 2,
      },
    }),
    'POST /v3/{project}/backups': () => ({ body: { backup: { id: 'new' } } }),
  });
  const { value } = await cloud.open().backups('i');
  t.match(value, [
    { beginAt: Date.UTC(2026, 0, 1, 10), endAt: Date.UTC(2026, 0, 1, 10, 5), sizeKb: 2048 },
    { id: 'c', beginAt: Date.UTC(2026, 0, 1, 10), endAt: undefined },
  ]);
  t.same(await cloud.open().createBackup({ instanceId: 'i', name: 'final', description: 'd' }), {
    id: 'new',
  });
  t.same(bodyOf(cloud.calls.at(-1)), { instance_id: 'i', name: 'final', description: 'd' });
});

t.test('flavors are numbers, and kept for ten minutes per engine and version', async (t) => {
  const route = 'GET /v3/{project}/flavors/{db}';
  const flavor = {
    spec_code: 'f',
    vcpus: '2',
    ram: 4,
    version_name: ['16'],
    instance_mode: 'ha',
    az_status: { 'eu-de-01': 'normal', odd: 1 },
  };
  const cloud = createScripted({ [route]: () => ({ body: { flavors: [flavor] } }) });
  t.same(await cloud.open().flavors('PostgreSQL', '16'), [
    { code: 'f', vcpus: 2, ramGb: 4, versions: ['16'], mode: 'ha', stock: { 'eu-de-01': 'normal' } },
  ]);
  await cloud.open().flavors('PostgreSQL', '16');
  t.equal(cloud.count(route), 1);
  await cloud.open().flavors('MySQL', '8.0');
  t.equal(cloud.calls.at(-1)?.url, `${base}/flavors/MySQL?version_name=8.0`);
  await cloud.clock.advance(11 * 60_000);
  await cloud.open().flavors('PostgreSQL', '16');
  t.equal(cloud.count(route), 3);
});

t.test('an empty list of flavors is asked for again soon', async (t) => {
  const route = 'GET /v3/{project}/flavors/{db}';
  const cloud = createScripted({ [route]: () => ({ body: { flavors: [] } }) });
  await cloud.open().flavors('MySQL', '8.0');
  await cloud.open().flavors('MySQL', '8.0');
  t.equal(cloud.count(route), 1, 'not for every caller');
  await cloud.clock.advance(31_000);
  await cloud.open().flavors('MySQL', '8.0');
  t.equal(cloud.count(route), 2);
});

const tagRoute = 'POST /v3/{project}/instances/{id}/tags/action';
const readTagsRoute = 'GET /v3/{project}/instances/{id}/tags';
const tagExists = { status: 400, body: { error_code: 'DBS.200098' } };

t.test('tags are set and removed', async (t) => {
  const cloud = createScripted({ [tagRoute]: () => ({ body: '' }) });
  await cloud.open().tagInstance('i', { a: '1' });
  t.same(bodyOf(cloud.calls.at(-1)), { action: 'create', tags: [{ key: 'a', value: '1' }] });
  await cloud.open().untagInstance('i', ['a', 'b']);
  t.same(bodyOf(cloud.calls.at(-1)), { action: 'delete', tags: [{ key: 'a' }, { key: 'b' }] });
});

t.test('tagging again is no error, and adds what is missing', async (t) => {
  const cloud = createScripted({
    [tagRoute]: (_, n) => (n === 1 ? tagExists : { body: '' }),
    [readTagsRoute]: () => ({ body: { tags: [{ key: 'a', value: '1' }] } }),
  });
  await cloud.open().tagInstance('i', { a: '1', b: '2' });
  t.same(bodyOf(cloud.calls.at(-1)), { action: 'create', tags: [{ key: 'b', value: '2' }] });
  const again = createScripted({
    [tagRoute]: () => tagExists,
    [readTagsRoute]: () => ({ body: { tags: [{ key: 'a', value: '1' }] } }),
  });
  await again.open().tagInstance('i', { a: '1' });
  t.equal(again.count(tagRoute), 1);
});

t.test('a tag that stands with another value is not overwritten', async (t) => {
  const cloud = createScripted({
    [tagRoute]: () => tagExists,
    [readTagsRoute]: () => ({ body: { tags: [{ key: 'owner', value: 'someone' }] } }),
  });
  t.match(await failure(cloud.open().tagInstance('i', { owner: 'me' })), { code: 'DBS.200098' });
  t.equal(cloud.count(tagRoute), 1);
});
