import t from 'tap';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { DAY, MINUTE, mysqlHa, postgres, testCloud, virtualClock } from './test-cloud.ts';

type Cloud = Awaited<ReturnType<typeof testCloud>>;

/** A little of everything; returns all that was answered, headers included. */
async function story(cloud: Cloud): Promise<string> {
  const { clock, login, order, rds } = cloud;
  const answers: unknown[] = [await login()];
  for (const changes of [{}, mysqlHa, { ...postgres, name: 'pg_db' }])
    answers.push(await rds('POST', '/instances', await order({ ...changes })));
  clock.advance(10 * MINUTE);
  const [first] = cloud.simulator.state.instances;
  answers.push(await rds('POST', '/backups', { instance_id: first?.id, name: 'story_backup' }));
  clock.advance(5 * MINUTE);
  answers.push(await rds('GET', '/instances'), await rds('GET', '/tasklist'), await rds('GET', '/nothing'));
  clock.advance(2 * DAY);
  answers.push(
    await login(),
    await rds('GET', `/backups?instance_id=${first?.id}`),
    await rds('GET', '/instances'),
  );
  return JSON.stringify(answers);
}

t.test('the same seed, clock and calls give byte-identical answers', async (t) => {
  const options = { seed: 42, shuffleList: true };
  const first = await story(await testCloud(options));
  t.equal(await story(await testCloud(options)), first);
  t.not(await story(await testCloud({ ...options, seed: 43 })), first);
});

t.test('a saved cloud goes on exactly as the original would', async (t) => {
  const original = await testCloud({ seed: 7 });
  const token = await original.login();
  await original.rds('POST', '/instances', await original.order());
  original.simulator.faults.add({ kind: 'failed-build', times: 3 });
  original.clock.advance(2 * MINUTE);
  const copy = await testCloud({ seed: 99 });
  copy.simulator.load(original.simulator.save());
  copy.clock.advance(2 * MINUTE);
  copy.useToken(token);
  t.equal(copy.simulator.save(), original.simulator.save());
  t.equal(await story(copy), await story(original));
  t.equal(copy.simulator.faults.list()[0]?.fired, 3);
});

t.test('only a saved simulator can be loaded', (t) => {
  const simulator = createSimulator({ clock: virtualClock() });
  for (const text of ['', '{}', '[]', '{"version":2,"world":{},"faults":[]}'])
    t.throws(() => simulator.load(text), /not a saved simulator/);
  t.end();
});

t.test('states move with the clock, however rarely anyone looks', async (t) => {
  const often = await testCloud();
  const rarely = await testCloud();
  const ids = [];
  for (const cloud of [often, rarely])
    ids.push((await cloud.rds('POST', '/instances', await cloud.order())).body.instance.id);
  for (let n = 0; n < 60; n++) {
    often.clock.advance(MINUTE);
    t.ok(often.simulator.state.instances);
  }
  rarely.clock.advance(60 * MINUTE);
  t.strictSame(rarely.simulator.state, often.simulator.state);
});

t.test('speed divides durations and nothing else', async (t) => {
  const { clock, order, rds, show } = await testCloud({ speed: 60 });
  const { id } = (await rds('POST', '/instances', await order())).body.instance;
  clock.advance(6_000);
  t.match(await show(id), { status: 'ACTIVE', created: '2025-01-01T10:00:00+0000' });
  const reply = await rds('GET', '/instances');
  t.equal(reply.headers.date, 'Wed, 01 Jan 2025 10:00:06 GMT');
});

t.test('durations can be set one by one', async (t) => {
  const { clock, order, rds, show } = await testCloud({ durations: { createMs: 1_000 } });
  const { id } = (await rds('POST', '/instances', await order())).body.instance;
  clock.advance(1_000);
  t.equal((await show(id)).status, 'ACTIVE');
});
