// A backup that exists in the cloud gets an object. Nothing is made and nothing is changed by it.

import type { Backup } from '../../../otc/cloud.ts';
import { isoTime } from '../../../rds/conditions.ts';
import type { Journal } from '../../../rds/journal.ts';
import { PACE } from '../../decide/plan.ts';
import { notDeletable } from './known.ts';
import { pending } from './making.ts';
import type { FreshBackups, ObservedBackup } from './observed.ts';
import { type BackupVerdict, NOTHING } from './plan.ts';

const SHOWN = 5;

export function adopting(
  o: ObservedBackup,
  journal: Journal | undefined,
  cloud: FreshBackups,
): BackupVerdict {
  const { backupId = '', instanceId = '', deletionPolicy } = o.spec;
  const backup = cloud.backups.find(({ id }) => id === backupId);
  if (!backup) return notFound(o, cloud.backups);
  if (backup.status === 'BUILDING') {
    const message = `spec.backupId: backup ${backupId} is still being made; it is taken over when it is complete.`;
    return pending(NOTHING, 'BackupRunning', message, PACE.waiting);
  }
  if (backup.status === 'DELETING') {
    const message = `spec.backupId: backup ${backupId} is being deleted; name another one.`;
    return pending(NOTHING, 'BackupNotFound', message, PACE.settled);
  }
  if (deletionPolicy === 'Delete' && backup.type !== 'manual')
    return pending(NOTHING, 'BackupNotDeletable', notDeletable(backup.type), PACE.slow);
  const message = `Taking over backup ${backupId} (${backup.name}).`;
  if (!journal) return pending({ kind: 'openJournal', journal: {} }, 'Preparing', message);
  const adopted = { ...journal, id: backupId, instanceId, adopted: true };
  return pending({ kind: 'adopt', journal: adopted }, 'Preparing', message);
}

function notFound(o: ObservedBackup, backups: readonly Backup[]): BackupVerdict {
  const { backupId, instanceId } = o.spec;
  const newest = [...backups].sort((a, b) => b.beginAt - a.beginAt || a.id.localeCompare(b.id));
  const list = newest
    .slice(0, SHOWN)
    .map(({ id, type, status, beginAt }) => `${id} (${type}, ${status}, ${isoTime(beginAt)})`)
    .join(', ');
  const choice =
    list === ''
      ? 'The project of these credentials lists no backup of that instance: check spec.instanceId and spec.credentialsSecretRef.'
      : `Its newest backups are ${list}.`;
  const message = `spec.backupId: instance ${instanceId} has no backup ${backupId}. ${choice}`;
  return pending(NOTHING, 'BackupNotFound', message, PACE.settled);
}
