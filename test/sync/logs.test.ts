import t from 'tap';
import { HOUR, MINUTE, SECOND } from '../support/world.ts';
import { createLogWorld, IMAGE } from './log-world.ts';

/** With the margin for two clocks, and the time until the next look. */
const KEY_LIFE = 18 * MINUTE;

t.test('an order by annotation makes a Job with keys that can do nothing else, and they end', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.order('first');
  const job = await world.onlyJob();
  const access = await world.accessOf(job.metadata.name);
  t.match(job.metadata.name, /^shop-logs-[0-9a-f]{12}-1-1$/);
  t.match(access.errorlog, { form: 'keys', accessKey: String, expiresAt: Number });
  t.match(await world.status('shop'), {
    handled: { 'otc.mcsps.de/logs': 'first' },
    logJob: { name: job.metadata.name, state: 'Running' },
  });
  t.match(world.simulator.state.accessKeys, [{ policy: [{ effect: 'Allow', actions: ['rds:log:list'] }] }]);

  const output = await world.run(job);
  t.ok(output.length > 10);
  const status = await world.status('shop');
  t.match(status.logJob, {
    state: 'Succeeded',
    errorlog: { lines: 7, exitCode: 0 },
    slowlog: { lines: 7, exitCode: 0 },
  });
  t.match(await world.logsCondition(), {
    status: 'True',
    reason: 'LogsRead',
    message: /kubectl logs job\/shop-logs-/,
  });
  t.notOk(await world.isRefused(access), 'keys cannot be revoked');
  t.equal((await world.secrets()).length, 1, 'so their Secret stays');

  await world.clock.advance(KEY_LIFE);
  t.ok(await world.isRefused(access));
  t.same(await world.secrets(), []);
  t.same((await world.journal()).credentials, []);
  t.equal((await world.jobs()).length, 1, 'people still read the Job');
  await world.end(job, 'Complete', 'Ended', world.clock.now() - 25 * HOUR);
  await world.clock.advance(2 * MINUTE);
  t.same(await world.jobs(), []);
  t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
  t.equal(world.issues(), 1);
});

t.test('the Job holds no secret, is restricted, and each container sees its own file only', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.order('2h');
  const job = await world.onlyJob();
  const { errorlog } = await world.accessOf(job.metadata.name);
  const secrets = errorlog?.form === 'keys' ? [errorlog.secretKey, errorlog.securityToken] : [];
  for (const secret of secrets) t.notMatch(JSON.stringify(job), secret);
  const { backoffLimit, activeDeadlineSeconds, template } = job.spec as {
    backoffLimit: number;
    activeDeadlineSeconds: number;
    template: { spec: { containers: Record<string, unknown>[]; volumes: unknown[] } };
  };
  t.match({ backoffLimit, activeDeadlineSeconds }, { backoffLimit: 0, activeDeadlineSeconds: 780 });
  t.match(template.spec, {
    automountServiceAccountToken: false,
    restartPolicy: 'Never',
    securityContext: { runAsNonRoot: true, seccompProfile: { type: 'RuntimeDefault' } },
    volumes: [
      { name: 'errorlog-credential', secret: { items: [{ key: 'errorlog' }] } },
      { name: 'slowlog-credential', secret: { items: [{ key: 'slowlog' }] } },
    ],
  });
  for (const container of template.spec.containers) {
    t.match(container, {
      image: IMAGE,
      command: ['node', 'src/jobs/logs.ts', container.name],
      volumeMounts: [{ name: `${container.name}-credential`, readOnly: true }],
      securityContext: {
        allowPrivilegeEscalation: false,
        readOnlyRootFilesystem: true,
        capabilities: { drop: ['ALL'] },
      },
    });
    t.notOk('env' in container);
  }
  const [secret] = await world.secrets();
  t.match(secret, { immutable: true });
});

t.test('the value is the span; any other text means a day', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  for (const [value, hours] of [
    ['2h', 2],
    ['90m', 1.5],
    ['1d12h', 36],
    ['because', 24],
    ['2026-11-16', 24],
    ['0h', 24],
    ['900d', 720],
    ['x'.repeat(5_000), 24],
  ] as const) {
    await world.order(value);
    const { from = '', to = '' } = (await world.status('shop')).logJob ?? {};
    t.equal((Date.parse(to) - Date.parse(from)) / 3_600_000, hours, value);
  }
});

t.test('an order is carried out once, whatever old pictures come along', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.order('a');
  await world.run(await world.onlyJob());
  await world.order('b');
  await world.run(await world.onlyJob());
  t.equal(world.issues(), 2);
  const old = world.calls.find(({ path, body }) => {
    const { annotations } = (body as { parent: { metadata: { annotations?: Record<string, string> } } })
      .parent.metadata;
    return path.endsWith('/sync') && annotations?.['otc.mcsps.de/logs'] === 'a';
  });
  for (let count = 0; count < 3; count += 1) {
    const answer = await world.app.inject({ method: 'POST', url: '/sync', payload: old?.body as object });
    t.equal(answer.statusCode, 429, 'the live Rds says otherwise');
  }
  await world.clock.advance(10 * MINUTE);
  t.equal(world.issues(), 2);
});

t.test('status.logs: true is an order, answered false, and may be given again', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  for (const count of [1, 2]) {
    await world.orderByBoolean();
    t.equal((await world.status('shop')).logs, false);
    await world.run(await world.onlyJob());
    t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
    await world.clock.advance(5 * MINUTE);
    t.equal(world.issues(), count);
    t.notOk((await world.status('shop')).handled?.['status.logs'], 'ready for the next');
  }
  t.notOk(
    world.calls.some(
      ({ status, answer }) => status === 200 && (answer as { status?: { logs?: boolean } }).status?.logs,
    ),
  );
});

