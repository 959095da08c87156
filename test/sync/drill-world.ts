// A small world with a database that has restore drills, and somebody who plays the Job controller in it.

import type { Test } from 'tap';
import type { KubeObject } from '../../src/kube/api.ts';
import { createReadJobMessages } from '../../src/kube/job-messages.ts';
import { type DrillReport, isDrillChild } from '../../src/rds/drill-wish.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { condition, createWorld, SECOND, type WorldOptions } from '../support/world.ts';

export const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };
/** Every hour on the hour; the world starts at 08:00. */
const HOURLY = '0 * * * *';
export const withDrill = (
  drill: Partial<NonNullable<NonNullable<RdsSpec['backup']>['drill']>> = {},
): RdsSpec => ({
  ...BASE,
  backup: { drill: { schedule: HOURLY, ...drill } },
});

type Options = WorldOptions & { hasJobs?: boolean };

export type DrillWorld = Awaited<ReturnType<typeof createDrillWorld>>;

export async function createDrillWorld(t: Pick<Test, 'teardown'>, options: Options = {}) {
  const pods: Record<string, string> = {};
  const call = async ({ path }: { path: string }) => {
    const message = pods[/job-name%3D(.+)$/.exec(path)?.[1] ?? ''];
    const state = { terminated: { exitCode: 1, message } };
    const statuses = [{ name: 'drill', state }];
    const items = message === undefined ? [] : [{ metadata: {}, status: { containerStatuses: statuses } }];
    return { status: 200, body: { items } };
  };
  const jobs = options.hasJobs
    ? { jobImage: 'registry.example/rds-pilot:test', readJobMessages: createReadJobMessages(call, 1_000) }
    : {};
  const world = await createWorld({ ...options, deps: { ...options.deps, ...jobs } });
  t.teardown(() => world.stop());
  const children = (kind: 'Secret' | 'Job') =>
    world.api.dump().filter((one) => one.kind === kind && isDrillChild(one as KubeObject)) as KubeObject[];

  return Object.assign(world, {
    throwaways: () => world.simulator.state.instances.filter(({ name }) => name.startsWith('drill-')),
    secrets: () => children('Secret'),
    jobs: () => children('Job'),
    drill: async (name = 'shop') => (await world.status(name)).backup?.drill,
    told: async (name = 'shop') => condition(await world.status(name), 'BackupDrill'),
    journal: async (name = 'shop'): Promise<Journal> => {
      const uid = (await world.rds(name))?.metadata.uid;
      const lease = await world.object(`/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-${uid}`);
      return JSON.parse(lease?.metadata.annotations?.[ANNOTATIONS.journal] ?? '{}') as Journal;
    },
    valuesOf: (secret: KubeObject | undefined): Record<string, string> =>
      Object.fromEntries(
        Object.entries((secret?.data ?? {}) as Record<string, string>).map(([key, value]) => [
          key,
          Buffer.from(value, 'base64').toString(),
        ]),
      ),
    /** Runs until this holds; false after that much virtual time. */
    until: (holds: () => boolean, limitMs: number) => world.clock.runUntil(holds, limitMs),
    /** The Job has ended, and its pod left these words. */
    async ends(job: KubeObject, report: Partial<DrillReport> = {}): Promise<void> {
      const whole: DrillReport = { passed: 0, failed: [], ...report };
      const isGood = whole.failed.length === 0 && whole.fatal === undefined;
      pods[job.metadata.name] = JSON.stringify(whole);
      const lastTransitionTime = `${new Date(world.clock.now()).toISOString().slice(0, 19)}Z`;
      const end = { type: isGood ? 'Complete' : 'Failed', status: 'True', lastTransitionTime };
      await world.kube(
        'PATCH',
        `/apis/batch/v1/namespaces/team-a/jobs/${job.metadata.name}/status`,
        { status: { conditions: [end] } },
        'application/merge-patch+json',
      );
      await world.clock.advance(15 * SECOND);
    },
  });
}
