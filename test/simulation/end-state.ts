// What an Rds has become, without the things that two lives cannot share (ids, times, orders).

import type { KubeObject } from '../../src/kube/api.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { MINUTE } from './clock.ts';
import type { Instance } from './cloud.ts';
import { specOf, statusOf } from './cluster.ts';
import { chooseNothing } from './decisions.ts';
import type { Deed, Target } from './plan.ts';
import { perform, runTo } from './schedule.ts';
import { createWorld } from './world.ts';

const TARGET: Target = { namespace: 'team-a', name: 'db1' };
const SETTLE_MS = 15 * MINUTE;

export type EndState = {
  instance: unknown;
  status: unknown;
  children: string[];
  spec: ReturnType<typeof specOf> | undefined;
  /** Ready and without a difference that is still told. */
  isDone: boolean;
  /** Differences that stay, each with a reason. */
  told: string[];
  violation: string | undefined;
};

/** Lives through the deeds without faults, with time between them, and tells the end. */
export async function endStateOf(seed: number, deeds: readonly Deed[], gapMs = MINUTE): Promise<EndState> {
  const world = await createWorld({
    seed,
    choose: chooseNothing,
    replicas: 2,
    lags: { listLagMs: 5_000, goneLagMs: 5_000, jobLagMs: 0 },
  });
  for (const deed of deeds) {
    await perform(world, { target: TARGET, deed });
    await runTo(world, world.clock.now() + gapMs);
  }
  await world.people.release([TARGET]);
  await runTo(world, world.clock.now() + SETTLE_MS);
  world.stop();
  const { cluster, cloud, violations } = world;
  const object = cluster.findRds(TARGET.namespace, TARGET.name);
  const id = cluster.journal(object?.metadata.uid ?? '')?.journal.id ?? '';
  const kinds = ['Service', 'EndpointSlice', 'Secret'];
  const names = [TARGET.name, `${TARGET.name}-connection`, `${TARGET.name}-root`];
  return {
    instance: comparable(cloud.instance(id)),
    status: object && comparableStatus(object),
    children: kinds.flatMap((kind) =>
      names.flatMap((name) => (cluster.find(kind, TARGET.namespace, name) ? [`${kind}/${name}`] : [])),
    ),
    spec: object && specOf(object),
    isDone: object !== undefined && isDone(object),
    told: (object ? statusOf(object).plan : undefined)?.map(({ field, when }) => `${field}: ${when}`) ?? [],
    violation: violations[0] && `${violations[0].invariant}: ${violations[0].message}`,
  };
}

function isDone(object: KubeObject): boolean {
  const { conditions, plan = [] } = statusOf(object);
  const holds = (type: 'Ready' | 'Synced') => findCondition(conditions, type)?.status === 'True';
  return plan.length === 0 && holds('Synced') && (holds('Ready') || specOf(object).stopped === true);
}

function comparable(instance: Instance | undefined): unknown {
  if (!instance) return undefined;
  const { status, flavor, volumeGb, volumeType, engine, version, port, type, ssl } = instance;
  const { backupWindow, backupKeepDays, maintenanceWindow, strategy, replicationMode, parameters } = instance;
  return {
    ...{ status, flavor, volumeGb, volumeType, engine, version, port, type, ssl },
    ...{ backupWindow, backupKeepDays, maintenanceWindow, strategy, replicationMode, parameters },
    securityGroupId: instance.securityGroupId,
    tags: instance.tags.map(({ key }) => key).sort(),
  };
}

function comparableStatus(object: KubeObject): unknown {
  const { phase, flavor, volumeGb, port, engineVersion, plan, binding, conditions } = statusOf(object);
  // Whether drills were ever asked for depends on the life, not on the last spec.
  const words = conditions
    ?.filter(({ type }) => type !== 'BackupDrill')
    .map(({ type, status: holds, reason }) => `${type}=${holds}/${reason}`);
  return { phase, flavor, volumeGb, port, engineVersion, plan, binding, words };
}
