import t from 'tap';
import { DEMO_PROJECT } from '../../src/simulator/demo-account.ts';
import { DAY, type Json, postgres, testCloud } from './test-cloud.ts';

const span = 'start_date=2025-01-01T00:00:00%2B0000&end_date=2025-02-20T00:00:00%2B0000';

t.test('logs are paged by page number from 1, newest first', async (t) => {
  const { build, clock, rds } = await testCloud({ automatedBackups: false });
  const id = await build();
  clock.advance(DAY / 2);
  const page = async (query: string) => (await rds('GET', `/instances/${id}/errorlog?${span}&${query}`)).body;
  const first = await page('');
  t.equal(first.error_log_list.length, 10);
  t.ok(first.total_record > 60);
  t.match(first.error_log_list[0], { time: /^2025-01-01T22:\d0:00$/, level: String, content: String });
  t.strictSame((await page('offset=1')).error_log_list, first.error_log_list);
  const second = await page('offset=2&limit=5');
  t.strictSame(second.error_log_list, first.error_log_list.slice(5, 10));
  t.strictSame((await page('offset=1000')).error_log_list, []);
  const errors = await page('level=ERROR&limit=100');
  t.ok(errors.error_log_list.every(({ level }: Json) => level === 'ERROR'));
  t.ok(errors.total_record < first.total_record);
  for (const bad of ['offset=0', 'limit=101', 'level=LOUD'])
    t.equal((await rds('GET', `/instances/${id}/errorlog?${span}&${bad}`)).status, 400, bad);
  t.equal((await rds('GET', `/instances/${id}/errorlog`)).status, 400, 'dates are needed');
});

t.test('dates may have a plus, a space, an escaped plus or no offset', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  for (const offset of ['+0000', '%2B0000', '%200000', ''])
    t.equal(
      (
        await rds(
          'GET',
          `/instances/${id}/errorlog?start_date=2025-01-01T00:00:00${offset}&end_date=2025-01-02T00:00:00${offset}`,
        )
      ).status,
      200,
      offset,
    );
});

t.test('slow logs are strings, and PostgreSQL tells less', async (t) => {
  const { build, clock, call, rds } = await testCloud({ automatedBackups: false });
  const id = await build();
  const pg = await build({ ...postgres, name: 'pg_db' });
  clock.advance(DAY / 2);
  const [row] = (await rds('GET', `/instances/${id}/slowlog?${span}&level=ALL`)).body.slow_log_list;
  t.match(row, {
    count: /^\d+$/,
    time: /^\d+\.\d\d s$/,
    lock_time: String,
    rows_sent: String,
    query_sample: String,
  });
  const selects = (await rds('GET', `/instances/${id}/slowlog?${span}&type=SELECT`)).body.slow_log_list;
  t.ok(selects.every(({ type }: Json) => type === 'SELECT'));
  const [pgRow] = (await rds('GET', `/instances/${pg}/slowlog?${span}`)).body.slow_log_list;
  t.notOk('lock_time' in pgRow);
  const statistics = await call('POST', `/rds/v3.1/${DEMO_PROJECT.id}/instances/${id}/slow-logs/statistics`, {
    start_time: '2025-01-01T00:00:00+0000',
    end_time: '2025-01-02T00:00:00+0000',
    offset: 1,
    limit: 2,
  });
  t.match(statistics.body, {
    slow_log_list: [{ rows_sent: Number }, { rows_examined: Number }],
    total_count: Number,
  });
});

t.test('a fresh instance already has a first row', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  const { error_log_list } = (await rds('GET', `/instances/${id}/errorlog?${span}`)).body;
  t.equal(error_log_list.at(-1).time, '2025-01-01T10:06:00');
});

t.test('a log never has more than 2000 rows', async (t) => {
  const { build, clock, login, rds } = await testCloud({ automatedBackups: false });
  const id = await build();
  clock.advance(25 * DAY);
  await login();
  t.equal((await rds('GET', `/instances/${id}/errorlog?${span}`)).body.total_record, 2000);
});

t.test('log files can be downloaded by link', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  for (const kind of ['slowlog', 'errorlog'])
    t.match((await rds('POST', `/instances/${id}/${kind}-download`, {})).body, {
      status: 'FINISH',
      list: [{ file_link: String }],
      count: 1,
    });
});
