// The simulated world with somebody who plays the Job controller: the containers of a log Job really run, on the
// credential in the Secret that they mount.

import { readArguments } from '../../src/jobs/logs/arguments.ts';
import { type JobDeps, runLogJob } from '../../src/jobs/logs/run.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import type { JobAccess } from '../../src/otc/cloud.ts';
import { openJobAccess } from '../../src/otc/job-access.ts';
import { fetchErrorLogPage } from '../../src/otc/rds-logs.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { LOG_NAMES, writeLogReport } from '../../src/rds/log-report.ts';
import type { FaultKind } from '../../src/simulator/faults.ts';
import { condition, createWorld, MINUTE, SECOND, type WorldOptions } from '../support/world.ts';

type Test = { teardown(run: () => Promise<void>): void };
type Container = { name: string; args: string[] };

export const IMAGE = 'registry.example/rds-pilot:test';
export const GIVE_KEYS = '/v3.0/OS-CREDENTIAL/securitytokens';
const CORE = '/api/v1/namespaces/team-a';
const JOBS = '/apis/batch/v1/namespaces/team-a/jobs';

export async function createLogWorld(t: Test, options: WorldOptions = {}) {
  const messages = new Map<string, Record<string, string>>();
  // Only what a kubelet would write is made up here.
  const readPods = createReadJobMessages(async ({ path }) => {
    const name = decodeURIComponent(path).split('job-name=')[1] ?? '';
    const containerStatuses = Object.entries(messages.get(name) ?? {}).map(([container, message]) => ({
      name: container,
      state: { terminated: { exitCode: 0, message } },
    }));
    return { status: 200, body: { items: [{ metadata: {}, status: { containerStatuses } }] } };
  }, 1_000);
  const world = await createWorld({
    ...options,
    simulator: { automatedBackups: false, ...options.simulator },
    deps: { jobImage: IMAGE, readJobMessages: readPods, ...options.deps },
  });
  t.teardown(() => world.stop());
  const { clock, simulator } = world;

  const list = async (path: string) =>
    ((await world.kube('GET', path)).body as { items: KubeObject[] }).items.filter(({ metadata }) =>
      metadata.name.includes('-logs-'),
    );
  const jobs = () => list(JOBS);
  const secrets = () => list(`${CORE}/secrets`);

  async function onlyJob(): Promise<KubeObject> {
    const [job, ...more] = await jobs();
    if (!job || more.length > 0)
      throw new Error(`expected one log Job, found ${more.length + (job ? 1 : 0)}`);
    return job;
  }

  async function accessOf(name: string): Promise<Record<string, JobAccess>> {
    const secret = await world.object(`${CORE}/secrets/${name}`);
    const data = Object.entries((secret?.data ?? {}) as Record<string, string>);
    return Object.fromEntries(
      data.map(([key, text]) => [key, JSON.parse(Buffer.from(text, 'base64').toString()) as JobAccess]),
    );
  }

  async function settle<T>(work: Promise<T>): Promise<T> {
    let isOver = false;
    const over = () => {
      isOver = true;
    };
    work.then(over, over);
    for (let turn = 0; !isOver && turn < 10_000; turn += 1) await clock.advance(SECOND / 10);
    return work;
  }

  async function end(
    job: KubeObject,
    type: 'Complete' | 'Failed',
    reason?: string,
    at = clock.now(),
  ): Promise<void> {
    const lastTransitionTime = `${new Date(at).toISOString().slice(0, 19)}Z`;
    const status = { conditions: [{ type, status: 'True', reason, lastTransitionTime }] };
    await world.kube(
      'PATCH',
      `${JOBS}/${job.metadata.name}/status`,
      { status },
      'application/merge-patch+json',
    );
    await clock.advance(5 * SECOND);
  }

  return Object.assign(world, {
    jobs,
    secrets,
    onlyJob,
    accessOf,
    end,
    /** A database that runs, and some hours of logs. */
    async ready(name = 'shop', spec: Parameters<typeof world.apply>[1] = {}, ageMs = 60 * MINUTE) {
      await world.apply(name, spec);
      if (!(await world.reaches(name, 'Ready'))) throw new Error(`${name} is not Ready`);
      await clock.advance(ageMs);
    },
    async order(value: string, name = 'shop') {
      await world.annotate(name, { 'otc.mcsps.de/logs': value });
      await clock.advance(3 * SECOND);
    },
    orderByBoolean: async (name = 'shop') => {
      const path = `${world.rdsPath(name)}/status`;
      await world.kube('PATCH', path, { status: { logs: true } }, 'application/merge-patch+json');
      await clock.advance(3 * SECOND);
    },
    /** Runs both containers to their end and tells it as a kubelet and the Job controller do. */
    async run(job: KubeObject, deps: Partial<JobDeps> = {}) {
      const { name } = job.metadata;
      const { template } = job.spec as { template: { spec: { containers: Container[] } } };
      const files = await accessOf(name);
      const output: string[] = [];
      const print = async (line: string) => void output.push(line);
      const reports = await settle(
        Promise.all(
          template.spec.containers.map((container) =>
            runLogJob({
              args: readArguments([container.name, ...container.args]),
              credential: JSON.stringify(files[container.name]),
              send: simulator.send,
              clock,
              random: () => 0.5,
              print,
              tell: (line) => void output.push(line),
              onStop: () => {},
              ...deps,
            }),
          ),
        ),
      );
      messages.set(name, Object.fromEntries(reports.map((report) => [report.log, writeLogReport(report)])));
      await end(job, reports.every(({ exitCode }) => exitCode === 0) ? 'Complete' : 'Failed', 'Ended');
      return output;
    },
    /** Whether the cloud still takes any credential of this Secret's content. */
    async isRefused(files: Record<string, JobAccess>): Promise<boolean> {
      const { id = '' } = await world.status('shop');
      const instanceId = id || (simulator.state.instances[0]?.id ?? '0'.repeat(32).concat('in01'));
      const span = { fromMs: clock.now() - MINUTE, toMs: clock.now() };
      const answers = LOG_NAMES.map(async (log) => {
        const access = files[log];
        if (!access) throw new Error(`nothing for ${log}`);
        const call = openJobAccess(access, {
          send: simulator.send,
          clock,
          random: () => 0.5,
          budget: { remainingMs: () => 5_000 },
        });
        return fetchErrorLogPage(call, instanceId, span, 1).then(
          () => false,
          (error: { code?: string }) => error.code === 'APIGW.0301' || error.code === 'APIGW.0307',
        );
      });
      return (await Promise.all(answers)).every(Boolean);
    },
    issues: () => simulator.calls().iam?.[`POST ${GIVE_KEYS}`] ?? 0,
    /** The account gives no temporary keys. */
    withoutKeys: () =>
      simulator.faults.add({ match: { service: 'iam', path: GIVE_KEYS }, kind: '403', times: 1e6 }),
    failing: (kind: FaultKind, match: { method?: string; path?: string }, times = 1) =>
      simulator.faults.add({ match: { service: 'iam', ...match }, kind, times }),
    journal: async (name = 'shop') => {
      const { metadata } = (await world.rds(name)) ?? {};
      const lease = await world.object(
        `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${metadata?.uid}`,
      );
      return JSON.parse(lease?.metadata.annotations?.['otc.mcsps.de/journal'] ?? 'null') as Journal;
    },
    logsCondition: async (name = 'shop') => condition(await world.status(name), 'LogsFetched'),
  });
}

export type LogWorld = Awaited<ReturnType<typeof createLogWorld>>;