t.test('a view without the new Secret asks for no second credential', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.order('a');
  const { body } = world.calls.findLast(({ path }) => path.endsWith('/sync')) ?? {};
  const now = await world.rds('shop');
  for (let count = 0; count < 5; count += 1) {
    const payload = { ...(body as object), parent: now, children: {} };
    const answer = await world.app.inject({ method: 'POST', url: '/sync', payload });
    t.equal(answer.statusCode, 200);
  }
  t.equal(world.issues(), 1);
  t.equal((await world.secrets()).length, 1);
});

t.test('replicas that race for an order give out one credential', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  const others = await Promise.all([world.startReplica(), world.startReplica()]);
  t.teardown(() => Promise.all(others.map((app) => app.close())));
  const { body } = world.calls.findLast(({ path }) => path.endsWith('/sync')) ?? {};
  await world.annotate('shop', { 'otc.mcsps.de/logs': 'a' });
  const payload = { ...(body as object), parent: await world.rds('shop') };
  const answers = await Promise.all(
    [...others, world.app].map((app) => app.inject({ method: 'POST', url: '/sync', payload })),
  );
  await world.clock.advance(MINUTE);
  t.equal(world.issues(), 1);
  const given = answers.filter(({ body: text }) => text.includes('errorlog-credential'));
  t.ok(given.length <= 1, 'and one call at most hands it on');
});

t.test('a database that is not there: said, and the order is done with', async (t) => {
  const world = await createLogWorld(t);
  await world.apply('shop', {}, { 'otc.mcsps.de/logs': 'now' });
  await world.clock.advance(10 * SECOND);
  t.match(await world.status('shop'), {
    handled: { 'otc.mcsps.de/logs': 'now' },
    logJob: { state: 'Refused', message: /There is no database yet/ },
  });
  t.match(await world.logsCondition(), { status: 'False', reason: 'LogsRefused' });
  t.ok(await world.reaches('shop', 'Ready'));
  t.equal(world.issues(), 0);
  await world.order('again');
  await world.run(await world.onlyJob());
  t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
});

t.test('a database that was deleted in the console: said', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.byHand('DELETE', `/instances/${(await world.status('shop')).id}`);
  await world.clock.advance(30 * MINUTE);
  await world.order('why');
  t.match((await world.status('shop')).logJob, { state: 'Refused', message: /does not list instance/ });
});

t.test('SQL Server has no slow log: said in status', async (t) => {
  const world = await createLogWorld(t);
  await world.ready('shop', {
    datastoretype: 'SQLServer',
    datastoreversion: '2022_SE',
    flavorref: 'rds.mssql.n1.large.2',
    port: '1433',
  });
  await world.order('a');
  const output = await world.run(await world.onlyJob());
  t.ok(output.some((line) => line.includes('SQL Server has no slow log.')));
  t.match((await world.status('shop')).logJob, {
    state: 'Succeeded',
    slowlog: { lines: 0, note: 'SQL Server has no slow log.' },
    message: /slowlog: SQL Server has no slow log/,
  });
});

t.test('the slowest statements are listed when the annotation asks for them', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.annotate('shop', { 'otc.mcsps.de/slow-queries': '2' });
  await world.order('a');
  const output = await world.run(await world.onlyJob());
  const line = output.find((one) => one.includes('"top"')) ?? '{}';
  t.equal(JSON.parse(line).top.length, 2);
  t.notMatch(JSON.stringify(await world.status('shop')), /SELECT|UPDATE|INSERT|DELETE FROM/);
});

t.test('a paused Rds takes no order, and takes it up later', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.apply('shop', { paused: true });
  await world.order('a');
  await world.clock.advance(5 * MINUTE);
  t.equal(world.issues(), 0);
  await world.apply('shop', {});
  await world.clock.advance(5 * SECOND);
  t.equal(world.issues(), 1);
});

t.test('while no credential is to be had, everything else goes on', async (t) => {
  const world = await createLogWorld(t);
  await world.ready('shop', { volumesize: 40 });
  world.failing('503', { method: 'POST', path: '/v3.0/*' }, 1e6);
  await world.order('a');
  await world.apply('shop', { volumesize: 50 });
  await world.clock.advance(10 * MINUTE);
  const status = await world.status('shop');
  t.equal(status.volumeGb, 50);
  t.match(status.logJob, { state: /Waiting|Running/ });
  world.simulator.faults.clear();
  await world.clock.advance(10 * MINUTE);
  await world.run(await world.onlyJob());
  t.match((await world.status('shop')).logJob, { state: 'Succeeded' });
});

t.test('after an order an Rds comes to rest: no status write, no write to the cloud', async (t) => {
  const world = await createLogWorld(t);
  await world.ready();
  await world.order('a');
  await world.run(await world.onlyJob());
  await world.clock.advance(KEY_LIFE + 2 * MINUTE);
  const before = (await world.rds('shop'))?.metadata.resourceVersion;
  const calls = JSON.stringify(world.simulator.calls().iam);
  await world.clock.advance(60 * MINUTE);
  t.equal((await world.rds('shop'))?.metadata.resourceVersion, before);
  t.equal(JSON.stringify(world.simulator.calls().iam), calls);
});

t.test(
  'what was told about logs is told for a new generation at once, not when somebody looks',
  async (t) => {
    const world = await createLogWorld(t);
    await world.ready();
    await world.order('a');
    await world.run(await world.onlyJob());
    await world.apply('shop', { deletionPolicy: 'Retain' });
    await world.clock.advance(MINUTE);
    const { metadata } = (await world.rds('shop')) ?? {};
    t.equal((await world.logsCondition())?.observedGeneration, metadata?.generation);
  },
);
