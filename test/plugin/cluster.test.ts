// The plugin on a real API server: a move from the old operator, told and then done, and a day with a database.
// With PLUGIN_TRANSCRIPT=<file> what was typed and printed is kept; docs/plugin.md comes from there.

import { writeFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { parse } from 'yaml';
import { systemClock } from '../../src/clock.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import type { NewInstance } from '../../src/otc/cloud.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createUndiciSend } from '../../src/otc/undici-send.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { installOperatorCrds, startOperatorCluster } from '../cluster/operator-cluster.ts';
import { startPodRunner } from '../cluster/pod-runner.ts';
import { waitFor } from '../cluster/wait-for.ts';
import { OLD_CRD } from '../e2e/old-crd.ts';
import { newInstance } from '../otc/scripted-cloud.ts';
import { builtPlugin, type Ran } from './built.ts';

type Rds = KubeObject & { status?: RdsStatus };

const NAMESPACE = 'team-a';
const CRD = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions/rdss.otc.mcsps.de';
const rdsPath = (name: string) => `/apis/otc.mcsps.de/v1alpha1/namespaces/${NAMESPACE}/rdss/${name}`;
const PASSWORDS = ['Old-Passw0rd-1', 'Old-Passw0rd-2'];

const { home, notice } = metacontrollerHome();
if (notice) t.comment(notice);
const cluster = await startOperatorCluster({
  metacontrollerHome: home,
  speed: 600,
  replicaCount: 1,
  onProblem: (problem) => t.comment(problem),
});
t.teardown(cluster.stop);
const { kube, cloud, engine, replicas, hookToken, controlPlane } = cluster;
const runner = await startPodRunner({ controlPlane });
t.teardown(runner.stop);
const plugin = builtPlugin();
const transcript: string[] = [];

async function run(words: string, more: { env?: Record<string, string>; user?: string } = {}): Promise<Ran> {
  const env = { KUBECONFIG: controlPlane.user(more.user ?? 'admin').kubeconfigPath, ...more.env };
  const ran = await plugin.run([...words.split(' '), '-n', NAMESPACE], { env });
  const said = `${ran.stderr}${ran.stdout}`;
  transcript.push(`$ kubectl rds ${words}\n${said}${ran.code === 0 ? '' : `(exit code ${ran.code})\n`}`);
  for (const secret of [...PASSWORDS, controlPlane.adminToken])
    t.notOk(said.includes(secret), 'no secret is printed');
  return ran;
}

const withCloud = { env: cloud.env };
const status = async (name: string) => (await kube.get<Rds>(rdsPath(name))).status ?? {};
const ready = (name: string) =>
  kube.waitForObject<Rds>(rdsPath(name), 'Ready', ({ status }) => status?.phase === 'Ready');

/** What changes an instance, or makes one; tags do neither. */
const writes = async () =>
  Object.fromEntries(
    Object.entries(await cloud.calls()).filter(
      ([call]) => /^rds (POST|PUT|DELETE) /.test(call) && !call.includes('/tags'),
    ),
  );

async function byHand(more: Partial<NewInstance>): Promise<string> {
  const { send, close } = createUndiciSend();
  const open = createOpenCloud({ send, clock: systemClock, random: Math.random });
  const account = open(readCredentials(cloud.env), { remainingMs: () => 10_000 });
  const network = await account.network({ vpc: 'default', subnet: 'default', securityGroup: 'default' });
  const { id } = await account.createInstance({ ...newInstance, ...network, ...more });
  await waitFor(
    'the instance',
    async () => (await cloud.instances()).find((one) => one.id === id)?.status === 'ACTIVE',
  );
  await close();
  return id;
}

async function replaceCrd(text: string): Promise<void> {
  const stored = await kube.get(CRD);
  const next = parse(text) as KubeObject;
  await kube.update({
    ...next,
    metadata: { ...next.metadata, resourceVersion: stored.metadata.resourceVersion ?? '' },
  });
}

