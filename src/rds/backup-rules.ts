// What a JSON schema cannot say about an RdsBackup; each rule twice, in CEL and in TypeScript (see rules.ts).

import type { RdsBackupSpec } from './backup.ts';

type Rule = { field: string; message: string; cel: string };

export const BACKUP_RULES: readonly (Rule & { holds: (spec: RdsBackupSpec) => boolean })[] = [
  {
    field: 'spec.rds',
    message: 'set rds to make a backup, or backupId with instanceId to adopt one, not both',
    cel: 'has(self.rds) != has(self.backupId)',
    holds: ({ rds, backupId }) => (rds !== undefined) !== (backupId !== undefined),
  },
  {
    field: 'spec.instanceId',
    message: 'backupId and instanceId go together: the cloud finds a backup only through its instance',
    cel: 'has(self.backupId) == has(self.instanceId)',
    holds: ({ backupId, instanceId }) => (backupId !== undefined) === (instanceId !== undefined),
  },
];

const FIXED = ['rds', 'backupId', 'instanceId', 'description'] as const;

/** Immutability is written on the whole spec with has(): a rule on a field misses adding and removing it. */
export const BACKUP_CHANGE_RULES: readonly (Rule & {
  holds: (next: RdsBackupSpec, previous: RdsBackupSpec) => boolean;
})[] = FIXED.map((field) => ({
  field: `spec.${field}`,
  message: `${field} cannot change: a backup is made or adopted once; create another RdsBackup`,
  cel: `has(self.${field}) == has(oldSelf.${field}) && (!has(self.${field}) || self.${field} == oldSelf.${field})`,
  holds: (next, previous) => next[field] === previous[field],
}));
