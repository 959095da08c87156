// The core with a hosting that is only played: what it wishes for, and how it waits.
import t from 'tap';
import type { Hosting, Progress, Wish } from '../../src/simulator/hosting.ts';
import { freePlace } from '../../src/simulator/real/addresses.ts';
import { mysqlHa, postgres, testCloud } from './test-cloud.ts';

function playedHosting() {
  const progress = new Map<string, Progress>();
  const wishes: Wish[] = [];
  const hosting: Hosting = {
    hosts: (engine) => engine === 'MySQL',
    place: ({ port }, placed) => freePlace(['10.9.9.9', '10.9.9.10'], port, placed),
    wish: (wish) => wishes.push(wish),
    progressOf: (task) => progress.get(task) ?? { is: 'working' },
    quiet: async () => {},
  };
  return { hosting, progress, last: () => wishes.at(-1) ?? { instances: [], backups: [] } };
}

const played = async () => {
  const { hosting, progress, last } = playedHosting();
  const cloud = await testCloud({ hosting });
  const built = async (changes: Record<string, unknown> = {}) => {
    const id = await cloud.build(changes);
    progress.set(`build ${id}`, { is: 'done' });
    await cloud.show(id);
    cloud.clock.advance(1000);
    return id;
  };
  return { ...cloud, progress, last, built };
};

t.test('an instance stays in BUILD until its database is there, and its job with it', async (t) => {
  const { rds, order, show, clock, progress, last } = await played();
  const { body } = await rds('POST', '/instances', await order());
  const { id } = body.instance;
  t.match(last().instances, [{ id, ip: '10.9.9.9', port: 3306, isOpen: false, password: 'Geheim-1234' }]);
  clock.advance(60 * 60_000);
  t.match(await show(id), { status: 'BUILD', private_ips: [] });
  t.equal((await rds('GET', `/jobs?id=${body.job_id}`)).body.job.status, 'Running');
  progress.set(`build ${id}`, { is: 'done' });
  clock.advance(1000);
  t.match(await show(id), { status: 'ACTIVE', private_ips: ['10.9.9.9'] });
  t.equal((await rds('GET', `/jobs?id=${body.job_id}`)).body.job.status, 'Running', 'the job ends after it');
  t.match(last(), { instances: [{ isOpen: true }], backups: [{ instanceId: id, isNew: true }] });
  clock.advance(10_000);
  t.equal((await rds('GET', `/jobs?id=${body.job_id}`)).body.job.status, 'Completed');
});

t.test('a build, a backup and a restore fail with the reason of the hosting', async (t) => {
  const { rds, order, show, clock, progress, built } = await played();
  const { body } = await rds('POST', '/instances', await order());
  progress.set(`build ${body.instance.id}`, { is: 'failed', reason: 'no disk' });
  clock.advance(10 * 60_000);
  t.equal((await show(body.instance.id)).status, 'CREATE FAIL');
  t.match((await rds('GET', `/jobs?id=${body.job_id}`)).body.job, {
    status: 'Failed',
    fail_reason: 'no disk',
  });

  const id = await built({ port: 3307 });
  const backup = (await rds('POST', '/backups', { instance_id: id, name: 'nightly' })).body.backup.id;
  clock.advance(60 * 60_000);
  t.equal((await show(id)).status, 'BACKING UP', 'as long as the dump takes');
  progress.set(`backup ${backup}`, { is: 'failed', reason: 'no disk' });
  clock.advance(1000);
  t.equal((await show(id)).status, 'ACTIVE');
  const list = `/backups?instance_id=${id}&backup_id=${backup}`;
  t.equal((await rds('GET', list)).body.backups[0].status, 'FAILED');

  const first = (await rds('GET', `/backups?instance_id=${id}&backup_type=auto`)).body.backups[0].id;
  const source = { instance_id: id, type: 'backup', backup_id: first };
  const { job_id } = (await rds('POST', '/instances/recovery', { source, target: { instance_id: id } })).body;
  progress.set(`restore ${job_id}`, { is: 'failed', reason: 'bad dump' });
  clock.advance(10 * 60_000);
  t.equal((await show(id)).status, 'FAILED');
  t.match((await rds('GET', `/jobs?id=${job_id}`)).body.job, { status: 'Failed', fail_reason: 'bad dump' });
});

t.test('a moment is restored from the last backup before it', async (t) => {
  const { rds, clock, progress, built, last } = await played();
  const id = await built();
  const first = (await rds('GET', `/backups?instance_id=${id}`)).body.backups[0].id;
  clock.advance(30 * 60_000);
  const moment = clock.now() - 10 * 60_000;
  const { id: later } = (await rds('POST', '/backups', { instance_id: id, name: 'later' })).body.backup;
  progress.set(`backup ${later}`, { is: 'done' });
  clock.advance(5 * 60_000);
  const source = { instance_id: id, type: 'timestamp', restore_time: moment };
  const reply = await rds('POST', '/instances/recovery', { source, target: { instance_id: id } });
  t.equal(reply.status, 200);
  t.match(last().instances[0], {
    isOpen: false,
    restore: { jobId: reply.body.job_id, backupId: first },
  });
});

t.test('only hosted engines are real; ports and addresses run out with a sentence', async (t) => {
  const { rds, order, show, clock, built, last, call } = await played();
  const id = await built(mysqlHa);
  const second = await built();
  t.same((await show(second)).private_ips, ['10.9.9.10'], 'the same port at the next address');
  const third = await rds('POST', '/instances', await order());
  t.match(third, { status: 400, body: { error_code: 'DBS.280001', error_msg: /Port 3306 is in use/ } });
  const other = (await rds('POST', '/instances', await order(postgres))).body.instance.id;
  clock.advance(10 * 60_000);
  t.match(await show(other), { status: 'ACTIVE', private_ips: [/^192\.168\./] });
  t.strictSame(new Set(last().instances.map((one) => one.id)), new Set([id, second]));
  t.equal((await rds('PUT', `/instances/${id}/ip`, { new_ip: '10.9.9.10' })).status, 400);
  await call('POST', '/_sim/reset');
  t.strictSame(last(), { instances: [], backups: [] });
});
