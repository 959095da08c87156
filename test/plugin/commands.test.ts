// Every command through the real, bundled binary, on an API server in memory with the operator behind it.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { parse } from 'yaml';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { MINUTE } from '../support/world.ts';
import { servedWorld, TOKEN } from './served-world.ts';

const SECRET = 'Chang3-me_now';

t.test('status: a table, one with everything, and JSON, without any secret', async (t) => {
  const world = await servedWorld(t);
  t.comment(`the plugin runs on Node ${world.plugin.node}`);
  t.match(await world.run('status'), { code: 0, stdout: '', stderr: /There is no Rds in namespace team-a/ });
  await world.ready('shop', { password: SECRET, users: [{ name: 'app', password: 'AnotherS3cret' }] });

  const table = await world.run('status');
  t.equal(table.code, 0, table.stderr);
  t.match(table.stdout, /^NAME +READY +PHASE +ENGINE +FLAVOR +VOLUME +ADDRESS +PLAN +REASON +AGE\n/);
  t.match(
    table.stdout,
    /^shop +True +Ready +MySQL 8\.0\.\d+ +rds\.mysql\.c2\.medium +40 GB +192\.168\.\d+\.\d+ /m,
  );
  t.match((await world.run('status', '-A')).stdout, /^NAMESPACE .*\nteam-a +shop /);

  const details = await world.run('status', 'shop');
  t.match(details.stdout, /^Rds +team-a\/shop/);
  t.match(details.stdout, /^Login +Secret shop-connection$/m);
  t.match(details.stdout, /^CredentialsSafe +False +PlainTextPassword/m);
  t.match(details.stdout, /^Next step +.*(passwordSecretRef|Job)/m, 'the remedy of what is not well');

  const asJson = JSON.parse((await world.run('status', 'shop', '-o', 'json')).stdout);
  t.match(asJson, { namespace: 'team-a', name: 'shop', ready: 'True', phase: 'Ready', plan: [] });
  const all = JSON.parse((await world.run('status', '-A', '-o', 'json')).stdout);
  t.match(all, [{ name: 'shop' }]);
  for (const { stdout, stderr } of [table, details, await world.run('status', 'shop', '-o', 'json')])
    for (const secret of [SECRET, 'AnotherS3cret', TOKEN]) t.notMatch(stdout + stderr, secret);
});

t.test('plan and approve: what waits is shown, and consent is to that very plan', async (t) => {
  const world = await servedWorld(t);
  await world.ready('shop', { flavorref: 'rds.mysql.n1.large.2' });
  t.match(await world.run('plan', 'shop'), { code: 0, stdout: /^Nothing is planned/ });
  t.match(await world.run('approve', 'shop', '--yes'), { code: 1, stderr: /Nothing of team-a\/shop waits/ });

  const window = { start: '22:00', end: '02:00' };
  await world.apply('shop', { flavorref: 'rds.mysql.n1.xlarge.2', maintenanceWindow: window });
  await world.clock.advance(2 * MINUTE);
  const plan = await world.run('plan', 'shop');
  t.match(
    plan.stdout,
    /^FIELD +FROM +TO +IMPACT +WHEN\n.*spec\.flavorref +rds\.mysql\.n1\.large\.2 +rds\.mysql\.n1\.xlarge\.2 +restart/s,
  );
  t.match(plan.stderr, /kubectl rds approve shop/);
  const { planHash } = await world.status('shop');
  t.match(JSON.parse((await world.run('plan', 'shop', '-o', 'json')).stdout), {
    planHash,
    plan: [{ impact: 'restart' }],
  });

  t.match(await world.run('approve', 'shop'), { code: 2, stderr: /Nobody can be asked here.*--yes/s });
  t.notMatch(await world.annotations('shop'), { 'otc.mcsps.de/approve': /./ });
  const no = await world.inTerminal('n\n', 'approve', 'shop');
  t.match(no.stdout, /Nothing was approved/);
  t.notMatch(await world.annotations('shop'), { 'otc.mcsps.de/approve': /./ });
  const stale = (await world.rds('shop')) ?? { metadata: {}, status: {} };
  world.refuse(({ method, path }) => {
    const isRds = path.includes('/rdss/shop');
    if (isRds && method === 'PATCH')
      world.refuse(() => ({
        status: 200,
        body: { ...stale, status: { ...stale.status, planHash: 'other' } },
      }));
    return isRds && method === 'PATCH' ? { status: 200, body: stale } : undefined;
  });
  t.match(await world.run('approve', 'shop', '--yes'), {
    code: 1,
    stderr: /another one meanwhile \(other\)/,
  });
  world.refuse(() => undefined);
  const yes = await world.inTerminal('y\n', 'approve', 'shop');
  t.match(yes.stdout, /is approved and runs/);
  t.match(yes.stdout, new RegExp(`Run plan ${planHash} of team-a/shop now\\?`));
  t.match(await world.annotations('shop'), { 'otc.mcsps.de/approve': planHash });
  t.ok(
    await world.clock.runUntil(
      () => world.simulator.state.instances[0]?.flavor === 'rds.mysql.n1.xlarge.2',
      60 * MINUTE,
    ),
  );
});

