// A log Job for real: API server, Job controller, the hook as a process, the containers as processes with their mounts.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import t from 'tap';
import { request } from 'undici';
import type { KubeObject } from '../../src/kube/api.ts';
import type { JobAccess } from '../../src/otc/cloud.ts';
import type { RdsStatus } from '../../src/rds/status.ts';
import { metacontrollerHome } from '../cluster/metacontroller.ts';
import { startOperatorCluster } from '../cluster/operator-cluster.ts';
import { startPodRunner } from '../cluster/pod-runner.ts';
import { waitFor } from '../cluster/wait-for.ts';

type Rds = KubeObject & { status?: RdsStatus };

const NAMESPACE = 'logs';
const RDS = `/apis/otc.mcsps.de/v1alpha1/namespaces/${NAMESPACE}/rdss/shop`;

t.test('a log Job on a real control plane', async (t) => {
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
  const [replica] = replicas;
  await engine.configure({ hookUrl: `http://127.0.0.1:${replica?.port}`, hookToken });
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } });
  const metadata = { name: 'shop', namespace: NAMESPACE };
  await kube.apply({
    apiVersion: 'otc.mcsps.de/v1alpha1',
    kind: 'Rds',
    metadata,
    spec: { deletionPolicy: 'Delete' },
  });
  const isReady = ({ status }: Rds) => status?.phase === 'Ready';
  await kube.waitForObject<Rds>(RDS, 'Ready', isReady);
  // The first line is written when the database is built; a span ends at a whole second.
  await sleep(2_000);

  const secretsSeen: string[] = [];
  /** Every credential is noted as soon as its Secret can be seen. */
  const secretOf = (name: string) =>
    waitFor(`the Secret ${name}`, async () => {
      const path = `/api/v1/namespaces/${NAMESPACE}/secrets/${name}`;
      const secret = await kube.find<KubeObject & { data: Record<string, string> }>(path);
      if (!secret) return undefined;
      const access = Object.values(secret.data).map(
        (text) => JSON.parse(Buffer.from(text, 'base64').toString()) as JobAccess,
      );
      for (const one of access)
        secretsSeen.push(...(one.form === 'token' ? [one.token] : [one.secretKey, one.securityToken]));
      return access;
    });

  async function order(value: string) {
    const annotations = { 'otc.mcsps.de/logs': value };
    await kube.send('PATCH', RDS, { metadata: { annotations } }, 'application/merge-patch+json');
    const isTaken = ({ status }: Rds) =>
      status?.handled?.['otc.mcsps.de/logs'] === value && status.logJob?.name !== undefined;
    const { status } = await kube.waitForObject<Rds>(RDS, `order ${value} taken`, isTaken);
    return status?.logJob?.name ?? '';
  }
  const ended = (name: string) =>
    kube.waitForObject<Rds>(
      RDS,
      `${name} ended`,
      ({ status }) => status?.logJob?.name === name && /Succeeded|Failed/.test(status.logJob.state),
    );
  const outputOf = async (name: string) => {
    const all = await runner.outputs();
    return all.filter(({ namespace, pod }) => namespace === NAMESPACE && pod.startsWith(name));
  };

  await t.test('keys: prints its lines, reports them, and the hook writes them down', async (t) => {
    const name = await order('2h');
    const [access] = await secretOf(name);
    t.equal(access?.form, 'keys');
    const { status } = await ended(name);
    t.match(status?.logJob, { state: 'Succeeded', errorlog: { exitCode: 0 }, slowlog: { exitCode: 0 } });
    const output = await outputOf(name);
    t.same(output.map(({ container }) => container).sort(), ['errorlog', 'slowlog']);
    for (const { container, stdout, stderr } of output) {
      t.comment(`${container}\n${stdout}${stderr}`);
      const lines = stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line));
      t.match(lines.at(-1), { log: container, summary: { complete: true, lines: lines.length - 1 } });
      t.ok(lines.length > 1, 'there were lines');
      t.equal(status?.logJob?.[container as 'errorlog']?.lines, lines.length - 1);
      t.match(stderr, /page 1: \d+ of \d+ lines/);
    }
    t.match(
      status?.conditions?.find(({ type }) => type === 'LogsFetched'),
      { status: 'True', reason: 'LogsRead' },
    );
  });

  await t.test('token: revoked by its container, its Secret dropped', async (t) => {
    await cloud.addFault({
      match: { service: 'iam', path: '/v3.0/OS-CREDENTIAL/securitytokens' },
      kind: '403',
      times: 9,
    });
    const name = await order('again');
    const access = await secretOf(name);
    const { status } = await ended(name);
    t.match(status?.logJob, { state: 'Succeeded' });
    for (const { stderr } of await outputOf(name)) t.match(stderr, /the token is revoked/);
    for (const one of access) {
      const token = one.form === 'token' ? one.token : '';
      t.not(token, '');
      const answer = await request(`${one.rdsUrl}/instances`, { headers: { 'x-auth-token': token } });
      await answer.body.dump();
      t.equal(answer.statusCode, 401, 'the cloud refuses it');
    }
    await waitFor(
      'the Secret to go',
      async () => (await kube.find(`/api/v1/namespaces/${NAMESPACE}/secrets/${name}`)) === undefined,
    );
    t.notOk((await outputOf(name)).some(({ stdout }) => stdout === ''));
  });

  await t.test('no secret in logs, status, events, metrics, the Job or its output', async (t) => {
    t.ok(secretsSeen.length >= 4);
    const files = readdirSync(controlPlane.dir).filter((name) =>
      /^(hook|simulator|metacontroller).*\.log$/.test(name),
    );
    const metrics = await request(`http://127.0.0.1:${replica?.port}/metrics`);
    const listed = async (path: string) => JSON.stringify(await kube.list(path));
    const channels: Record<string, string> = {
      logs: files.map((name) => readFileSync(join(controlPlane.dir, name), 'utf8')).join('\n'),
      status: JSON.stringify(await kube.find(RDS)),
      events: await listed(`/api/v1/namespaces/${NAMESPACE}/events`),
      journal: await listed('/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases'),
      jobs: await listed(`/apis/batch/v1/namespaces/${NAMESPACE}/jobs`),
      pods: await listed(`/api/v1/namespaces/${NAMESPACE}/pods`),
      metrics: await metrics.body.text(),
      output: (await runner.outputs()).map(({ stdout, stderr }) => stdout + stderr).join('\n'),
    };
    for (const [channel, text] of Object.entries(channels)) {
      t.ok(text.length > 50, `${channel} has something to look through`);
      t.notOk(
        secretsSeen.some((secret) => text.includes(secret)),
        channel,
      );
    }
  });

  await t.test('deleted in mid-run: the token is dead before the Rds is gone', async (t) => {
    await cloud.addFault({
      match: { service: 'iam', path: '/v3.0/OS-CREDENTIAL/securitytokens' },
      kind: '403',
      times: 9,
    });
    // The containers wait for the cloud as long as they live.
    for (const path of ['*/errorlog', '*/slowlog'])
      await cloud.addFault({ match: { service: 'rds', path }, kind: '503', times: 10_000 });
    const name = await order('for ever');
    const access = await secretOf(name);
    await waitFor('the containers', async () =>
      (await outputOf(name)).some(({ stderr }) => /next try in/.test(stderr)),
    );
    await kube.send('DELETE', RDS);
    await waitFor('the Rds to go', async () => (await kube.find(RDS)) === undefined);
    t.equal(await kube.find(`/api/v1/namespaces/${NAMESPACE}/secrets/${name}`), undefined);
    for (const one of access) {
      const token = one.form === 'token' ? one.token : '';
      t.not(token, '');
      const answer = await request(`${one.rdsUrl}/instances`, { headers: { 'x-auth-token': token } });
      await answer.body.dump();
      t.equal(answer.statusCode, 401, 'the cloud refuses it');
    }
  });
});
