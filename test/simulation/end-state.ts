// What an Rds has become, without the things that two lives cannot share (ids, times, orders).

import { MINUTE } from './clock.ts';
import type { Instance } from './cloud.ts';
import { specOf, statusOf } from './cluster.ts';
import { chooseNothing } from './decisions.ts';
import type { Deed, Target } from './plan.ts';
import { comeToRest, perform, runTo } from './schedule.ts';
import { createWorld } from './world.ts';

const TARGET: Target = { namespace: 'team-a', name: 'db1' };

export type EndState = {
  instance: unknown;
  status: unknown;
  children: string[];
  spec: unknown;
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
  if (world.violations.length === 0) await comeToRest(world, [TARGET]);
  world.stop();
  const { cluster, cloud, violations } = world;
  const object = cluster.findRds(TARGET.namespace, TARGET.name);
  const id = cluster.journal(object?.metadata.uid ?? '')?.journal.id ?? '';
  const kinds = ['Service', 'EndpointSlice', 'Secret'];
  const names = [TARGET.name, `${TARGET.name}-connection`, `${TARGET.name}-root`];
  return {
    instance: comparable(cloud.instance(id)),
    status: object && comparableStatus(statusOf(object)),
    children: kinds.flatMap((kind) =>
      names.flatMap((name) => (cluster.find(kind, TARGET.namespace, name) ? [`${kind}/${name}`] : [])),
    ),
    spec: object && { ...specOf(object), paused: undefined },
    violation: violations[0] && `${violations[0].invariant}: ${violations[0].message}`,
  };
}

function comparable(instance: Instance | undefined): unknown {
  if (!instance) return undefined;
  const { status, flavor, volumeGb, volumeType, engine, version, port, type } = instance;
  return {
    status,
    flavor,
    volumeGb,
    volumeType,
    engine,
    version,
    port,
    type,
    tags: instance.tags.map(({ key }) => key),
  };
}

function comparableStatus(status: ReturnType<typeof statusOf>): unknown {
  const { phase, flavor, volumeGb, port, engineVersion, plan, binding } = status;
  const conditions = status.conditions?.map(
    ({ type, status: holds, reason }) => `${type}=${holds}/${reason}`,
  );
  return { phase, flavor, volumeGb, port, engineVersion, plan, binding, conditions };
}
