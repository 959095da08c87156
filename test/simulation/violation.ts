// A broken promise: which invariant, what happened, when.

export type Violation = { invariant: Invariant; message: string; at: number };

export const INVARIANTS = {
  'one-instance-per-uid': 'at most one instance per Rds UID, ever, counted in the cloud',
  'no-orphan': 'no instance without an Rds that knows it, or a decision to keep it',
  'create-only-for-living':
    'a create is sent only for an Rds that exists, is not being deleted, and was not paused',
  'delete-only-when-deleted': 'no delete without deletionTimestamp',
  'foreign-untouched': 'no write to an instance of somebody else',
  'own-account': 'an Rds acts only in the account of its own credentials',
  'backup-before-delete':
    'no delete under Snapshot before its final backup is COMPLETED and younger than an hour',
  'keeps-what-is-retained': 'no delete under Retain, nor under Snapshot while the namespace or the CRD goes',
  'claim-before-write': 'a write that must not be repeated is sent under an open claim of its own kind',
  'one-write-per-claim': 'one claim sends one write',
  'journal-never-forgets': 'the journal never loses or changes an id and never opens again',
  'status-keeps-id': 'no answer loses the id that the journal has',
  'children-never-shrink': 'no answer leaves out a child that it was shown',
  'no-secret-told': 'no password or token in status, events, logs, error bodies, annotations',
  'answer-stands': 'an answer that is given again is what would be said anew',
  'answer-in-time': 'every hook call answers within 24 s',
  'restart-once-per-order': 'an order restarts once at most, and nothing restarts without one',
  'only-what-the-spec-says': 'a change goes only to a value that the spec has, and only when not paused',
  'waits-for-the-window':
    'a change that clients notice is sent only in the window of the spec, a restart for parameters only there or on order',
  'one-replica-per-name': 'at most one read replica per name of the spec, counted in the cloud',
  'restore-once-per-value':
    'a value of backuprestoretime restores once at most, and only after a completed backup of the state before',
  'one-backup-per-object': 'at most one backup per RdsBackup UID, ever, counted in the cloud',
  'backup-deleted-on-order':
    'a backup is deleted only for the RdsBackup that has it, when that is deleted under Delete',
  'no-backup-left': 'under Delete no backup that an RdsBackup made outlives it',
  'one-drill-at-a-time':
    'at most one throwaway instance of a drill per Rds at a time, each made once, from a backup, removed after its result',
  'autopilot-in-bounds':
    'the autopilot stays within the bounds of the spec, never shrinks a disk and acts only in the mode Act',
  'autopilot-once':
    'the autopilot decides only on values over the threshold that are younger than the last change',
  'spec-untouched': 'nobody but a user writes an Rds',
  'alarms-are-noted': 'an alarm or topic is made only for the own instance and under a note in the journal',
  'no-alarm-left': 'no alarm and no topic outlives its Rds',
  'password-matches': 'the password in the Secrets is the one in the cloud',
  'one-credential-per-attempt':
    'a credential for a log Job is noted before it is asked for, once, limited, and given to one Job',
  'credential-listed-until-dead':
    'a credential of a log Job is in the journal and in its Secret until the cloud refuses it',
  'secret-never-overwritten': 'the Secret of a credential never changes its content',
  'logs-once-per-order': 'an order for logs is taken once',
  'one-job-per-wish': 'a SQL Job that has succeeded is not made again while its record stands',
  'job-recorded-before-dropped': 'the end of a SQL Job is in status before the Job goes',
  'user-password-works': 'a given password of a user is published only when the server has it',
  'logins-work': 'a published login is let in, and one that was published works on for the grace time',
  'one-rotation-per-period': 'a period has one rotation, whatever fails',
  'two-logins': 'only the two logins of an account are ever made',
  'shared-with-consent':
    'a copy of a Secret is written into another namespace only where both sides agreed a moment ago',
  'copy-stays': 'a copy is taken away only when a side withdraws or goes',
  'copy-of-its-source': 'a copy never holds what its own source never held',
  'foreign-secret-untouched': "a Secret that has the name of a copy and is somebody else's is never touched",
  'shared-where-agreed':
    'when faults stop a copy is exactly where both sides agree, as its source is, and the namespace is told',
  'no-hot-loop':
    'no Rds is called more than twice a second over a minute, unless two Metacontrollers lead at once',
  'no-bug': 'no hook call ends with an unexpected error',
  converges: 'when faults stop every Rds reaches its spec, or a condition says why not',
  silent: 'a settled Rds causes no write to the cloud and no change of status',
  'history-equals-fresh': 'an Rds changed step by step ends as one made with the last spec',
} as const;

export type Invariant = keyof typeof INVARIANTS;

export type Report = (invariant: Invariant, message: string) => void;
