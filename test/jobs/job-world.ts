// The simulated world, and somebody who plays the Job controller and the pods in it.

import type { KubeObject } from '../../src/kube/api.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import { isSqlJob } from '../../src/rds/job-state.ts';
import type { SqlReport, SqlWish } from '../../src/rds/sql-wish.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { condition, createWorld, SECOND, type World, type WorldOptions } from '../support/world.ts';

type Test = { teardown(run: () => Promise<void>): void };

export type JobWorld = World & Awaited<ReturnType<typeof withJobs>>;

const NAMESPACE = 'team-a';
const base = `/api/v1/namespaces/${NAMESPACE}`;
const decoded = (secret: KubeObject | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries((secret?.data ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );

export async function createJobWorld(
  t: Test,
  deps: Partial<SyncDeps> = {},
  options: Pick<WorldOptions, 'timing' | 'logTo'> = {},
): Promise<JobWorld> {
  const jobImage = 'registry.example/rds-pilot:test';
  // Pods are not among the kinds of the memory API server.
  const pods: Record<string, string> = {};
  const call = async ({ path }: { path: string }) => {
    const name = /job-name%3D(.+)$/.exec(path)?.[1] ?? '';
    const message = pods[name];
    const state = { terminated: { exitCode: 1, message } };
    const items =
      message === undefined
        ? []
        : [{ metadata: {}, status: { containerStatuses: [{ name: 'sql', state }] } }];
    return { status: 200, body: { items } };
  };
  const world = await createWorld({
    ...options,
    simulator: { automatedBackups: false },
    deps: { jobImage, readJobMessages: createReadJobMessages(call, 1_000), ...deps },
  });
  t.teardown(() => world.stop());
  return Object.assign(world, await withJobs(world, pods));
}

async function withJobs(world: World, pods: Record<string, string>) {
  const jobPath = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;

  async function jobs(): Promise<KubeObject[]> {
    const { body } = await world.kube('GET', jobPath);
    return (body as { items: KubeObject[] }).items.filter((job) => isSqlJob(job as never));
  }

  async function onlyJob(): Promise<KubeObject> {
    const found = await jobs();
    if (found.length !== 1 || !found[0])
      throw new Error(`expected one Job, found ${found.map(({ metadata }) => metadata.name)}`);
    return found[0];
  }

  async function setStatus(job: KubeObject, status: unknown): Promise<void> {
    await world.kube(
      'PATCH',
      `${jobPath}/${job.metadata.name}/status`,
      { status },
      'application/merge-patch+json',
    );
  }

  return {
    jobs,
    onlyJob,
    secretValues: async (name: string) => decoded(await world.object(`${base}/secrets/${name}`)),
    secretNames: async () =>
      ((await world.kube('GET', `${base}/secrets`)).body as { items: KubeObject[] }).items.map(
        ({ metadata }) => metadata.name,
      ),
    wishOf: async (job: KubeObject): Promise<SqlWish> =>
      JSON.parse(decoded(await world.object(`${base}/secrets/${job.metadata.name}`))['wish.json'] ?? 'null'),
    runs: (job: KubeObject) => setStatus(job, { active: 1, ready: 1 }),
    async ends(job: KubeObject, report: Partial<SqlReport> = {}): Promise<void> {
      const whole: SqlReport = { changed: 0, failures: [], more: 0, ...report };
      const isGood = whole.failures.length + whole.more === 0 && whole.fatal === undefined;
      pods[job.metadata.name] = JSON.stringify(whole);
      const lastTransitionTime = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
      const end = { type: isGood ? 'Complete' : 'Failed', status: 'True', lastTransitionTime };
      await setStatus(job, { active: 0, ready: 0, conditions: [end] });
      await world.clock.advance(5 * SECOND);
    },
    databasesReady: async (name = 'shop') => condition(await world.status(name), 'DatabasesReady'),
  };
}
