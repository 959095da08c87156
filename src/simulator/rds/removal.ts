// The end of an instance: its replicas and automated backups go with it, manual backups stay.
import { note, type World } from '../world.ts';
import type { Instance } from './types.ts';

export function remove(world: World, instance: Instance, at: number): void {
  for (const other of Object.values(world.instances))
    if (other.replicaOf === instance.id) remove(world, other, at);
  for (const backup of Object.values(world.backups))
    if (backup.instanceId === instance.id && backup.type === 'auto') delete world.backups[backup.id];
  const isRecycled = instance.type !== 'Replica' && instance.stoppedAt === undefined;
  delete world.instances[instance.id];
  world.deleted[instance.id] = { ...instance, operation: undefined, deletedAt: at, isRecycled };
  world.pending = world.pending.filter(
    (item) =>
      item.kind !== 'effect' || item.instanceId !== instance.id || item.effect.do === 'backup-removed',
  );
  note(world, { at, kind: 'deleted', instanceId: instance.id, name: instance.name });
}