t.test(
  'two objects of the old operator: told, then moved, with no restart, no reset and no double',
  async (t) => {
    await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
    await replaceCrd(OLD_CRD);
    const mysql = {
      engine: 'MySQL',
      version: '8.0',
      flavor: 'rds.mysql.c2.medium',
      volumeType: 'COMMON',
      port: 3306,
    } as const;
    const shop = await byHand({ ...mysql, name: 'team-a_shop', password: PASSWORDS[0] ?? '' });
    const orders = await byHand({
      ...mysql,
      name: 'team-a_orders',
      password: PASSWORDS[1] ?? '',
      volumeGb: 100,
    });
    const old = (name: string, password = '') => ({
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name, namespace: NAMESPACE },
      spec: {
        datastoretype: 'MySQL',
        datastoreversion: '8.0',
        flavorref: mysql.flavor,
        volumetype: 'COMMON',
        volumesize: 40,
        password,
      },
    });
    await kube.create(old('shop', PASSWORDS[0]));
    await kube.create(old('orders', PASSWORDS[1]));
    // The old operator was stopped between the create of the second and its status.
    await kube.patchStatus(rdsPath('shop'), {
      id: shop,
      ip: '192.168.0.10',
      status: 'ACTIVE',
      autopilot: false,
      logs: false,
      reboot: false,
    });
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'shop', namespace: NAMESPACE },
      spec: { clusterIP: 'None', ports: [{ port: 3306 }] },
    };
    await kube.create(service);
    const operator = { name: 'otc-rds-operator' };
    await kube.create({
      apiVersion: 'apps/v1',
      kind: 'Deployment',
      metadata: { ...operator, namespace: NAMESPACE },
      spec: {
        replicas: 0,
        selector: { matchLabels: operator },
        template: {
          metadata: { labels: operator },
          spec: { containers: [{ name: 'operator', image: 'example/otc-rds-operator:1.0' }] },
        },
      },
    });

    const told = await run('migrate', withCloud);
    t.equal(told.code, 0, told.stderr);
    t.match(told.stdout, /^CRD +that of the old operator: replace it, never delete it/);
    t.match(told.stdout, /^Old operator +stopped$/m);
    t.match(told.stdout, new RegExp(`^team-a +shop +${shop} +managed on$`, 'm'));
    t.match(told.stdout, new RegExp(`^team-a +orders +${orders} +needs consent$`, 'm'));
    t.match(told.stdout, /kubectl delete service shop -n team-a/);
    const before = await writes();
    t.equal(before['rds POST /v3/{project}/instances'], 2);

    // Step by step as docs/migration.md says.
    await installOperatorCrds(controlPlane);
    const [replica] = replicas;
    await engine.configure({ hookUrl: `http://127.0.0.1:${replica?.port}`, hookToken });
    await kube.waitForObject<Rds>(
      rdsPath('orders'),
      'asked for consent',
      ({ status }) => status?.conditions?.some(({ reason }) => reason === 'AdoptionNeeded') === true,
    );
    await kube.delete(`/api/v1/namespaces/${NAMESPACE}/services/shop`);
    await kube.patch(rdsPath('orders'), { metadata: { annotations: { 'otc.mcsps.de/adopt': orders } } });
    await Promise.all([ready('shop'), ready('orders')]);
    await kube.waitForObject<KubeObject>(
      `/api/v1/namespaces/${NAMESPACE}/services/shop`,
      'ours',
      ({ metadata }) => metadata.ownerReferences?.[0]?.kind === 'Rds',
    );
    await kube.waitForObject<Rds>(
      rdsPath('shop'),
      'with its children',
      ({ status }) => status?.conditions?.some(({ reason }) => reason === 'ChildNameTaken') !== true,
    );

    const done = await run('migrate', withCloud);
    t.equal(done.code, 0, done.stderr);
    t.match(done.stdout, /^team-a +shop +\S+ +moved$/m);
    t.match(done.stdout, /^team-a +orders +\S+ +moved$/m);
    t.match(await status('shop'), { id: shop, plan: [], volumeGb: 40 });
    t.match(await status('orders'), { id: orders, plan: [], volumeGb: 100 });
    t.same(await writes(), before, 'no restart, no reset, no resize, no create');
    t.equal((await cloud.instances()).length, 2, 'no double');
    t.same(
      (await cloud.events()).filter(({ kind }) => /reboot|restart|password/i.test(kind)),
      [],
      'nor has the cloud noted any',
    );
  },
);

