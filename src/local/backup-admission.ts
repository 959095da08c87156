// What the API server does with an RdsBackup because of our CRD; the twins of the CEL rules stand in for them.

import type { KubeObject } from '../kube/api.ts';
import { type RdsBackupSpec, RdsBackupSpecSchema, RdsBackupStatusSchema } from '../rds/backup.ts';
import { BACKUP_CHANGE_RULES } from '../rds/backup-rules.ts';
import { backupSpecProblems, backupStatusProblems } from '../rds/backup-validate.ts';
import { withDefaults } from '../rds/defaults.ts';
import { pruned } from '../rds/prune.ts';
import type { Problem } from '../rds/validate.ts';
import type { Admission } from './writes.ts';

type Schema = Parameters<typeof withDefaults>[1];

export const backupAdmission: Admission = (next, previous) => {
  if (typeof next.spec !== 'object' || next.spec === null)
    return refusal({ field: 'spec', message: 'is missing' });
  const spec = withDefaults(
    pruned(next.spec, RdsBackupSpecSchema),
    RdsBackupSpecSchema as Schema,
  ) as RdsBackupSpec;
  const object: KubeObject = { ...next, spec };
  if (next.status !== undefined) object.status = pruned(next.status, RdsBackupStatusSchema);
  // Ratcheting: what is stored already may stay as it is.
  const isChanged = !previous || JSON.stringify(previous.spec) !== JSON.stringify(spec);
  const [problem] = [
    ...(isChanged ? backupSpecProblems(spec) : []),
    ...(object.status === undefined ? [] : backupStatusProblems(object.status)),
    ...BACKUP_CHANGE_RULES.filter(({ holds }) => previous && !holds(spec, previous.spec as RdsBackupSpec)),
  ];
  return problem ? refusal(problem) : { object };
};

function refusal({ field, message }: Problem): ReturnType<Admission> {
  return { reject: { status: 422, message: `${field}: ${message}` } };
}
