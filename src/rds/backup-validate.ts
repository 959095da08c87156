// Checks of an RdsBackup at both edges, as validate.ts does for an Rds.

import type { TSchema } from 'typebox';
import { Compile } from 'typebox/compile';
import { type RdsBackupSpec, RdsBackupSpecSchema, RdsBackupStatusSchema } from './backup.ts';
import { BACKUP_RULES } from './backup-rules.ts';
import { closed, type Problem, problemsOf } from './validate.ts';

const specCheck = Compile(RdsBackupSpecSchema);
const statusCheck = Compile(closed(RdsBackupStatusSchema) as TSchema);

export function backupSpecProblems(spec: unknown): Problem[] {
  if (!specCheck.Check(spec)) return problemsOf(specCheck.Errors(spec), 'spec');
  return BACKUP_RULES.filter((rule) => !rule.holds(spec as RdsBackupSpec)).map(({ field, message }) => ({
    field,
    message,
  }));
}

export function backupStatusProblems(status: unknown): Problem[] {
  return statusCheck.Check(status) ? [] : problemsOf(statusCheck.Errors(status), 'status');
}
