import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { DAY, HOUR, type Json, MINUTE, postgres, testCloud } from './test-cloud.ts';

t.test('a backup shows BUILDING, then COMPLETED, and the instance BACKING UP meanwhile', async (t) => {
  const { build, clock, rds, show } = await testCloud();
  const id = await build();
  const reply = await rds('POST', '/backups', {
    instance_id: id,
    name: 'before_move',
    description: 'just in case',
  });
  t.equal(reply.status, 200);
  t.match(reply.body, {
    backup: {
      id: /^[0-9a-f]{32}br01$/,
      instance_id: id,
      name: 'before_move',
      description: 'just in case',
      begin_time: '2025-01-01T10:10:00',
      status: 'BUILDING',
      type: 'manual',
    },
  });
  t.notOk('job_id' in reply.body);
  t.equal((await show(id)).status, 'BACKING UP');
  for (const [method, path, body] of [
    ['POST', `/instances/${id}/action`, { restart: {} }],
    ['POST', `/instances/${id}/action`, { enlarge_volume: { size: 50 } }],
    ['PUT', `/instances/${id}/port`, { port: 3310 }],
    ['DELETE', `/instances/${id}`, undefined],
  ] as const)
    t.equal((await rds(method, path, body)).status, 409, path);
  const second = await rds('POST', '/backups', { instance_id: id, name: 'at_once' });
  t.match(second, { status: 409, body: { error_code: 'DBS.201202' } });
  clock.advance(2 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  const { backups, total_count } = (await rds('GET', `/backups?instance_id=${id}&backup_type=manual`)).body;
  t.equal(total_count, 1);
  t.match(backups[0], {
    status: 'COMPLETED',
    type: 'manual',
    size: Number,
    begin_time: '2025-01-01T10:10:00+0000',
    end_time: '2025-01-01T10:12:00+0000',
    datastore: { type: 'MySQL', version: '8.0' },
  });
});

t.test(
  'a backup is refused for a taken name, a bad description, an unknown instance or a replica',
  async (t) => {
    const { build, clock, rds } = await testCloud();
    const id = await build();
    await rds('POST', '/backups', { instance_id: id, name: 'twice' });
    clock.advance(5 * MINUTE);
    const ask = (changes: object) => rds('POST', '/backups', { instance_id: id, name: 'fresh', ...changes });
    t.match(await ask({ name: 'twice' }), { status: 409, body: { error_code: 'DBS.201201' } });
    t.equal((await ask({ name: 'a' })).status, 400);
    t.equal((await ask({ description: 'a=b' })).status, 400);
    t.equal((await ask({ instance_id: `${'0'.repeat(32)}in01` })).status, 404);
    const replica = await build({ name: 'copy', replica_of_id: id, flavor_ref: 'rds.mysql.n1.large.2.rr' });
    t.equal((await ask({ instance_id: replica })).status, 400);
  },
);

t.test('backups are listed per instance, filtered and paged', async (t) => {
  const { build, clock, rds } = await testCloud();
  const id = await build();
  for (const name of ['one_backup', 'two_backup']) {
    await rds('POST', '/backups', { instance_id: id, name });
    clock.advance(HOUR);
  }
  const names = async (query: string) =>
    (await rds('GET', `/backups?instance_id=${id}&${query}`)).body.backups.map(({ name }: Json) => name);
  t.strictSame(await names('backup_type=manual'), ['two_backup', 'one_backup']);
  t.equal(
    (await names('backup_type=auto')).length,
    1,
    'the cloud makes one by itself when the instance is built',
  );
  t.strictSame(await names('backup_type=manual&offset=1&limit=1'), ['one_backup']);
  t.strictSame(await names('begin_time=2025-01-01T11:00:00%2B0000&end_time=2025-01-01T12:00:00%2B0000'), [
    'two_backup',
  ]);
  t.equal((await rds('GET', '/backups')).status, 400, 'the instance must be named');
  t.equal((await rds('GET', `/backups?instance_id=${id}&begin_time=2025-01-01T11:00:00`)).status, 400);
  t.strictSame((await rds('GET', `/backups?instance_id=${'0'.repeat(32)}in01`)).body, {
    backups: [],
    total_count: 0,
  });
});

t.test('a manual backup is deleted over DELETING; an automated one cannot be', async (t) => {
  const { build, clock, rds, simulator } = await testCloud();
  const id = await build();
  const auto = simulator.state.backups[0]?.id;
  t.equal((await rds('DELETE', `/backups/${auto}`)).status, 400);
  const { backup } = (await rds('POST', '/backups', { instance_id: id, name: 'brief' })).body;
  t.equal((await rds('DELETE', `/backups/${backup.id}`)).status, 409);
  clock.advance(2 * MINUTE);
  t.match(await rds('DELETE', `/backups/${backup.id}`), { status: 200, text: '' });
  t.match((await rds('GET', `/backups?instance_id=${id}&backup_id=${backup.id}`)).body.backups, [
    { status: 'DELETING' },
  ]);
  clock.advance(MINUTE);
  t.match(await rds('DELETE', `/backups/${backup.id}`), { status: 404, body: { error_code: 'DBS.201010' } });
});

t.test('a failed backup says FAILED and leaves the instance usable', async (t) => {
  const { build, clock, rds, show, simulator } = await testCloud();
  const id = await build();
  simulator.faults.add({ kind: 'failed-backup' });
  await rds('POST', '/backups', { instance_id: id, name: 'unlucky' });
  clock.advance(2 * MINUTE);
  t.match((await rds('GET', `/backups?instance_id=${id}&backup_type=manual`)).body.backups, [
    { status: 'FAILED' },
  ]);
  t.equal((await show(id)).status, 'ACTIVE');
});

t.test('a stuck backup is made for ever, and so its instance is busy', async (t) => {
  const { build, clock, rds, show, simulator } = await testCloud();
  const id = await build();
  simulator.faults.add({ kind: 'stuck-backup' });
  await rds('POST', '/backups', { instance_id: id, name: 'endless' });
  clock.advance(600 * MINUTE);
  t.match((await rds('GET', `/backups?instance_id=${id}&backup_type=manual`)).body.backups, [
    { status: 'BUILDING' },
  ]);
  t.equal((await show(id)).status, 'BACKING UP');
});

t.test('the policy is read and written; start and days may be left out only for keep_days 0', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  const path = `/instances/${id}/backups/policy`;
  t.strictSame((await rds('GET', path)).body, {
    backup_policy: { keep_days: 7, start_time: '01:00-02:00', period: '1,2,3,4,5,6,7' },
  });
  const set = (backup_policy: object) => rds('PUT', path, { backup_policy });
  t.match(await set({ keep_days: 9, start_time: '03:15-04:15', period: '1,3' }), { status: 200, text: '' });
  t.match((await rds('GET', path)).body.backup_policy, {
    keep_days: 9,
    start_time: '03:15-04:15',
    period: '1,3',
  });
  t.match(await set({ keep_days: 900, start_time: '03:15-04:15', period: '1' }), {
    status: 400,
    body: { error_code: 'DBS.201101' },
  });
  t.match(await set({ keep_days: 9, start_time: '03:15-05:15', period: '1' }), {
    status: 400,
    body: { error_code: 'DBS.201103' },
  });
  t.match(await set({ keep_days: 9, start_time: '03:15-04:15', period: '8' }), {
    status: 400,
    body: { error_code: 'DBS.201106' },
  });
  t.equal((await set({ keep_days: 9 })).status, 400);
  t.equal((await set({ keep_days: 0 })).status, 200);
  t.equal((await rds('GET', path)).body.backup_policy.keep_days, 0);
});

