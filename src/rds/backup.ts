// RdsBackup: an on-demand backup as an object that outlives its Rds.

import type { Static } from 'typebox';
import { instanceName } from './names.ts';
import type { Metadata } from './object.ts';
import { group, int, listOf, oneOf, optional, text } from './schema-kit.ts';
import { ConditionSchema } from './status.ts';

export const BACKUP_PHASES = ['Pending', 'Running', 'Completed', 'Failed', 'Deleting'] as const;
export type BackupPhase = (typeof BACKUP_PHASES)[number];

const CLOUD_ID = { minLength: 1, maxLength: 64, pattern: '^[0-9A-Za-z-]+$' };

export const RdsBackupSpecSchema = group('The wanted backup.', {
  rds: optional(text('Name of the Rds to back up, in this namespace.', { minLength: 1, maxLength: 253 })),
  backupId: optional(text('Adopt this backup of the cloud instead of making one.', CLOUD_ID)),
  instanceId: optional(text('Source instance of an adopted backup; it may be gone.', CLOUD_ID)),
  credentialsSecretRef: optional(
    group('Credentials of the tenant; the same project as that of the Rds.', {
      name: text('Name of a Secret.', { minLength: 1, maxLength: 253 }),
    }),
  ),
  description: optional(
    text('Free text kept with the backup.', { maxLength: 256, pattern: `^[^>!<"&'=]*$` }),
  ),
  deletionPolicy: optional(
    oneOf(['Retain', 'Delete'], 'What happens to the backup when the object is deleted.', {
      default: 'Retain',
    }),
  ),
});

export const RdsBackupStatusSchema = group('The state of the backup, as far as known.', {
  observedGeneration: optional(int('Generation that the last hook call was about.', { format: 'int64' })),
  phase: optional(oneOf(BACKUP_PHASES, 'One word for people; programs read conditions.')),
  id: optional(text('Backup id in the cloud.', { maxLength: 64 })),
  name: optional(text('Backup name in the cloud.', { maxLength: 64 })),
  instanceId: optional(text('Source instance; a restore needs it, also when it is gone.', { maxLength: 64 })),
  type: optional(text('manual, or auto for an adopted one that the cloud made.', { maxLength: 32 })),
  status: optional(text('State as the cloud spells it.', { maxLength: 32 })),
  sizeKb: optional(int('Size.', { format: 'int64' })),
  beginTime: optional(text('When the backup began.', { format: 'date-time' })),
  endTime: optional(text('When it ended.', { format: 'date-time' })),
  failure: optional(text('Why there is no usable backup.', { maxLength: 1024 })),
  restoreFrom: optional(
    text('What to write into spec.restoreFrom of a new Rds to get the data back.', { maxLength: 512 }),
  ),
  conditions: optional(
    listOf(ConditionSchema, {
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
});

export type RdsBackupSpec = Static<typeof RdsBackupSpecSchema>;
export type RdsBackupStatus = Static<typeof RdsBackupStatusSchema>;
export type RdsBackup = { metadata: Metadata; spec: RdsBackupSpec; status?: RdsBackupStatus };

/**
 * `team-a_before-upgrade_4bc725aba311`. One name for every attempt of one object: OTC refuses a second backup
 * of the same name, so even an effect that comes later than any bound cannot make two.
 */
export function backupName({ namespace, name, uid }: Pick<Metadata, 'namespace' | 'name' | 'uid'>): string {
  return instanceName(namespace, name, uid);
}

export function restoreRecipe(backup: { id: string; instanceId: string }): string {
  return `{backupId: ${backup.id}, instanceId: ${backup.instanceId}}`;
}
