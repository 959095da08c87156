// When the faults are over: is every RdsBackup what its backup in the cloud is, or does it say why there is none?

import type { KubeObject } from '../../src/kube/api.ts';
import type { RdsBackupStatus } from '../../src/rds/backup.ts';
import { findCondition } from '../../src/rds/conditions.ts';
import { UID_TAG } from '../../src/rds/names.ts';
import type { Backup } from '../../src/simulator/rds/types.ts';
import type { SimCloud } from './cloud.ts';
import { type Cluster, keyOf, projectOf } from './cluster.ts';
import { hasLostAccount } from './oracle-autopilot.ts';
import { backupSpecOf } from './oracle-backups.ts';

export type BackupFacts = { cluster: Cluster; cloud: SimCloud };

const backupStatusOf = (object: KubeObject): RdsBackupStatus => (object.status ?? {}) as RdsBackupStatus;

export function unfinishedBackup({ cluster, cloud }: BackupFacts): string | undefined {
  for (const object of cluster.allBackups()) {
    const problem = backupProblem({ cluster, cloud }, object);
    if (problem !== undefined) return `RdsBackup ${keyOf(object)}: ${problem}`;
  }
  return undefined;
}

function backupProblem(facts: BackupFacts, object: KubeObject): string | undefined {
  const { cluster, cloud } = facts;
  const { id, conditions = [] } = backupStatusOf(object);
  const ready = findCondition(conditions, 'Ready');
  // The credentials went with the namespace: told, and a person has to bring them back.
  const isLocked = hasLostAccount(cluster, object);
  if (object.metadata.deletionTimestamp) {
    const told = findCondition(conditions, 'Progressing')?.reason;
    const known = cluster.journal(object.metadata.uid ?? '')?.journal.id ?? '';
    // One that never ends cannot be deleted: only told.
    if (told === 'Busy' && cloud.world().backups[known]?.status === 'BUILDING') return undefined;
    return isLocked && told === 'CredentialsInvalid' ? undefined : `the delete does not end (${told})`;
  }
  if (isLocked) return undefined;
  const known = cluster.journal(object.metadata.uid ?? '')?.journal.id;
  if (known !== id) return `the journal has ${known}, told is ${id}`;
  if (known === undefined) return excuse(facts, object, ready?.reason ?? 'none');
  return told(backupStatusOf(object), ready?.reason, cloud.world().backups[known]);
}

/** What has ended is looked at only a few times a day, so that it went is told at any time. */
export function hasLostBackup({ cluster, cloud }: BackupFacts, { kind, metadata }: KubeObject): boolean {
  const id = cluster.journal(metadata.uid ?? '')?.journal.id;
  return kind === 'RdsBackup' && id !== undefined && cloud.world().backups[id] === undefined;
}

function told(status: RdsBackupStatus, reason: string | undefined, backup: Backup | undefined) {
  if (!backup || backup.status === 'DELETING')
    return reason === 'BackupGone' || status.phase === 'Completed' || status.phase === 'Failed'
      ? undefined
      : `its backup is gone, told is ${reason}`;
  const wanted = { COMPLETED: 'Completed', FAILED: 'Failed', BUILDING: 'Running' }[backup.status];
  const isSame = status.phase === wanted && status.status === backup.status;
  return isSame ? undefined : `it is ${backup.status}, told are ${status.phase} and ${status.status}`;
}

function adoptionProblem(backup: Backup | undefined, id: string, reason: string): string | undefined {
  // A backup that never ends is never taken over: only told.
  if (reason === 'BackupRunning' && backup?.status === 'BUILDING') return undefined;
  const isThere = backup !== undefined && backup.status !== 'DELETING';
  return reason === 'BackupNotFound' && !isThere ? undefined : `it did not take over ${id} (${reason})`;
}

/** No backup: only true reasons count. */
function excuse({ cluster, cloud }: BackupFacts, object: KubeObject, reason: string): string | undefined {
  const { rds: name, backupId = '' } = backupSpecOf(object);
  if (name === undefined) return adoptionProblem(cloud.world().backups[backupId], backupId, reason);
  const rds = cluster.findRds(object.metadata.namespace ?? '', name);
  if (!rds) return reason === 'RdsNotFound' ? undefined : `there is no Rds ${name}, told is ${reason}`;
  // Its credentials are not those of its Rds.
  if (projectOf(rds) !== projectOf(object) && reason === 'InstanceMissing') return undefined;
  const id = cluster.journal(rds.metadata.uid ?? '')?.journal.id;
  const instance = id === undefined ? undefined : cloud.instance(id);
  const tag = instance?.tags.find(({ key }) => key === UID_TAG)?.value;
  const isReady = instance?.status === 'ACTIVE' && tag === rds.metadata.uid;
  const isOrdered = isReady && !rds.metadata.deletionTimestamp;
  if (isOrdered) return `${instance.id} could be backed up, told is ${reason}`;
  return reason === 'none' ? 'it says nothing' : undefined;
}
