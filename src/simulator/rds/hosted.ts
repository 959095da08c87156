// Instances with a real database behind them: their address, what the hosting should do, and when it is done.
import type { HostedBackup, HostedInstance, Progress, TaskName, Wish } from '../hosting.ts';
import type { Scene } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import type { World } from '../world.ts';
import type { Backup, Effect, Instance } from './types.ts';

const realOnes = (world: World): Instance[] =>
  Object.values(world.instances).filter(({ isReal }) => isReal === true);

/** The address of an instance that is to run really; undefined when its engine is only simulated. */
export function realAddress(
  { settings: { hosting }, world }: Scene,
  instance: Pick<Instance, 'id' | 'engine' | 'port' | 'replicaOf'>,
): string | undefined {
  if (!hosting?.hosts(instance.engine)) return undefined;
  const others = realOnes(world).filter(({ id }) => id !== instance.id);
  const place = hosting.place(
    { engine: instance.engine, port: instance.port, isReplica: instance.replicaOf !== undefined },
    others.map(({ id, engine, ip, port, replicaOf }) => ({
      id,
      engine,
      ip,
      port,
      isReplica: replicaOf !== undefined,
    })),
  );
  if ('problem' in place) throw refuse(400, 'DBS.280001', place.problem);
  return place.ip;
}

/** A real instance stays at the address of this machine: only a free port of it will do. */
export function requireFreePort(scene: Scene, instance: Instance, port: number): void {
  if (instance.isReal && realAddress(scene, { ...instance, port }) !== instance.ip)
    throw refuse(400, 'DBS.280001', `Port ${port} of ${instance.ip} is in use.`);
}

export function requireMovable(instance: Instance): void {
  if (instance.isReal)
    throw refuse(400, 'DBS.280001', `A really running instance stays at the address ${instance.ip}.`);
}

const CLOSED = ['BUILD', 'SHUTDOWN', 'REBOOTING', 'RESTORING', 'CREATE FAIL', 'FAILED', 'FROZEN'];

export function wishOf(world: World): Wish {
  const instances = realOnes(world);
  const real = new Set(instances.map(({ id }) => id));
  return {
    instances: instances.map((instance) => hostedInstance(world, instance)),
    backups: Object.values(world.backups)
      .filter((backup) => backup.isReal && backup.status !== 'FAILED')
      .map((backup) => hostedBackup(world, backup, real)),
  };
}

function hostedInstance(world: World, instance: Instance): HostedInstance {
  const { id, engine, ip, port, password, replicaOf, operation } = instance;
  const backupId = sourceBackup(world, instance);
  const isRestoring = operation?.kind === 'restore' && operation.jobId !== '';
  return {
    id,
    engine,
    ip,
    port,
    password,
    isOpen: instance.builtAt !== undefined && !CLOSED.includes(instance.status),
    replicaOf,
    origin: instance.builtAt === undefined ? backupId : undefined,
    restore: isRestoring ? { jobId: operation.jobId, backupId: backupId ?? '' } : undefined,
  };
}

function hostedBackup(world: World, backup: Backup, real: ReadonlySet<string>): HostedBackup {
  const { id, instanceId, databases } = backup;
  const isFirst = backup.beginAt === world.instances[instanceId]?.builtAt;
  return {
    id,
    instanceId,
    isNew: real.has(instanceId) && (backup.status === 'BUILDING' || isFirst),
    databases,
  };
}

/** A moment is served by the last backup before it: there is no log to go on from. */
function sourceBackup(world: World, { restoredFrom }: Instance): string | undefined {
  if (!restoredFrom) return undefined;
  if (restoredFrom.backupId) return restoredFrom.backupId;
  const time = restoredFrom.time ?? 0;
  return (
    Object.values(world.backups)
      .filter(
        (backup) =>
          backup.instanceId === restoredFrom.instanceId &&
          backup.status === 'COMPLETED' &&
          (backup.endAt ?? Number.POSITIVE_INFINITY) <= time,
      )
      .sort((a, b) => a.beginAt - b.beginAt)
      .at(-1)?.id ?? ''
  );
}

/** The real work that an effect has to wait for. */
function taskOf(instance: Instance, effect: Effect): TaskName | undefined {
  if (effect.do === 'built') return `build ${instance.id}`;
  if (effect.do === 'backed-up' && !effect.isFailed) return `backup ${effect.backupId}`;
  if (effect.do === 'restored' && instance.operation) return `restore ${instance.operation.jobId}`;
  return undefined;
}

const failures: Partial<Record<Effect['do'], (effect: Effect) => Effect>> = {
  built: () => ({ do: 'build-failed' }),
  restored: () => ({ do: 'restore-failed' }),
  'backed-up': (effect) => (effect.do === 'backed-up' ? { ...effect, isFailed: true } : effect),
};

/** The effect as reality allows it; undefined when it has to wait. */
export function realEffect(scene: Scene, instanceId: string, effect: Effect): Effect | undefined {
  const { hosting } = scene.settings;
  const instance = scene.world.instances[instanceId];
  const task = instance?.isReal && taskOf(instance, effect);
  if (!hosting || !instance || !task) return effect;
  const progress: Progress = hosting.progressOf(task);
  if (progress.is === 'working') return undefined;
  if (progress.is === 'done') return effect;
  const job = scene.world.jobs[instance.operation?.jobId ?? ''];
  if (job) job.failReason = progress.reason;
  return failures[effect.do]?.(effect) ?? effect;
}

/** The job of a waiting instance must not say Completed before it. */
export function prolongJob(world: World, instanceId: string, ms: number): void {
  const job = world.jobs[world.instances[instanceId]?.operation?.jobId ?? ''];
  if (job) job.endsAt += ms;
}
