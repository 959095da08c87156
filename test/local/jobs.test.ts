import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import t, { type Test } from 'tap';
import { systemClock } from '../../src/clock.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { createJobRunner, type JobRunnerOptions } from '../../src/local/pods/jobs.ts';
import { sqlRefusal } from '../../src/local/pods/sql-refusal.ts';
import { jobEnd } from '../../src/rds/job-state.ts';

const SECRET = 'Sup3r-secret-value';

type JobWish = {
  name: string;
  script: string;
  deadlineSeconds?: number;
  owner?: string;
  labels?: Record<string, string>;
};

async function createCluster(t: Test, options: Partial<JobRunnerOptions> = {}) {
  const api = createApiServer({ clock: systemClock, uid: randomUUID });
  const problems: string[] = [];
  const runner = createJobRunner({
    kube: api.call,
    watch: api.watch,
    kill: (pid, signal) => process.kill(pid, signal),
    refusal: () => undefined,
    onProblem: (message) => problems.push(message),
    ...options,
  });
  t.teardown(runner.stop);
  const post = async (path: string, body: object) => {
    const answer = await api.call({ method: 'POST', path, body, deadlineMs: 1_000 });
    t.equal(answer.status, 201);
    return answer.body as KubeObject;
  };
  const rds = await post('/apis/otc.mcsps.de/v1alpha1/namespaces/default/rdss', {
    metadata: { name: 'shop' },
    spec: {},
  });
  await post('/api/v1/namespaces/default/secrets', {
    metadata: { name: 'access' },
    stringData: { key: JSON.stringify({ form: 'keys', secretKey: SECRET }) },
  });

  const find = (kind: string, name: string) =>
    api.dump().find((object) => object.kind === kind && object.metadata.name === name);
  /** Resolves with the first object that is as wanted, seen as it changes. */
  const until = <T>(look: () => T | undefined): Promise<T> =>
    new Promise((resolve) => {
      let stop = () => {};
      const tell = () => {
        const found = look();
        if (found === undefined) return;
        stop();
        resolve(found);
      };
      stop = api.watch(tell);
      tell();
    });

  return {
    api,
    runner,
    problems,
    until,
    find,
    order: ({ name, script, deadlineSeconds = 60, owner = 'Rds', labels = {} }: JobWish) =>
      post('/apis/batch/v1/namespaces/default/jobs', {
        metadata: {
          name,
          labels,
          ownerReferences: [
            {
              apiVersion: rds.apiVersion,
              kind: owner,
              name: 'shop',
              uid: rds.metadata.uid ?? '',
              controller: true,
            },
          ],
        },
        spec: {
          activeDeadlineSeconds: deadlineSeconds,
          template: {
            spec: {
              securityContext: { runAsUser: 65532, fsGroup: 65532 },
              terminationGracePeriodSeconds: 1,
              containers: [
                {
                  name: 'main',
                  image: 'rds-pilot:latest',
                  command: ['node', '-e', script],
                  args: ['/var/run/access/access.json', '/dev/termination-log'],
                  env: [{ name: 'WHO', value: 'me' }],
                  volumeMounts: [{ name: 'access', mountPath: '/var/run/access', readOnly: true }],
                },
              ],
              volumes: [
                {
                  name: 'access',
                  secret: {
                    secretName: 'access',
                    defaultMode: 0o444,
                    items: [{ key: 'key', path: 'access.json' }],
                  },
                },
              ],
            },
          },
        },
      }),
    ended: (name: string) =>
      until(() => {
        const job = find('Job', name);
        return job && jobEnd(job);
      }),
    lines: (name: string) => runner.output('default', name)?.since(0).lines ?? [],
  };
}

