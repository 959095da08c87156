// Manual backups: made, listed, deleted. They outlive their instance.
import { bodyOf, isObject, list, optionalText, queryInteger, text } from '../fields.ts';
import { type Answer, type Call, empty, json, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { bareTime, parseTime } from '../time.ts';
import { note, schedule } from '../world.ts';
import { newBackup } from './automated-backups.ts';
import { instanceById, requireActive } from './guards.ts';
import { lasting } from './operations.ts';
import type { Backup, Effect, Instance } from './types.ts';
import { backupShape } from './wire.ts';

export function createBackup(call: Call): Answer {
  const body = bodyOf(call);
  const instance = instanceById(call, text(body, 'instance_id'));
  const name = text(body, 'name');
  const description = optionalText(body, 'description') ?? '';
  if (!/^[A-Za-z][A-Za-z0-9_-]{3,63}$/.test(name)) throw new BadField('name', `${name} is invalid`);
  if (description.length > 256 || /[>!<"&'=]/.test(description))
    throw new BadField('description', 'it is invalid');
  const isTaken = Object.values(call.world.backups).some(
    (backup) => backup.name === name && backup.projectId === instance.projectId,
  );
  if (isTaken) throw refuse(409, 'DBS.201201', `The backup name ${name} already exists.`);
  requireBackupReady(instance);
  const databases = body.databases
    ? list(body, 'databases').map((item) => text(isObject(item) ? item : {}, 'name'))
    : undefined;
  const backup: Backup = {
    ...newBackup(call.random, instance, call.now),
    name,
    description,
    type: 'manual',
    databases,
  };
  start(call, instance, backup);
  return json(200, {
    backup: {
      id: backup.id,
      instance_id: instance.id,
      name,
      description,
      begin_time: bareTime(call.now),
      status: backup.status,
      type: backup.type,
    },
  });
}

function requireBackupReady(instance: Instance): void {
  if (instance.type === 'Replica') throw refuse(400, 'DBS.201014', 'A read replica cannot be backed up.');
  if (instance.operation?.kind === 'backup') throw refuse(409, 'DBS.201202', 'Another backup is running.');
  requireActive(instance, ['STORAGE FULL']);
}

/** There is no job for a backup: its own status tells. */
function start(call: Call, instance: Instance, backup: Backup): void {
  const { world, now } = call;
  const isFailed = call.faults.takeWorld('failed-backup', call.site);
  const isStuck = !isFailed && call.faults.takeWorld('stuck-backup', call.site);
  world.backups[backup.id] = backup;
  instance.status = 'BACKING UP';
  instance.operation = { kind: 'backup', jobId: '', since: now };
  note(world, { at: now, kind: 'backup', instanceId: instance.id, name: backup.name });
  // It says so for ever, and so does the instance.
  if (isStuck) return;
  const effect: Effect = { do: 'backed-up', backupId: backup.id, isFailed };
  const at = now + lasting(call, call.settings.durations.backupMs);
  schedule(world, { at, kind: 'effect', instanceId: instance.id, effect });
}

export function listBackups(call: Call): Answer {
  const { query } = call;
  const instanceId = query.get('instance_id');
  if (!instanceId) throw new BadField('instance_id', 'it is missing');
  const offset = queryInteger(query, 'offset', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = queryInteger(query, 'limit', { default: 100, min: 1, max: 100 });
  const span = readSpan(query);
  const rows = Object.values(call.world.backups)
    .filter((backup) => backup.projectId === call.identity.projectId && backup.instanceId === instanceId)
    .filter((backup) => !query.get('backup_id') || backup.id === query.get('backup_id'))
    .filter((backup) => !query.get('backup_type') || backup.type === query.get('backup_type'))
    .filter((backup) => !span || (backup.beginAt >= span.from && backup.beginAt <= span.to))
    .reverse();
  return json(200, {
    backups: rows.slice(offset, offset + limit).map(backupShape),
    total_count: rows.length,
  });
}

const BACKUP_TYPES = ['auto', 'manual', 'fragment', 'incremental'];

function readSpan(query: URLSearchParams): { from: number; to: number } | undefined {
  const type = query.get('backup_type');
  if (type && !BACKUP_TYPES.includes(type)) throw new BadField('backup_type', `${type} is unknown`);
  const [begin, end] = [query.get('begin_time'), query.get('end_time')];
  if (!begin && !end) return undefined;
  const from = parseTime(begin ?? '');
  const to = parseTime(end ?? '');
  if (from === undefined || to === undefined)
    throw new BadField('begin_time', 'begin_time and end_time go together');
  return { from, to };
}

export function deleteBackup(call: Call): Answer {
  const backup = call.world.backups[param(call, 'id')];
  if (!backup || backup.projectId !== call.identity.projectId)
    throw refuse(404, 'DBS.201010', 'The backup does not exist.');
  if (backup.type !== 'manual') throw refuse(400, 'DBS.201014', 'Only manual backups can be deleted.');
  if (backup.status === 'BUILDING') throw refuse(409, 'DBS.201202', 'The backup is in use.');
  if (backup.status === 'DELETING') return empty(200);
  backup.status = 'DELETING';
  const at = call.now + lasting(call, call.settings.durations.changeMs);
  const effect: Effect = { do: 'backup-removed', backupId: backup.id };
  schedule(call.world, { at, kind: 'effect', instanceId: backup.instanceId, effect });
  return empty(200);
}

export function listBackupFiles(call: Call): Answer {
  const backup = call.world.backups[call.query.get('backup_id') ?? ''];
  if (!backup || backup.projectId !== call.identity.projectId)
    throw refuse(404, 'DBS.201010', 'The backup does not exist.');
  const file = {
    name: `${backup.id}.qp`,
    size: backup.sizeKb,
    download_link: `${call.origin}/_sim/backup-files/${backup.id}`,
    link_expired_time: bareTime(call.now + 300_000),
    database_name: '',
  };
  return json(200, { files: [file], bucket: 'rdsbucket.eu-de' });
}
