// Where restored data comes from: a backup, or a moment that the source's log still covers.
import { integer, type JsonObject, optionalText, text } from '../fields.ts';
import type { Call } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { restoreWindows } from './restore-time.ts';
import type { Engine, Instance } from './types.ts';

export type RestorePoint = {
  engine: Engine;
  version: string;
  volumeGb: number;
  from: NonNullable<Instance['restoredFrom']>;
};

export function readRestorePoint(call: Call, point: JsonObject): RestorePoint {
  const instanceId = text(point, 'instance_id');
  const type = optionalText(point, 'type') ?? 'backup';
  if (type === 'backup') return fromBackup(call, instanceId, text(point, 'backup_id'));
  if (type === 'timestamp') return fromMoment(call, instanceId, integer(point, 'restore_time'));
  throw new BadField('type', 'it must be backup or timestamp');
}

function fromBackup(call: Call, instanceId: string, backupId: string): RestorePoint {
  const backup = call.world.backups[backupId];
  if (!backup || backup.instanceId !== instanceId || backup.projectId !== call.identity.projectId)
    throw refuse(404, 'DBS.201010', `The backup ${backupId} does not exist.`);
  if (backup.status !== 'COMPLETED') throw refuse(400, 'DBS.201014', 'The backup is not completed.');
  return { ...backup.source, from: { instanceId, backupId } };
}

function fromMoment(call: Call, instanceId: string, time: number): RestorePoint {
  const source = call.world.instances[instanceId] ?? call.world.deleted[instanceId];
  if (!source || source.projectId !== call.identity.projectId)
    throw refuse(404, 'DBS.200002', `The DB instance ${instanceId} does not exist.`);
  const isCovered = restoreWindows(call, source).some(
    (window) => time >= window.start_time && time <= window.end_time,
  );
  if (!isCovered)
    throw refuse(400, 'DBS.280235', 'The time to restore to is not within the restorable range.');
  return {
    engine: source.engine,
    version: source.version,
    volumeGb: source.volumeGb,
    from: { instanceId, time },
  };
}