t.test('a Job runs as a local process, and the hook can read what became of it', async (t) => {
  const cluster = await createCluster(t);
  process.env.OURS = 'is not for containers';
  await cluster.order({
    name: 'logs',
    script: `
      const { statSync, readFileSync, writeFileSync } = require('node:fs');
      const { dirname } = require('node:path');
      const [file, report] = process.argv.slice(1);
      const mode = (path) => (statSync(path).mode & 0o777).toString(8);
      console.log(JSON.stringify({ file, mode: mode(file), home: mode(dirname(dirname(dirname(file)))) }));
      console.log('whole: ' + readFileSync(file, 'utf8'));
      console.log('part: ' + JSON.parse(readFileSync(file, 'utf8')).secretKey, process.env.WHO, process.env.OURS);
      process.stderr.write('no end of line');
      writeFileSync(report, 'the last words');`,
  });
  t.match(await cluster.ended('logs'), { succeeded: true });
  const [first, ...rest] = cluster.lines('logs');
  const { file, ...modes } = JSON.parse(first?.text ?? '');
  t.same(modes, { mode: '600', home: '700' }, 'what it mounts is for nobody else');
  t.notOk(existsSync(file), 'and gone when it has ended');
  t.same(rest, [
    { container: 'main', stream: 'stdout', text: 'whole: (hidden)' },
    { container: 'main', stream: 'stdout', text: 'part: (hidden) me undefined' },
    { container: 'main', stream: 'stderr', text: 'no end of line' },
  ]);
  t.notMatch(JSON.stringify(cluster.lines('logs')), SECRET);
  const read = createReadJobMessages(cluster.api.call, 1_000);
  t.same(await read({ namespace: 'default', name: 'logs' }), { main: 'the last words' });
  t.same(cluster.problems, []);
});

t.test('a Job that fails, and one that takes too long', async (t) => {
  const cluster = await createCluster(t);
  await cluster.order({ name: 'fails', script: 'process.exitCode = 3' });
  t.match(await cluster.ended('fails'), { succeeded: false });
  await cluster.order({ name: 'late', script: 'setInterval(() => {}, 1000)', deadlineSeconds: 1 });
  t.match(await cluster.ended('late'), { succeeded: false, because: 'DeadlineExceeded' });
});

t.test('a deleted Job, and the end of the runner, end the process', async (t) => {
  const groups = new Set<number>();
  const kill: JobRunnerOptions['kill'] = (pid, signal) => process.kill(groups.add(pid) && pid, signal);
  const cluster = await createCluster(t, { kill });
  const podsOf = (job: string) =>
    cluster.api
      .dump()
      .filter(({ kind, metadata }) => kind === 'Pod' && metadata.labels?.['job-name'] === job);
  for (const name of ['dropped', 'running']) {
    await cluster.order({ name, script: 'setInterval(() => {}, 1000)' });
    await cluster.until(() =>
      podsOf(name).find(({ status }) => (status as { phase?: string })?.phase === 'Running'),
    );
  }
  const path = '/apis/batch/v1/namespaces/default/jobs/dropped';
  await cluster.api.call({ method: 'DELETE', path, deadlineMs: 1_000 });
  t.equal(cluster.runner.output('default', 'dropped'), undefined, 'its output is forgotten');
  t.same(podsOf('dropped'), [], 'its pod is gone with it');
  await cluster.runner.stop();
  t.equal(groups.size, 2);
  for (const group of groups) t.throws(() => process.kill(group, 0), { code: 'ESRCH' });
});

t.test('only the end of a long output is kept', async (t) => {
  const cluster = await createCluster(t);
  await cluster.order({
    name: 'long',
    script: `for (let n = 1; n <= 1500; n += 1) console.log(n + 'x'.repeat(n === 1500 ? 9000 : 0))`,
  });
  await cluster.ended('long');
  const { lines, dropped, next } = cluster.runner.output('default', 'long')?.since(0) ?? { lines: [] };
  t.same([lines.length, dropped, next], [1_000, 500, 1_500]);
  t.equal(lines[0]?.text, '501');
  t.equal(lines.at(-1)?.text.length, 4_000);
  t.equal(cluster.runner.output('default', 'long')?.since(1_498).lines.length, 2);
});

t.test('what speaks SQL does not run beside the embedded simulator, and says why', async (t) => {
  const cluster = await createCluster(t, { refusal: sqlRefusal });
  const seen = new Map<string, KubeObject>();
  cluster.api.watch(({ object }) => seen.set(object.metadata.name, object));
  await cluster.order({ name: 'sql', script: '', labels: { 'otc.mcsps.de/part': 'sql' } });
  t.match(await cluster.ended('sql'), { succeeded: false, because: /^NotRunHere: no database server/ });
  t.ok(
    jobEnd(seen.get('sql') ?? { kind: '', metadata: {} }),
    'who watches learns of the Job first, then of its end',
  );
  await cluster.order({ name: 'logs', script: '', labels: { 'otc.mcsps.de/part': 'logs' } });
  t.match(await cluster.ended('logs'), { succeeded: true });
  await cluster.order({ name: 'foreign', script: '', owner: 'CronJob' });
  const pods = cluster.api.dump().filter(({ kind }) => kind === 'Pod');
  t.equal(pods.length, 1, 'and a Job of somebody else is not touched');
  t.equal(cluster.find('Job', 'foreign')?.status, undefined);
});