t.test('restart: once, and it waits until the database is back', async (t) => {
  const world = await servedWorld(t);
  await world.ready();
  const restarts = () => world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0;
  t.match(await world.run('restart', 'shop'), { code: 2, stderr: /--yes/ });
  t.equal(restarts(), 0);
  const done = await world.run('restart', 'shop', '--yes');
  t.match(done, { code: 0, stdout: /^team-a\/shop was restarted and is Ready/ });
  t.equal(restarts(), 1);
  await world.clock.advance(10 * MINUTE);
  t.equal(restarts(), 1);
});

t.test('logs: ordered, waited for, printed in order of time, and ordered again', async (t) => {
  const world = await servedWorld(t);
  await world.ready();
  const got = await world.run('logs', 'shop', '--since', '2h');
  t.equal(got.code, 0, got.stderr);
  const lines = got.stdout.trim().split('\n');
  t.ok(lines.length > 10, `${lines.length} lines`);
  t.match(lines[0], /^2026-11-16T\d\d:\d\d:\d\d\.\d{3}Z {2}(errorlog|slowlog) {2}/);
  t.same(
    lines.toSorted(),
    lines.toSorted((a, b) => a.slice(0, 24).localeCompare(b.slice(0, 24))),
    'oldest first',
  );
  t.match(got.stderr, /errorlog: \d+ lines/);
  t.match(await world.annotations('shop'), { 'otc.mcsps.de/logs': '2h' });

  const again = await world.run('logs', 'shop', '--since', '2h', '--only', 'errorlog', '-o', 'json');
  t.equal(again.code, 0, again.stderr);
  t.match(await world.annotations('shop'), { 'otc.mcsps.de/logs': '120m' }, 'the same span, another order');
  for (const line of again.stdout.trim().split('\n'))
    t.match(JSON.parse(line), { log: 'errorlog', content: String });

  const followed = await world.run('logs', 'shop', '--follow');
  t.equal(followed.code, 0, followed.stderr);
  t.ok(followed.stdout.split('\n').length > 10);
  t.match(await world.run('logs', 'shop', '--since', 'yesterday'), {
    code: 2,
    stderr: /is not a duration.*90s, 10m/s,
  });
});

