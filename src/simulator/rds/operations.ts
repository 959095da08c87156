// Work that takes time: the instance changes state now, and an effect waits for the clock.
import type { Scene } from '../protocol.ts';
import { note, schedule } from '../world.ts';
import { factsOf } from './engines.ts';
import type { Effect, Instance, Job, OperationKind } from './types.ts';

export type Operation = {
  kind: OperationKind;
  /** Left out: the instance keeps showing its state. */
  status?: string;
  durationMs: number;
  effect: Effect;
  entities?: Record<string, unknown>;
  failReason?: string;
};

const jobNames: Record<OperationKind, (engine: string, instance: Instance) => string> = {
  create: (engine, { type }) =>
    type === 'Replica' ? `Create${engine}ReplicaInstance` : `Create${engine}SingleHAInstance`,
  restart: (engine) => `Restart${engine}Instance`,
  resize: (engine) => `Resize${engine}Flavor`,
  enlarge: (engine) => `Enlarge${engine}Volume`,
  'single-to-ha': (engine) => `${engine}SingleToHa`,
  'change-volume': (engine) => `Change${engine}VolumeType`,
  failover: (engine) => `${engine}Failover`,
  migrate: (engine) => `Migrate${engine}Slave`,
  start: (engine) => `Startup${engine}Instance`,
  stop: (engine) => `Shutdown${engine}Instance`,
  port: (engine) => `Modify${engine}Port`,
  ip: (engine) => `Modify${engine}Ip`,
  upgrade: (engine) => `Upgrade${engine}MinorVersion`,
  'major-upgrade': (engine) => `Upgrade${engine}MajorVersion`,
  backup: (engine) => `Create${engine}ManualSnapshot`,
  restore: (engine) => `Restore${engine}Instance`,
  dns: (engine) => `Modify${engine}Dns`,
  delete: (engine) => `Delete${engine}Instance`,
};

export const lasting = (scene: Scene, durationMs: number): number =>
  Math.round(durationMs / scene.settings.speed);

export function begin(scene: Scene, instance: Instance, operation: Operation): Job {
  const { world, now, settings } = scene;
  const doneAt = now + lasting(scene, operation.durationMs);
  const job = newJob(scene, instance, jobNames[operation.kind](factsOf(instance.engine).jobName, instance));
  job.endsAt = doneAt + lasting(scene, settings.durations.jobTailMs);
  job.failReason = operation.failReason;
  job.entities = operation.entities ?? {};
  instance.operation = { kind: operation.kind, jobId: job.id, since: now };
  if (operation.status) instance.status = operation.status;
  note(world, { at: now, kind: operation.kind, instanceId: instance.id, name: instance.name });
  schedule(world, { at: doneAt, kind: 'effect', instanceId: instance.id, effect: operation.effect });
  return job;
}

/** A job to follow for a change that is already made and blocks nothing. */
export function newJob(scene: Scene, instance: Instance, name: string): Job {
  const job: Job = {
    id: scene.random.uuid(),
    projectId: instance.projectId,
    name,
    instanceId: instance.id,
    instanceName: instance.name,
    startedAt: scene.now,
    endsAt: scene.now + lasting(scene, scene.settings.durations.jobTailMs),
    failReason: undefined,
    entities: {},
  };
  scene.world.jobs[job.id] = job;
  return job;
}

/** Never ends: the job stays Running and no effect comes. */
export function beginForever(scene: Scene, instance: Instance, operation: Operation): Job {
  const job = begin(scene, instance, operation);
  job.endsAt = Number.MAX_SAFE_INTEGER;
  scene.world.pending = scene.world.pending.filter(
    (item) => item.kind !== 'effect' || item.instanceId !== instance.id,
  );
  return job;
}