t.test('a day with a database', async (t) => {
  t.match(await run('status'), { code: 0, stdout: /^orders +True .*\nshop +True /m });
  t.match(await run('status shop'), { code: 0, stdout: /^Next step/m });

  const hour = (more: number) => `${`${(new Date().getUTCHours() + more) % 24}`.padStart(2, '0')}:00`;
  const window = { start: hour(6), end: hour(10) };
  await kube.patch(rdsPath('shop'), {
    spec: { flavorref: 'rds.mysql.n1.large.2', maintenanceWindow: window },
  });
  await kube.waitForObject<Rds>(
    rdsPath('shop'),
    'planned',
    // The window itself is changed at once; what is left then is one plan.
    ({ status }) => status?.plan?.length === 1 && status.plan[0]?.field === 'spec.flavorref',
  );
  t.match(await run('plan shop'), {
    code: 0,
    stdout: /spec\.flavorref +rds\.mysql\.c2\.medium +rds\.mysql\.n1\.large\.2 +restart/,
  });
  t.match(await run('approve shop --yes'), { code: 0, stdout: /is approved/ });
  await kube.waitForObject<Rds>(
    rdsPath('shop'),
    'resized',
    ({ status }) => status?.flavor === 'rds.mysql.n1.large.2' && status.phase === 'Ready',
  );
  t.match(await run('restart orders --yes'), { code: 0, stdout: /was restarted and is Ready/ });

  await sleep(2_000); // the first line of the log is written when the database is built, a span ends at a whole second
  const logs = await run('logs shop --since 2h');
  t.match(logs, { code: 0, stdout: /^\d{4}-.*(errorlog|slowlog) {2}/ }, logs.stderr);
  t.match(await run('logs shop --since 2h --only errorlog --follow'), { code: 0, stdout: /errorlog/ });

  t.match(await run('backup shop --name before-upgrade'), { code: 0, stdout: /is complete/ });
  const dry = await run('restore shop-copy --backup before-upgrade --dry-run');
  t.match(parse(dry.stdout), { kind: 'Rds', spec: { restoreFrom: { backup: 'before-upgrade' } } });
  t.match(await run('restore shop-copy --backup before-upgrade --yes'), { code: 0 });
  await ready('shop-copy');

  const found = await byHand({ name: 'billing', flavor: 'rds.pg.n1.large.2' });
  t.match(await run('adopt --list', withCloud), { code: 0, stdout: new RegExp(`^billing +${found}`, 'm') });
  const adopt = await run('adopt --list -o yaml', withCloud);
  await kube.apply(parse(adopt.stdout) as KubeObject, { fieldManager: 'kubectl' });
  await ready('billing');
  t.match(await status('billing'), { id: found, plan: [] });
  t.equal((await cloud.instances()).length, 4);
  t.match(await run('explain RootPasswordUnknown'), { code: 0 });
});

t.test('rights and names as a real API server tells them', async (t) => {
  t.match(await run('status', { user: 'viewer' }), {
    code: 4,
    stderr: /Missing: verb list on rdss\.otc\.mcsps\.de\. The ClusterRole view has it/,
  });
  t.match(await run('status shp'), { code: 3, stderr: /Did you mean shop/ });
  t.match(await run('restore x --backup before-upgrad --dry-run'), {
    code: 3,
    stderr: /Did you mean before-upgrade/,
  });
  const { PLUGIN_TRANSCRIPT: file } = process.env;
  if (file) writeFileSync(file, transcript.join('\n'));
});