t.test('backup, and restore of it into a new database', async (t) => {
  const world = await servedWorld(t);
  await world.ready('shop', { password: SECRET, users: [{ name: 'app', password: 'AnotherS3cret' }] });
  const made = await world.run('backup', 'shop', '--name', 'before', '--description', 'before the upgrade');
  t.match(made, { code: 0, stdout: /^RdsBackup team-a\/before is complete: \d+ MB/ });
  t.match(made.stdout, /spec\.restoreFrom: \{backupId: \w+, instanceId: \w+\}/);
  t.match(await world.run('backup', 'shop', '--name', 'before'), { code: 1, stderr: /already exists/ });
  const another = await world.run('backup', 'shop', '--no-wait', '-o', 'json');
  t.match(JSON.parse(another.stdout), { name: /^shop-\d{14}$/ });

  const dry = await world.run('restore', 'copy', '--backup', 'before', '--dry-run');
  t.equal(dry.code, 0, dry.stderr);
  t.notMatch(dry.stdout, SECRET);
  t.notMatch(dry.stdout, 'AnotherS3cret');
  const manifest = parse(dry.stdout) as { spec: RdsSpec };
  t.match(manifest, {
    metadata: { name: 'copy', namespace: 'team-a' },
    spec: { volumesize: 40, restoreFrom: { backup: 'before' } },
  });
  t.equal(manifest.spec.password, undefined);
  t.equal(await world.rds('copy'), undefined, 'nothing was made');

  t.match(await world.run('restore', 'copy', '--backup', 'before'), { code: 2, stderr: /--yes/ });
  t.match(await world.run('restore', 'copy', '--backup', 'before', '--yes'), { code: 0 });
  t.ok(await world.reaches('copy', 'Ready'));

  const at = new Date(world.clock.now() - 2 * MINUTE).toISOString();
  t.match(parse((await world.run('restore', 'third', '--rds', 'shop', '--at', at, '--dry-run')).stdout), {
    spec: { restoreFrom: { rds: 'shop', pointInTime: at } },
  });
  const wrong: [words: string[], code: number, told: RegExp][] = [
    [[], 2, /Which data\?/],
    [['--rds', 'shop'], 2, /needs --at/],
    [['--rds', 'shop', '--at', '2026-11-16T08:00:00'], 2, /not a time with an offset/],
    [['--backup-id', 'x'], 2, /--instance-id/],
    [['--backup-id', 'x', '--instance-id', 'y'], 2, /--like RDS or --file/],
    [['--backup', 'befor'], 3, /Did you mean before\?/],
    [['--backup', 'before', '--like', 'shp'], 3, /Did you mean shop/],
  ];
  for (const [words, code, told] of wrong)
    t.match(await world.run('restore', 'x', ...words), { code, stderr: told }, words.join(' '));
});