t.test('the cloud backs up once a day in its window and forgets what is too old', async (t) => {
  const { build, clock, login, rds, show, simulator } = await testCloud();
  const id = await build({ backup_strategy: { start_time: '01:00-02:00', keep_days: 2 } });
  clock.advance(Date.UTC(2025, 0, 2, 1) - clock.now());
  t.equal((await show(id)).status, 'BACKING UP');
  clock.advance(2 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  clock.advance(5 * DAY);
  await login();
  const autos = (await rds('GET', `/backups?instance_id=${id}&backup_type=auto`)).body.backups;
  t.strictSame(
    autos.map(({ begin_time }: Json) => begin_time.slice(0, 10)),
    ['2025-01-07', '2025-01-06'],
  );
  t.equal(simulator.state.instances[0]?.status, 'ACTIVE');
});

t.test('a daily backup waits while the instance is busy', async (t) => {
  const { build, clock, rds, show, simulator } = await testCloud();
  const id = await build();
  clock.advance(Date.UTC(2025, 0, 2, 0, 59) - clock.now());
  await rds('POST', `/instances/${id}/action`, { resize_flavor: { spec_code: 'rds.mysql.n1.xlarge.2' } });
  clock.advance(10 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  t.equal(simulator.state.backups.length, 1);
  clock.advance(6 * MINUTE);
  t.equal((await show(id)).status, 'BACKING UP');
});

t.test('restorable times reach from the first backup to some minutes ago', async (t) => {
  const { build, clock, rds } = await testCloud();
  const id = await build();
  clock.advance(HOUR);
  const { restore_time } = (await rds('GET', `/instances/${id}/restore-time`)).body;
  t.strictSame(restore_time, [
    { start_time: Date.UTC(2025, 0, 1, 10, 6), end_time: clock.now() - 5 * MINUTE },
  ]);
  t.equal((await rds('GET', `/instances/${id}/restore-time?date=2025-01-01`)).body.restore_time.length, 1);
  t.strictSame((await rds('GET', `/instances/${id}/restore-time?date=2024-12-31`)).body.restore_time, []);
  t.equal((await rds('GET', `/instances/${id}/restore-time?date=today`)).status, 400);
});

t.test('a new instance is made from a backup, also when the source is gone', async (t) => {
  const { build, clock, order, rds, show, simulator } = await testCloud();
  const id = await build({ volume: { type: 'CLOUDSSD', size: 100 } });
  const { backup } = (await rds('POST', '/backups', { instance_id: id, name: 'last_one' })).body;
  clock.advance(2 * MINUTE);
  await rds('DELETE', `/instances/${id}`);
  clock.advance(MINUTE);
  const restore_point = { instance_id: id, type: 'backup', backup_id: backup.id };
  const size = (gb: number) => ({ volume: { type: 'CLOUDSSD', size: gb } });
  const ask = async (changes: object) =>
    rds(
      'POST',
      '/instances',
      await order({ name: 'reborn', datastore: undefined, region: undefined, restore_point, ...changes }),
    );
  t.equal((await ask(size(90))).status, 400, 'too small');
  t.equal((await ask({ ...size(100), restore_point: { ...restore_point, backup_id: 'x' } })).status, 404);
  const reply = await ask(size(100));
  t.equal(reply.status, 202);
  clock.advance(6 * MINUTE);
  t.match(await show(reply.body.instance.id), {
    status: 'ACTIVE',
    datastore: { type: 'MySQL', version: '8.0' },
  });
  t.strictSame(simulator.state.instances[0]?.restoredFrom, { instanceId: id, backupId: backup.id });
});

t.test('a new instance is made from a point in time within the restorable span', async (t) => {
  const { build, clock, order, rds } = await testCloud();
  const id = await build(postgres);
  clock.advance(HOUR);
  const ask = async (restore_time: number) =>
    rds(
      'POST',
      '/instances',
      await order({
        ...postgres,
        name: 'reborn',
        datastore: undefined,
        restore_point: { instance_id: id, type: 'timestamp', restore_time },
      }),
    );
  t.equal((await ask(clock.now() - 10 * MINUTE)).status, 202);
  t.equal((await ask(clock.now() - 10 * DAY)).status, 400);
  t.equal((await ask(clock.now())).status, 400);
});

t.test('recovery in place: MySQL onto itself, PostgreSQL only onto another', async (t) => {
  const { build, call, clock, rds, show } = await testCloud();
  const id = await build();
  clock.advance(HOUR);
  const moment = { type: 'timestamp', restore_time: clock.now() - 10 * MINUTE, backup_id: '' };
  const recover = (source: string, target: string) =>
    rds('POST', '/instances/recovery', {
      source: { instance_id: source, ...moment },
      target: { instance_id: target },
    });
  t.match(await recover(id, id), { status: 200, body: { job_id: String } });
  t.equal((await show(id)).status, 'RESTORING');
  t.equal((await recover(id, id)).status, 409);
  clock.advance(5 * MINUTE);
  t.equal((await show(id)).status, 'ACTIVE');
  const newer = await call('POST', `/rds/v3.1/${DEMO_PROJECT.id}/instances/recovery`, {
    source: { instance_id: id, ...moment },
    target: { instance_id: id },
  });
  t.equal(newer.status, 202);
  const pg = await build({ ...postgres, name: 'pg_one' });
  const other = await build({ ...postgres, name: 'pg_two' });
  clock.advance(HOUR);
  moment.restore_time = clock.now() - 10 * MINUTE;
  t.match(await recover(pg, pg), { status: 400, body: { error_code: 'DBS.280238' } });
  t.equal((await recover(pg, id)).status, 400, 'another engine');
  t.equal((await recover(pg, other)).status, 200);
});

t.test('the files of a backup have links', async (t) => {
  const { build, rds, simulator } = await testCloud();
  await build();
  const reply = await rds('GET', `/backup-files?backup_id=${simulator.state.backups[0]?.id}`);
  t.match(reply.body, { files: [{ name: String, size: Number, download_link: String }], bucket: String });
  t.equal((await rds('GET', '/backup-files?backup_id=none')).status, 404);
});
