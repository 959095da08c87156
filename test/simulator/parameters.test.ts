import t from 'tap';
import { type Json, MINUTE, postgres, testCloud } from './test-cloud.ts';

const named = (rows: Json[], name: string): Json => rows.find((row) => row.name === name);

t.test(
  'an instance takes parameters, ignores what it does not know, and says when a restart is due',
  async (t) => {
    const { build, clock, rds, simulator } = await testCloud();
    const id = await build();
    const path = `/instances/${id}/configurations`;
    const set = (values: object) => rds('PUT', path, { values });
    t.match(await set({ wait_timeout: '600', no_such_thing: '1', innodb_page_size: '8192' }), {
      status: 200,
      body: {
        restart_required: false,
        job_id: String,
        ignored_params: ['no_such_thing', 'innodb_page_size'],
      },
    });
    t.match((await set({ binlog_format: 'MIXED' })).body, { restart_required: true, ignored_params: [] });
    t.equal(simulator.state.instances[0]?.needsRestart, true);
    const shown = (await rds('GET', path)).body;
    t.notOk('id' in shown);
    t.match(shown, { datastore_name: 'mysql', datastore_version_name: '8.0' });
    t.match(named(shown.configuration_parameters, 'wait_timeout'), {
      value: '600',
      restart_required: false,
      readonly: false,
      value_range: '1-31536000',
      type: 'integer',
    });
    t.match(await set({ wait_timeout: '0' }), { status: 400, body: { error_code: 'DBS.200461' } });
    t.match(await set({ binlog_format: 'COLUMN' }), { status: 400, body: { error_code: 'DBS.200461' } });
    await rds('POST', `/instances/${id}/action`, { restart: {} });
    t.match(await set({ wait_timeout: '60' }), { status: 403, body: { error_code: 'DBS.212033' } }, 'busy');
    clock.advance(MINUTE);
    t.equal(simulator.state.instances[0]?.needsRestart, false);
  },
);

t.test('templates: the defaults cannot be changed, own ones can', async (t) => {
  const { rds } = await testCloud();
  const { configurations } = (await rds('GET', '/configurations')).body;
  const standard = named(configurations, 'Default-PostgreSQL-16');
  t.match(standard, {
    id: /pr03$/,
    datastore_name: 'postgresql',
    datastore_version_name: '16',
    user_defined: false,
  });
  t.match(await rds('PUT', `/configurations/${standard.id}`, { name: 'x' }), {
    status: 400,
    body: { error_code: 'DBS.212003' },
  });
  t.equal((await rds('DELETE', `/configurations/${standard.id}`)).status, 400);
  const order = {
    name: 'ours',
    values: { max_connections: '900', autovacuum: 'off' },
    datastore: postgres.datastore,
  };
  const made = await rds('POST', '/configurations', order);
  t.match(made, { status: 200, body: { configuration: { id: /pr03$/, name: 'ours', user_defined: true } } });
  t.match(await rds('POST', '/configurations', order), { status: 409, body: { error_code: 'DBS.212006' } });
  const path = `/configurations/${made.body.configuration.id}`;
  const rows = (await rds('GET', path)).body.configuration_parameters;
  t.equal(named(rows, 'autovacuum').value, 'off');
  t.equal(
    named(rows, 'max_connections').value,
    '500',
    'PostgreSQL templates skip what depends on the machine',
  );
  t.match(await rds('PUT', path, { description: 'new', values: { timezone: 'CET' } }), {
    status: 200,
    text: '',
  });
  t.equal((await rds('GET', path)).body.description, 'new');
  t.match(await rds('DELETE', path), { status: 200, text: '' });
  t.match(await rds('GET', path), { status: 404, body: { error_code: 'DBS.212001' } });
});

t.test('a template is applied to many instances, each with its own result', async (t) => {
  const { build, rds } = await testCloud();
  const id = await build();
  const pg = await build({ ...postgres, name: 'pg_db' });
  const datastore = { type: 'MySQL', version: '8.0' };
  const { configuration } = (
    await rds('POST', '/configurations', { name: 'ours', values: { binlog_format: 'MIXED' }, datastore })
  ).body;
  const reply = await rds('PUT', `/configurations/${configuration.id}/apply`, { instance_ids: [id, pg] });
  t.match(reply, {
    status: 200,
    body: {
      configuration_id: configuration.id,
      configuration_name: 'ours',
      apply_results: [
        { instance_id: id, restart_required: true, success: true },
        { instance_id: pg, success: false },
      ],
      success: false,
    },
  });
  const made = await build({ name: 'with_template', configuration_id: configuration.id });
  const rows = (await rds('GET', `/instances/${made}/configurations`)).body.configuration_parameters;
  t.equal(named(rows, 'binlog_format').value, 'MIXED');
});
