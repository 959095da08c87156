// RdsBackup: an on-demand backup as an object that outlives its Rds.

import { group, int, listOf, oneOf, optional, text } from './schema-kit.ts';
import { ConditionSchema } from './status.ts';

export const RdsBackupSpecSchema = group('The wanted backup.', {
  rds: optional(text('Name of the Rds to back up, in this namespace.', { minLength: 1, maxLength: 253 })),
  backupId: optional(text('Adopt this backup of the cloud instead of making one.', { maxLength: 64 })),
  instanceId: optional(text('Source instance of an adopted backup.', { maxLength: 64 })),
  credentialsSecretRef: optional(
    group('Credentials of the tenant.', {
      name: text('Name of a Secret.', { minLength: 1, maxLength: 253 }),
    }),
  ),
  description: optional(text('Free text kept with the backup.', { maxLength: 256 })),
  deletionPolicy: optional(
    oneOf(['Retain', 'Delete'], 'What happens to the backup when the object is deleted.', {
      default: 'Retain',
    }),
  ),
});

export const RdsBackupStatusSchema = group('The state of the backup.', {
  observedGeneration: optional(int('Generation that the last hook call was about.', { format: 'int64' })),
  id: optional(text('Backup id in the cloud.', { maxLength: 64 })),
  instanceId: optional(text('Source instance.', { maxLength: 64 })),
  status: optional(text('State as the cloud spells it.', { maxLength: 32 })),
  sizeKb: optional(int('Size.', { format: 'int64' })),
  beginAt: optional(text('Start.', { format: 'date-time' })),
  endAt: optional(text('End.', { format: 'date-time' })),
  conditions: optional(
    listOf(ConditionSchema, {
      maxItems: 16,
      'x-kubernetes-list-type': 'map',
      'x-kubernetes-list-map-keys': ['type'],
    }),
  ),
});
