// A hook call about an RdsBackup as its loop reads it; the envelope is that of every hook.

import {
  type RdsBackup,
  type RdsBackupSpec,
  type RdsBackupStatus,
  RdsBackupStatusSchema,
} from '../../rds/backup.ts';
import { backupStatusProblems } from '../../rds/backup-validate.ts';
import { isoTime } from '../../rds/conditions.ts';
import { pruned } from '../../rds/prune.ts';
import type { Problem } from '../../rds/validate.ts';
import type { ChildObject } from '../decide/observed.ts';
import { type HookRequest, listed } from '../request.ts';

export type BackupRequest = {
  backup: RdsBackup;
  hasSpec: boolean;
  /** Fields of status that a newer version wrote: handed back untouched, since status is replaced as a whole. */
  newerStatus: Record<string, unknown>;
  related: ChildObject[];
};

export function readBackup(parent: HookRequest['parent'], nowMs: number): RdsBackup {
  const { metadata } = parent;
  return {
    metadata: {
      ...metadata,
      generation: metadata.generation ?? 1,
      resourceVersion: metadata.resourceVersion ?? '',
      creationTimestamp: metadata.creationTimestamp ?? isoTime(nowMs),
    },
    spec: (parent.spec ?? {}) as RdsBackupSpec,
    ...(parent.status === undefined ? {} : { status: readStatus(parent.status) }),
  } as RdsBackup;
}

const topField = ({ field }: Problem) => field.split('.')[1] ?? '';

/** A report that cannot be read is left out and built anew; the id alone is too dear for that. */
function readStatus(status: object): RdsBackupStatus {
  const known = pruned(status, RdsBackupStatusSchema) as Record<string, unknown>;
  const unfit = backupStatusProblems(known)
    .map(topField)
    .filter((name) => name !== 'id');
  return Object.fromEntries(Object.entries(known).filter(([name]) => !unfit.includes(name)));
}

export function readBackupRequest(request: HookRequest, nowMs: number): BackupRequest {
  return {
    backup: readBackup(request.parent, nowMs),
    hasSpec: request.parent.spec !== undefined,
    newerStatus: Object.fromEntries(
      Object.entries(request.parent.status ?? {}).filter(
        ([name]) => !(name in RdsBackupStatusSchema.properties),
      ),
    ),
    related: listed(request.related ?? {}),
  };
}
