// Backups as objects: made once, outliving their Rds, adopted again, removed where that was said.
import { backup, READY, rds, type Scenario } from '../scenario.ts';

export const rdsBackups: Scenario[] = [
  {
    name: 'rdsbackup',
    title: 'two backups outlive their Rds; Delete removes one, Retain keeps one, which is adopted again',
    given: [
      rds('shop', { deletionPolicy: 'Delete' }),
      backup('kept', { rds: 'shop', description: 'before the upgrade' }),
      backup('removed', { rds: 'shop', deletionPolicy: 'Delete' }),
    ],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'rememberId', name: 'shop' },
      { do: 'waitBackup', name: 'kept', phase: 'Completed', says: 'BackupCompleted' },
      { do: 'waitBackup', name: 'removed', phase: 'Completed', says: 'BackupCompleted' },
      { do: 'rememberId', kind: 'RdsBackup', name: 'kept' },
      { do: 'expectBackups', made: 2, now: 2 },
      { do: 'waitRds', name: 'shop', until: READY, isHurried: true },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      { do: 'waitBackup', name: 'kept', phase: 'Completed' },
      { do: 'delete', kind: 'RdsBackup', name: 'removed' },
      { do: 'delete', kind: 'RdsBackup', name: 'kept' },
      { do: 'waitGone', kind: 'RdsBackup', name: 'kept' },
      { do: 'waitGone', kind: 'RdsBackup', name: 'removed' },
      { do: 'expectBackups', made: 2, now: 1 },
      {
        do: 'apply',
        objects: [
          backup('again', { backupId: '$id:kept', instanceId: '$id:shop' }),
          backup('typo', { backupId: 'nothing', instanceId: '$id:shop' }),
        ],
      },
      { do: 'waitBackup', name: 'again', phase: 'Completed' },
      { do: 'waitBackup', name: 'typo', phase: 'Pending', says: 'BackupNotFound' },
    ],
    cloud: { shop: { created: 1, now: 0 } },
  },
  {
    name: 'rdsbackup-rules',
    title: 'the API server refuses what can never work, with a sentence',
    steps: [
      {
        do: 'expectRefused',
        object: backup('neither', {}),
        message: 'set rds to make a backup, or backupId with instanceId to adopt one',
      },
      {
        do: 'expectRefused',
        object: backup('both', { rds: 'shop', backupId: 'b', instanceId: 'i' }),
        message: 'not both',
      },
      {
        do: 'expectRefused',
        object: backup('alone', { backupId: 'b' }),
        message: 'backupId and instanceId go together',
      },
      {
        do: 'expectRefused',
        object: backup('odd', { rds: 'shop', description: 'a <b>' }),
        message: 'spec.description',
      },
      { do: 'apply', objects: [backup('nobodys', { rds: 'nobody' })] },
      { do: 'waitBackup', name: 'nobodys', phase: 'Pending', says: 'RdsNotFound' },
      { do: 'expectRefused', object: backup('nobodys', { rds: 'other' }), message: 'rds cannot change' },
      { do: 'apply', objects: [backup('nobodys', { rds: 'nobody', deletionPolicy: 'Delete' })] },
      { do: 'delete', kind: 'RdsBackup', name: 'nobodys' },
      { do: 'waitGone', kind: 'RdsBackup', name: 'nobodys' },
    ],
    cloud: {},
  },
];

export const lostBackupOrder: Scenario = {
  name: 'rdsbackup-lost',
  title: 'the answer to the order is lost and both replicas die: one backup, found again by its name',
  exclusive: true,
  given: [rds('shop')],
  steps: [
    { do: 'waitRds', name: 'shop', until: READY },
    {
      do: 'fault',
      fault: {
        match: { service: 'rds', method: 'POST', path: '/v3/{project}/backups' },
        kind: '500-after',
        times: 1,
      },
    },
    { do: 'apply', objects: [backup('before', { rds: 'shop' })] },
    { do: 'expectBackups', made: 1, now: 1 },
    { do: 'killReplicas' },
    { do: 'startReplicas' },
    { do: 'waitBackup', name: 'before', phase: 'Completed', says: 'BackupCompleted' },
    { do: 'expectBackups', made: 1, now: 1 },
  ],
  cloud: { shop: { created: 1, now: 1, tagged: true } },
};
