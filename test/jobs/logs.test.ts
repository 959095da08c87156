// One container of the log Job, run in this process on the simulated cloud.

import t from 'tap';
import { readArguments } from '../../src/jobs/logs/arguments.ts';
import { type JobDeps, runLogJob } from '../../src/jobs/logs/run.ts';
import type { JobAccess } from '../../src/otc/cloud.ts';
import { DEMO_PROJECT, demoVariables } from '../../src/simulator/demo-account.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import { createVirtualClock } from '../otc/virtual-clock.ts';

const ORIGIN = 'http://127.0.0.1:9090';
const HOUR = 3_600_000;
const account = demoVariables(ORIGIN);

type Engine = 'MySQL' | 'PostgreSQL' | 'SQLServer';

const orders: Record<Engine, object> = {
  MySQL: { datastore: { type: 'MySQL', version: '8.0' }, flavor_ref: 'rds.mysql.c2.medium' },
  PostgreSQL: { datastore: { type: 'PostgreSQL', version: '16' }, flavor_ref: 'rds.pg.c2.medium' },
  SQLServer: {
    datastore: { type: 'SQLServer', version: '2022_SE' },
    flavor_ref: 'rds.mssql.n1.large.2',
  },
};

async function createStage(engine: Engine = 'MySQL', ageHours = 48) {
  const clock = createVirtualClock();
  const simulator = createSimulator({ clock, automatedBackups: false });

  async function call(method: string, path: string, body?: unknown, headers: Record<string, string> = {}) {
    const answer = await simulator.handle({
      method,
      url: path,
      headers: { host: '127.0.0.1:9090', 'content-type': 'application/json', ...headers },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { ...answer, json: answer.body === '' ? {} : JSON.parse(answer.body) };
  }
  async function newToken(): Promise<string> {
    const user = {
      name: account.OS_USERNAME,
      password: account.OS_PASSWORD,
      domain: { name: account.OS_DOMAIN_NAME },
    };
    const identity = { methods: ['password'], password: { user } };
    const auth = { identity, scope: { project: { id: DEMO_PROJECT.id } } };
    return (await call('POST', '/v3/auth/tokens', { auth })).headers['x-subject-token'] ?? '';
  }

  const operator = await newToken();
  const asOperator = { 'x-auth-token': operator };
  const first = async (path: string, list: string) =>
    (await call('GET', path, undefined, asOperator)).json[list][0].id;
  const created = await call(
    'POST',
    `/rds/v3/${DEMO_PROJECT.id}/instances`,
    {
      name: 'logged',
      volume: { type: 'COMMON', size: 40 },
      region: 'eu-de',
      availability_zone: 'eu-de-01',
      vpc_id: await first(`/vpc/v1/${DEMO_PROJECT.id}/vpcs`, 'vpcs'),
      subnet_id: await first(`/vpc/v1/${DEMO_PROJECT.id}/subnets`, 'subnets'),
      security_group_id: await first('/vpc/v2.0/security-groups', 'security_groups'),
      password: 'A12345678+',
      ...orders[engine],
    },
    asOperator,
  );
  if (created.status !== 202) throw new Error(`create: ${created.body}`);
  const instanceId: string = created.json.instance.id;
  await clock.advance(ageHours * HOUR);

  const common = {
    authUrl: `${ORIGIN}/v3`,
    rdsUrl: `${ORIGIN}/rds/v3/${DEMO_PROJECT.id}`,
    region: 'eu-de',
    projectId: DEMO_PROJECT.id,
  };
  /** As the hook gets them: limited to logs. */
  async function keys(action = 'rds:log:list'): Promise<JobAccess> {
    const policy = { Version: '1.1', Statement: [{ Effect: 'Allow', Action: [action] }] };
    const token = { id: await newToken(), duration_seconds: 900 };
    const { json } = await call('POST', '/v3.0/OS-CREDENTIAL/securitytokens', {
      auth: { identity: { methods: ['token'], token, policy } },
    });
    const { access, secret, securitytoken, expires_at } = json.credential;
    return {
      ...common,
      form: 'keys',
      accessKey: access,
      secretKey: secret,
      securityToken: securitytoken,
      expiresAt: Date.parse(expires_at),
    };
  }
  const tokenAccess = async (): Promise<JobAccess> => ({ ...common, form: 'token', token: await newToken() });

  async function run(
    log: string,
    access: JobAccess,
    more: { hours?: number; args?: string[]; deps?: Partial<JobDeps> } = {},
  ) {
    const stdout: string[] = [];
    const stderr: string[] = [];
    const to = clock.now();
    const args = readArguments([
      log,
      ...['--instance', instanceId, '--engine', engine, '--deadline-seconds', '720'],
      ...[
        '--from',
        new Date(to - (more.hours ?? 24) * HOUR).toISOString(),
        '--to',
        new Date(to).toISOString(),
      ],
      ...['--credential-file', '/var/run/rds-pilot/access.json'],
      ...(more.args ?? []),
    ]);
    const report = await clock.run(
      runLogJob({
        args,
        credential: JSON.stringify(access),
        send: simulator.send,
        clock,
        random: () => 0.5,
        print: async (line) => void stdout.push(line),
        tell: (line) => void stderr.push(line),
        onStop: () => {},
        ...more.deps,
      }),
    );
    const lines = stdout.map((line) => JSON.parse(line));
    return { report, stderr, rows: lines.filter((line) => !line.summary && !line.top), lines };
  }
  const isTokenKnown = async (token: string) =>
    (await call('GET', '/v3/auth/tokens', undefined, { ...asOperator, 'x-subject-token': token })).status ===
    200;
  return { simulator, clock, keys, tokenAccess, run, isTokenKnown };
}

t.test('all pages of the span are printed as JSON lines, progress goes elsewhere', async (t) => {
  const stage = await createStage();
  const { report, rows, lines, stderr } = await stage.run('errorlog', await stage.keys(), { hours: 40 });
  t.equal(rows.length, 241);
  t.same(Object.keys(rows[0]), ['log', 'time', 'level', 'content']);
  t.equal(new Set(rows.map(({ time }) => time)).size, rows.length, 'no line twice');
  t.match(report, { log: 'errorlog', lines: 241, complete: true, from: /^2026/, to: /^2026/ });
  t.match(lines.at(-1), { log: 'errorlog', summary: { lines: 241, complete: true } });
  t.match(stderr.join('\n'), /page 1: 100 of 241 lines\npage 2: 200 of 241 lines\npage 3: 241 of 241/);
});

t.test('the slow log tells numbers as numbers, for each engine that has one', async (t) => {
  for (const engine of ['MySQL', 'PostgreSQL'] as const) {
    const stage = await createStage(engine);
    const { rows } = await stage.run('slowlog', await stage.keys());
    t.equal(rows.length, 145, engine);
    t.match(rows[0], { log: 'slowlog', seconds: Number, count: Number, query: String, database: 'shop' });
    t.equal(typeof rows[0].rowsExamined, engine === 'MySQL' ? 'number' : 'undefined');
  }
});

t.test('the list of slow statements comes only when it is asked for, without values', async (t) => {
  const stage = await createStage('PostgreSQL');
  const without = await stage.run('slowlog', await stage.keys());
  t.notOk(without.lines.some(({ top }) => top));
  const { lines } = await stage.run('slowlog', await stage.keys(), { args: ['--top', '3'] });
  const { top } = lines.find((line) => line.top);
  t.equal(top.length, 3);
  t.ok(top[0].seconds >= top[1].seconds && top[1].seconds >= top[2].seconds);
  t.match(top[0], { query: String, count: Number, longest: Number, databases: ['shop'] });
});

t.test('SQL Server has no slow log, and that is said', async (t) => {
  const stage = await createStage('SQLServer');
  const { report, lines } = await stage.run('slowlog', await stage.keys());
  t.match(report, { lines: 0, complete: true, note: 'SQL Server has no slow log.' });
  t.match(lines, [{ summary: { note: 'SQL Server has no slow log.' } }]);
  t.equal((await stage.run('errorlog', await stage.keys())).report.complete, true);
});

t.test('more lines than the cloud keeps are told, not silently missing', async (t) => {
  const stage = await createStage('MySQL', 20 * 24);
  const { report } = await stage.run('errorlog', await stage.keys(), { hours: 19 * 24 });
  t.match(report, { lines: 2000, complete: true, note: /only the newest 2000 lines/ });
});

t.test('throttling, failures and mangled pages delay the run and lose nothing', async (t) => {
  for (const kind of [
    '429',
    '429-no-header',
    '503',
    '500-before',
    'truncated',
    'missing-page',
    'connection',
  ] as const) {
    const stage = await createStage();
    stage.simulator.faults.add({ match: { service: 'rds' }, kind, times: 9 });
    const { report, rows } = await stage.run('errorlog', await stage.keys());
    t.match(report, { lines: 145, complete: true }, kind);
    t.equal(rows.length, 145);
  }
});

t.test('a page that comes empty in mid-run is asked for again', async (t) => {
  const stage = await createStage();
  const access = await stage.keys();
  let page = 0;
  const send: JobDeps['send'] = async (request) => {
    if (request.service === 'rds' && ++page === 2)
      stage.simulator.faults.add({ match: { service: 'rds' }, kind: 'empty-list' });
    return stage.simulator.send(request);
  };
  t.equal((await stage.run('errorlog', access, { deps: { send } })).report.lines, 145);
});

t.test('lines that the cloud dropped meanwhile do not keep the run waiting', async (t) => {
  const stage = await createStage();
  const access = await stage.keys();
  let page = 0;
  const send: JobDeps['send'] = async (request) => {
    if (request.service === 'rds' && ++page === 2)
      stage.simulator.faults.add({ match: { service: 'rds' }, kind: 'empty-list', times: 1e6 });
    return stage.simulator.send(request);
  };
  t.match((await stage.run('errorlog', access, { deps: { send } })).report, { lines: 100, complete: true });
});

t.test('when the cloud stays away the run ends by itself and says so', async (t) => {
  const stage = await createStage();
  const access = await stage.tokenAccess();
  stage.simulator.faults.add({ match: { service: 'rds' }, kind: '429', times: 1e6, retryAfterSeconds: 20 });
  const startedAt = stage.clock.now();
  const { report } = await stage.run('errorlog', access);
  t.match(report, { complete: false, note: /^The deadline of 720 s has come before all lines were read/ });
  t.ok(stage.clock.now() - startedAt <= 730_000);
});

t.test('keys that expire before the end are told', async (t) => {
  const stage = await createStage();
  const access = await stage.keys();
  await stage.clock.advance(600_000);
  stage.simulator.faults.add({ match: { service: 'rds' }, kind: '503', times: 1e6 });
  t.match((await stage.run('errorlog', access)).report, { note: /^The credential expires before all lines/ });
});

t.test('a token revoked in mid-run is told', async (t) => {
  const stage = await createStage();
  const access = await stage.tokenAccess();
  const send: JobDeps['send'] = async (request) => {
    const answer = await stage.simulator.send(request);
    if (request.service === 'rds') {
      const token = request.headers['x-auth-token'] ?? '';
      const headers = { host: '127.0.0.1:9090', 'x-auth-token': token, 'x-subject-token': token };
      await stage.simulator.handle({ method: 'DELETE', url: '/v3/auth/tokens', headers });
    }
    return answer;
  };
  const { report, lines, stderr } = await stage.run('errorlog', access, { deps: { send } });
  t.match(report, { lines: 100, complete: false, note: /refused in mid-run: it was revoked or has expired/ });
  t.match(lines.at(-1), { summary: { note: /revoked/ } });
  t.match(stderr.at(-1), /revoked/);
});

t.test('a stopped pod stops reading, and revokes its token first', async (t) => {
  const stage = await createStage();
  const access = await stage.tokenAccess();
  let stop = (_because: string) => {};
  const send: JobDeps['send'] = async (request) => {
    if (request.service === 'rds') stop('The pod was stopped');
    return stage.simulator.send(request);
  };
  const onStop: JobDeps['onStop'] = (given) => {
    stop = given;
  };
  const { report } = await stage.run('errorlog', access, { deps: { send, onStop } });
  t.match(report, { complete: false, note: /^The pod was stopped before all lines were read/ });
  t.equal(access.form === 'token' && (await stage.isTokenKnown(access.token)), false);
});

t.test(
  'a token is revoked as the last act, after success and after failure, through a stumbling IAM',
  async (t) => {
    for (const kind of [undefined, '404', '403'] as const) {
      const stage = await createStage();
      const access = await stage.tokenAccess();
      if (kind) stage.simulator.faults.add({ match: { service: 'rds' }, kind, times: 1e6 });
      stage.simulator.faults.add({ match: { service: 'iam', method: 'DELETE' }, kind: '503', times: 2 });
      const { report } = await stage.run('errorlog', access);
      t.equal(report.complete, kind === undefined);
      t.equal(access.form === 'token' && (await stage.isTokenKnown(access.token)), false, kind ?? 'success');
    }
  },
);

t.test('a token that cannot be revoked does not hide the lines', async (t) => {
  const stage = await createStage();
  stage.simulator.faults.add({ match: { service: 'iam', method: 'DELETE' }, kind: '403', times: 1e6 });
  const { report, stderr } = await stage.run('errorlog', await stage.tokenAccess());
  t.equal(report.complete, true);
  t.match(stderr.join('\n'), /could not be revoked here/);
});

t.test('keys with another policy are refused in words', async (t) => {
  const stage = await createStage();
  const { report } = await stage.run('errorlog', await stage.keys('rds:instance:list'));
  t.match(report, { complete: false, lines: 0, note: /DBS.200044/ });
});

t.test('a broken credential file is told without its content', async (t) => {
  const stage = await createStage();
  const credential = '{"form":"token","token":"MII-secret"}';
  const { report, lines, stderr } = await stage.run('errorlog', await stage.keys(), { deps: { credential } });
  t.match(report, { complete: false, note: 'CREDENTIALS: the credential file has no authUrl.' });
  t.notMatch(JSON.stringify([report, lines, stderr]), /MII-secret/);
});

t.test('no secret is printed, whatever the cloud quotes back', async (t) => {
  const stage = await createStage();
  const access = await stage.tokenAccess();
  const secret = access.form === 'token' ? access.token : '';
  const send: JobDeps['send'] = async (request) =>
    request.service === 'rds'
      ? { status: 400, headers: {}, body: JSON.stringify({ error_code: 'DBS.1', error_msg: `no ${secret}` }) }
      : stage.simulator.send(request);
  const { report, lines, stderr } = await stage.run('errorlog', access, { deps: { send } });
  t.match(report.note, /no \*\*\*/);
  t.notMatch(JSON.stringify([report, lines, stderr]), new RegExp(secret));
});

t.test('bad arguments are named', (t) => {
  const good = [
    'errorlog',
    '--instance',
    'i',
    '--engine',
    'MySQL',
    '--from',
    '2026-01-01',
    '--to',
    '2026-01-02',
  ];
  const rest = ['--deadline-seconds', '10', '--credential-file', '/f'];
  t.match(readArguments([...good, ...rest]), { log: 'errorlog', top: 0, deadlineSeconds: 10 });
  t.throws(() => readArguments([...good.slice(1), ...rest]), /errorlog, slowlog/);
  t.throws(() => readArguments(good), /--deadline-seconds is missing/);
  t.throws(() => readArguments([...good, ...rest, '--engine', 'Oracle']), /--engine must be/);
  t.throws(() => readArguments([...good, ...rest, '--to', '2025-01-01']), /--from is after --to/);
  t.throws(() => readArguments([...good, ...rest, '--top', 'many']), /--top is no number/);
  t.throws(() => readArguments([...good, ...rest, '--password', 'x']), /password/);
  t.end();
});
