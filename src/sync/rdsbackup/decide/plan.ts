// What a decision about an RdsBackup says: at most one action, and the words for it.

import type { BackupPhase, RdsBackupStatus } from '../../../rds/backup.ts';
import type { ConditionWish } from '../../../rds/conditions.ts';
import type { Journal, Op } from '../../../rds/journal.ts';

export type BackupWrite =
  | { do: 'create'; instanceId: string; name: string; description: string }
  /** `name` tells whether another object made it. */
  | { do: 'delete'; instanceId: string; id: string; name: string };

export type BackupAction =
  | { kind: 'none' }
  /** The view is from the past: answer 429, write nothing. */
  | { kind: 'stale'; because: string; afterSeconds?: number }
  /** Answer 503: nothing is known, and a 200 would erase what others know. */
  | { kind: 'unavailable'; because: string }
  | { kind: 'openJournal'; journal: Journal }
  | { kind: 'swapJournal'; journal: Journal }
  | { kind: 'claim'; op: Omit<Op, 'seq'>; write: BackupWrite }
  /** Swapped in after a live read of the RdsBackup. */
  | { kind: 'adopt'; journal: Journal };

export type BackupVerdict = {
  action: BackupAction;
  phase: BackupPhase;
  conditions: ConditionWish[];
  /** Fields of status that change; undefined removes one. */
  status?: Partial<RdsBackupStatus>;
  resyncAfterSeconds: number;
  finalized?: boolean;
};

export const NOTHING: BackupAction = { kind: 'none' };
