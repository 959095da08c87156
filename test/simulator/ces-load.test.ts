// Load: what is ordered from outside, and the curve that databases follow by themselves.
import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import type { SimulatorOptions } from '../../src/simulator/options.ts';
import { DAY, HOUR, type Json, MINUTE, testCloud } from './test-cloud.ts';

async function loadedCloud(options: SimulatorOptions = {}) {
  const cloud = await testCloud({ automatedBackups: false, ...options });
  const id = await cloud.build();
  const load = (values: Json) => cloud.call('POST', '/_sim/load', { id, ...values });
  async function history(metric: string, from: number, period: number): Promise<number[]> {
    await cloud.login();
    const dimension = `namespace=SYS.RDS&metric_name=${metric}&dim.0=rds_cluster_id,${id}`;
    const query = `${dimension}&from=${from}&to=${cloud.clock.now()}&period=${period}&filter=average`;
    const reply = await cloud.call('GET', `/ces/V1.0/${DEMO_PROJECT.id}/metric-data?${query}`);
    return reply.body.datapoints.map(({ average }: Json) => average);
  }
  /** Of the last whole period of five minutes. */
  async function latest(metric: string): Promise<number | undefined> {
    cloud.clock.advance(10 * MINUTE);
    return (await history(metric, cloud.clock.now() - 10 * MINUTE, 300)).at(-1);
  }
  const act = async (body: Json) => {
    await cloud.login();
    await cloud.rds('POST', `/instances/${id}/action`, body);
    cloud.clock.advance(20 * MINUTE);
  };
  return { ...cloud, id, load, history, latest, act };
}

t.test('the same work is a smaller part of a bigger machine and of a bigger disk', async (t) => {
  const { act, history, latest, load, clock } = await loadedCloud();
  const before = clock.now();
  await load({ cpu: 96, mem: 80, disk: 90 });
  t.equal(await latest('rds001_cpu_util'), 96);
  const queries = await latest('rds008_qps');
  await act({ resize_flavor: { spec_code: 'rds.mysql.n1.xlarge.4' } });
  t.equal(await latest('rds001_cpu_util'), 48, 'twice the cores');
  t.equal(await latest('rds002_mem_util'), 20, 'four times the memory');
  t.equal(await latest('rds008_qps'), queries, 'as many queries as before');
  await act({ enlarge_volume: { size: 60 } });
  t.equal(await latest('rds039_disk_util'), 60);
  t.equal(await latest('rds048_disk_used_size'), 36);
  const past = await history('rds001_cpu_util', before, 300);
  t.equal(past[0], 96, 'the past stays as it was');
  await act({ resize_flavor: { spec_code: 'rds.mysql.n1.medium.2' } });
  t.equal(await latest('rds001_cpu_util'), 100, 'no machine does more than it can');
  await act({ resize_flavor: { spec_code: 'rds.mysql.n1.large.2' } });
  t.equal(await latest('rds001_cpu_util'), 96, 'and the work is still there');
});

t.test('without an order the load follows the day, and the disk grows', async (t) => {
  const { clock, history, load } = await loadedCloud();
  clock.advance(7 * DAY);
  const begin = Date.UTC(2025, 0, 6);
  const monday = (await history('rds001_cpu_util', begin, 3600)).slice(0, 24);
  const [night = 0, noon = 0] = [monday[3], monday[13]];
  t.ok(night > 10 && night < 14, `at night ${night} %`);
  t.ok(noon > 45 && noon < 53, `at noon ${noon} %`);
  const sunday = (await history('rds001_cpu_util', Date.UTC(2025, 0, 5), 3600))[13] ?? 0;
  t.ok(sunday < noon - 10, `on Sunday ${sunday} %`);
  const disk = await history('rds039_disk_util', begin, 3600);
  t.ok(
    disk.every((value, index) => index === 0 || value >= (disk[index - 1] ?? 0)),
    'no file is ever removed',
  );
  t.equal((disk.at(-1) ?? 0).toFixed(0), '12', '5 % at first and 1 % a day');
  await load({ scale: 2 });
  clock.advance(DAY);
  const scaled = await history('rds001_cpu_util', clock.now() - DAY, 3600);
  t.ok(Math.max(...scaled) > 85, 'twice the work');
});

t.test('a disk that grows becomes full at its time, and grows by itself where that is on', async (t) => {
  const { call, clock, id, load, login, rds, simulator } = await loadedCloud();
  const status = () => simulator.state.instances[0]?.status;
  await load({ growthGbPerDay: 4 });
  clock.advance(9 * DAY - HOUR);
  t.equal(status(), 'ACTIVE');
  clock.advance(6 * HOUR);
  t.equal(status(), 'STORAGE FULL', '2 GB and nine days of 4 GB are 95 %, and it goes on');
  await login();
  await rds('POST', `/instances/${id}/action`, { enlarge_volume: { size: 80 } });
  clock.advance(10 * MINUTE);
  t.equal(status(), 'ACTIVE');
  await rds('PUT', `/instances/${id}/disk-auto-expansion`, {
    switch_option: true,
    limit_size: 200,
    trigger_threshold: 10,
  });
  clock.advance(30 * DAY);
  t.equal(status(), 'ACTIVE');
  const { volumeGb } = simulator.state.instances[0] ?? { volumeGb: 0 };
  t.ok(volumeGb >= 170 && volumeGb <= 200, `${volumeGb} GB for about 157 GB of data`);
  clock.advance(30 * DAY);
  t.equal(simulator.state.instances[0]?.volumeGb, 200, 'up to its limit');
  t.equal(status(), 'STORAGE FULL');
  t.match((await call('POST', '/_sim/load', { id, scale: 'much' })).body, { error: /scale/ });
});

t.test('with speed the days of the curve pass faster too', async (t) => {
  const { clock, history } = await loadedCloud({ speed: 1440 });
  const begin = clock.now();
  clock.advance(7 * MINUTE);
  const disk = await history('rds039_disk_util', begin, 3600);
  t.equal(((disk.at(-1) ?? 0) - (disk[0] ?? 0)).toFixed(0), '7', 'seven days in seven minutes');
});
