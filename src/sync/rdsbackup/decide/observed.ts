// Everything a decision about an RdsBackup may know, as data.

import type { Backup, Instance } from '../../../otc/cloud.ts';
import type { RdsBackup, RdsBackupSpec } from '../../../rds/backup.ts';
import type { Journal, Timing } from '../../../rds/journal.ts';
import type { Problem } from '../../../rds/validate.ts';
import type { Failure } from '../../decide/observed.ts';

/** The Rds that spec.rds names, as far as a backup needs it. */
export type NamedRds = {
  uid: string;
  /** Only a report: whose instance it is, the cloud's tag tells. */
  instanceId: string | undefined;
  isDeleting: boolean;
  credentialsSecret: string | undefined;
};

export type BackupView =
  /** Read for this very call; `at` is the cloud's clock. */
  | { kind: 'fresh'; at: number; backups: readonly Backup[]; instance: Instance | undefined }
  | { kind: 'failed'; failure: Failure }
  /** Nothing had to be asked, or no instance is known whose backups could be listed. */
  | { kind: 'unasked' };

export type FreshBackups = Extract<BackupView, { kind: 'fresh' }>;

export type BackupActed = {
  kind: 'create' | 'delete';
  result: 'done' | 'refused' | 'unknown';
  failure?: Failure;
};

export type ObservedBackup = {
  backup: RdsBackup;
  spec: RdsBackupSpec;
  problems: readonly Problem[];
  /** Our own clock; only for stamps that people read. */
  nowMs: number;
  journal: Journal | 'none' | { unavailable: string };
  rds: NamedRds | undefined;
  cloud: BackupView;
  timing: Timing;
  acted?: BackupActed;
};

export function journalOf({ journal }: Pick<ObservedBackup, 'journal'>): Journal | undefined {
  return typeof journal === 'object' && !('unavailable' in journal) ? journal : undefined;
}

/** The instance whose backups are to be looked at: once claimed or adopted, the journal says it for good. */
export function sourceInstance(o: Pick<ObservedBackup, 'backup' | 'journal' | 'rds'>): string | undefined {
  const journal = journalOf(o);
  if (journal?.instanceId !== undefined) return journal.instanceId;
  const { spec, status, metadata } = o.backup;
  if (metadata.deletionTimestamp !== undefined) return status?.instanceId;
  if (spec.backupId !== undefined) return spec.instanceId;
  // Without a journal status may still lead to what an earlier one knew.
  return (journal ? undefined : status?.instanceId) ?? o.rds?.instanceId;
}
