// A backup that the journal knows, told as status. It is never made again: what is gone stays gone.

import type { Backup } from '../../../otc/cloud.ts';
import { type RdsBackupStatus, restoreRecipe } from '../../../rds/backup.ts';
import { type ConditionWish, isoTime } from '../../../rds/conditions.ts';
import {
  absenceCountsFrom,
  absenceWasProven,
  countAbsence,
  type Journal,
  withoutAbsence,
} from '../../../rds/journal.ts';
import { PACE } from '../../decide/plan.ts';
import { idle, progressing, ready, synced } from '../../decide/words.ts';
import { type FreshBackups, journalOf, type ObservedBackup } from './observed.ts';
import { type BackupVerdict, NOTHING } from './plan.ts';

export function known(o: ObservedBackup, journal: Journal, cloud: FreshBackups): BackupVerdict {
  const backup = cloud.backups.find(({ id }) => id === journal.id);
  if (!backup) return missing(o, journal, cloud.at);
  const told = describe(o, backup);
  return journal.absence
    ? { ...told, action: { kind: 'swapJournal', journal: withoutAbsence(journal) } }
    : told;
}

function describe(o: ObservedBackup, backup: Backup): BackupVerdict {
  const state = stateOf(backup);
  return {
    ...state,
    action: NOTHING,
    conditions: [...state.conditions, deletable(o, backup)],
    status: factsOf(o, backup),
  };
}

type State = Pick<BackupVerdict, 'phase' | 'conditions' | 'resyncAfterSeconds'>;

function stateOf(backup: Backup): State {
  const called = `Backup ${backup.id} (${backup.name})`;
  switch (backup.status) {
    case 'BUILDING': {
      const message = `${called} is being made.`;
      return {
        phase: 'Running',
        conditions: [ready('False', 'BackupRunning', message), progressing('True', 'BackupRunning', message)],
        resyncAfterSeconds: PACE.transition,
      };
    }
    case 'COMPLETED': {
      const message = `${called} is complete. To get the data back, make a new Rds with spec.restoreFrom: ${restoreRecipe(backup)}`;
      return {
        phase: 'Completed',
        conditions: [ready('True', 'BackupCompleted', message), idle()],
        resyncAfterSeconds: PACE.slow,
      };
    }
    case 'FAILED':
      return {
        phase: 'Failed',
        conditions: [ready('False', 'BackupFailed', `${called}: ${FAILED}`), idle()],
        resyncAfterSeconds: PACE.slow,
      };
    case 'DELETING':
      return {
        phase: 'Failed',
        conditions: [
          ready('False', 'BackupGone', `${called} is being deleted outside the operator.`),
          idle(),
        ],
        resyncAfterSeconds: PACE.waiting,
      };
  }
}

const FAILED =
  'The cloud reports it as FAILED and gives no reason. It is not tried again by itself: look at the instance, then create another RdsBackup.';

function factsOf(o: ObservedBackup, backup: Backup): Partial<RdsBackupStatus> {
  const isComplete = backup.status === 'COMPLETED';
  return {
    id: backup.id,
    name: backup.name,
    instanceId: journalOf(o)?.instanceId ?? backup.instanceId,
    type: backup.type,
    status: backup.status,
    beginTime: isoTime(backup.beginAt),
    endTime: backup.endAt === undefined ? undefined : isoTime(backup.endAt),
    sizeKb: isComplete ? backup.sizeKb : undefined,
    restoreFrom: isComplete ? restoreRecipe(backup) : undefined,
    failure: backup.status === 'FAILED' ? FAILED : undefined,
  };
}

/** What a later delete of this object would do. */
function deletable(o: ObservedBackup, { type }: Backup): ConditionWish {
  return o.spec.deletionPolicy === 'Delete' && type !== 'manual'
    ? synced('False', 'BackupNotDeletable', notDeletable(type))
    : synced('True', 'UpToDate', 'The cloud has the backup that the spec names.');
}

export function notDeletable(type: string): string {
  return `spec.deletionPolicy: this backup is of type ${type}; only manual ones can be deleted, the cloud removes it itself after the retention time or with its instance. Set deletionPolicy: Retain.`;
}

/** One empty read means nothing: lists lag and lie (protocol C4). */
function missing(o: ObservedBackup, journal: Journal, at: number): BackupVerdict {
  const facts = { id: journal.id, instanceId: journal.instanceId };
  if (absenceWasProven(journal)) return gone(journal);
  const counted = countAbsence(journal, at, o.timing);
  const action = counted ? ({ kind: 'swapJournal', journal: counted } as const) : NOTHING;
  if (at < (journal.createClaimedAt ?? Number.NEGATIVE_INFINITY) + o.timing.settleMs) {
    const message = `Backup ${journal.id} was ordered; the cloud does not list it yet.`;
    return {
      action,
      phase: 'Running',
      conditions: [ready('False', 'BackupRunning', message), progressing('True', 'BackupRunning', message)],
      status: facts,
      resyncAfterSeconds: PACE.transition,
    };
  }
  const message = `Backup ${journal.id} is not listed by the cloud at the moment; the operator looks again before it believes that it is gone.`;
  return {
    action,
    phase: o.backup.status?.phase ?? 'Failed',
    conditions: [ready('Unknown', 'BackupMissing', message)],
    status: facts,
    resyncAfterSeconds: absencePace(counted ?? journal, at, o),
  };
}

export function absencePace(journal: Journal, at: number, { timing }: ObservedBackup): number {
  const waitMs = absenceCountsFrom(journal, timing) - at;
  return Math.min(Math.max(waitMs / 1000, PACE.soon), PACE.waiting);
}

function gone(journal: Journal): BackupVerdict {
  const message = `Backup ${journal.id} is gone: it was deleted outside the operator, or the cloud removed it. It is not made again by itself; create another RdsBackup.`;
  return {
    action: NOTHING,
    phase: 'Failed',
    conditions: [ready('False', 'BackupGone', message), synced('False', 'BackupGone', message), idle()],
    status: {
      id: journal.id,
      instanceId: journal.instanceId,
      status: undefined,
      restoreFrom: undefined,
      failure: message,
    },
    resyncAfterSeconds: PACE.slow,
  };
}