t.test('adopt --list: unmanaged instances, and manifests that change nothing', async (t) => {
  const world = await servedWorld(t);
  await world.ready('shop');
  const uid = (await world.rds('shop'))?.metadata.uid ?? '';
  await world.createByHand(`drill-${uid.replaceAll('-', '').slice(0, 12)}-20261116`);
  const id = await world.createByHand('team-a_billing', {
    port: '3310',
    volume: { type: 'COMMON', size: 60 },
  });
  const ha = await world.createByHand('Reports_2', {
    flavor_ref: 'rds.mysql.n1.large.2.ha',
    ha: { mode: 'Ha', replication_mode: 'semisync' },
    availability_zone: 'eu-de-01,eu-de-02',
  });
  await world.clock.advance(20 * MINUTE);
  t.match(await world.run('adopt', '--list'), {
    code: 2,
    stderr: /The cloud needs your login: missing OS_AUTH_URL/,
  });
  t.match(await world.runWithCloud('adopt'), { code: 2, stderr: /needs --list/ });

  const list = await world.runWithCloud('adopt', '--list');
  t.match(list.stdout, new RegExp(`^team-a_billing +${id} +ACTIVE +Single`, 'm'), list.stderr);
  t.notMatch(list.stdout, /shop|drill/, 'what has an Rds is not listed, nor what one just makes');
  t.match(JSON.parse((await world.runWithCloud('adopt', '--list', '-o', 'json')).stdout), [
    { id: ha },
    { id },
  ]);

  const folder = join(world.folder, 'manifests');
  t.match(await world.runWithCloud('adopt', '--list', '--write', folder), {
    code: 0,
    stderr: /wrote .*team-a-billing\.yaml/,
  });
  t.match(await world.runWithCloud('adopt', '--list', '--write', folder), {
    code: 2,
    stderr: /there already/,
  });
  const files = readdirSync(folder).sort();
  t.same(files, ['team-a-billing.yaml', 'team-a-reports-2.yaml']);
  const writes = world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0;
  for (const [file, name, wanted] of [
    ['team-a-billing.yaml', 'billing', id],
    ['team-a-reports-2.yaml', 'reports-2', ha],
  ] as const) {
    const { metadata, spec } = parse(readFileSync(join(folder, file), 'utf8'));
    t.match(metadata, { name, namespace: 'team-a', annotations: { 'otc.mcsps.de/adopt': wanted } });
    const applied = await world.apply(name, spec as RdsSpec, metadata.annotations);
    t.equal(applied.status, 201, JSON.stringify(applied.body));
    t.ok(await world.reaches(name, 'Ready'));
    t.match(await world.status(name), { id: wanted, plan: [] }, 'taken over, and nothing is to change');
  }
  await world.clock.advance(10 * MINUTE);
  t.equal(world.creates(), 4, 'the one of the Rds and the three by hand');
  t.equal(
    world.simulator.calls().rds?.['POST /v3/{project}/instances/{id}/action'] ?? 0,
    writes,
    'nothing was restarted or changed',
  );
  t.match(await world.runWithCloud('adopt', '--list'), {
    code: 0,
    stdout: '',
    stderr: /Every instance of the project has its Rds/,
  });
});

t.test('migrate: tells what becomes of each object of the old operator, and touches nothing', async (t) => {
  const world = await servedWorld(t);
  const known = await world.createByHand('team-a_known');
  const lost = await world.createByHand('team-a_lost');
  await world.clock.advance(20 * MINUTE);
  const old = (name: string, spec: RdsSpec, status = {}) => ({
    metadata: { name, namespace: 'team-a', uid: `0000000${name.length}-0000-4000-8000-000000000000` },
    spec,
    status,
  });
  const items = [old('known', { password: SECRET }, { id: known, status: 'ACTIVE' }), old('lost', {})];
  const operator = {
    metadata: { name: 'otc-rds-operator', namespace: 'ops' },
    spec: { replicas: 1, template: { spec: { containers: [{ image: 'example/otc-rds-operator:1.0' }] } } },
  };
  const writes: string[] = [];
  world.refuse(({ method, path }) => {
    if (method !== 'GET') writes.push(path);
    if (path.endsWith('/v1alpha1/rdss')) return { status: 200, body: { items } };
    return path.startsWith('/apis/apps/') ? { status: 200, body: { items: [operator] } } : undefined;
  });
  const text = await world.runWithCloud('migrate');
  t.match(
    text,
    { code: 0, stdout: /kubectl scale deployment otc-rds-operator -n ops --replicas=0/ },
    text.stderr,
  );
  t.match(text.stdout, new RegExp(`^team-a +known +${known} +managed on$`, 'm'));
  t.match(text.stdout, new RegExp(`^team-a +lost +${lost} +needs consent$`, 'm'));
  t.match(text.stdout, /otc\.mcsps\.de\/adopt=/);
  t.notMatch(text.stdout, SECRET);
  const { objects, install } = JSON.parse((await world.runWithCloud('migrate', '-o', 'json')).stdout);
  t.match(install, { crd: 'ours', operators: [{ name: 'otc-rds-operator', replicas: 1 }] });
  t.match(objects, [{ verdict: 'managed on' }, { verdict: 'needs consent' }]);
  t.match((await world.run('migrate')).stdout, /Cloud +not looked at: set the OS_\* variables/);
  t.same(writes, [], 'nothing was written');
  t.equal(world.creates(), 2, 'by hand');
});
