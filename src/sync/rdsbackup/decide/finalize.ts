// Delete of an RdsBackup. Retain needs no cloud at all; Delete removes one manual backup that this object made
// or adopted, and believes that it is gone only after several looks.

import type { Backup } from '../../../otc/cloud.ts';
import {
  absenceProven,
  accepted,
  countAbsence,
  type Journal,
  refused,
  withoutAbsence,
} from '../../../rds/journal.ts';
import type { Reason } from '../../../rds/reasons.ts';
import { retryPace } from '../../decide/cannot-act.ts';
import type { Failure } from '../../decide/observed.ts';
import { PACE } from '../../decide/plan.ts';
import { failureReason, failureText, progressing, ready } from '../../decide/words.ts';
import { journalUnavailable } from './cannot-act.ts';
import { absencePace } from './known.ts';
import { ownBackup } from './making.ts';
import { type FreshBackups, journalOf, type ObservedBackup } from './observed.ts';
import { type BackupAction, type BackupVerdict, NOTHING } from './plan.ts';
import { decideBackup } from './sync.ts';

export function decideBackupFinalize(o: ObservedBackup): BackupVerdict {
  // A label edit also calls finalize: without a deletionTimestamp the object lives.
  if (o.backup.metadata.deletionTimestamp === undefined) return decideBackup(o);
  const unable = journalUnavailable(o);
  if (unable) return unable;
  const journal = journalOf(o);
  if (!journal?.closed) return close(o, journal);
  if (o.acted) return afterDelete(o);
  if (journal.letGo) return released(NOTHING, 'The backup stays in the cloud.');
  if (keeps(o))
    return released(
      { kind: 'swapJournal', journal: { ...journal, letGo: true } },
      'The backup stays in the cloud.',
    );
  if (!mayHaveBackup(o)) return released(NOTHING, 'No backup was ever made for this object.');
  if (o.cloud.kind === 'failed') return waitsForCloud(o.cloud.failure);
  if (o.cloud.kind !== 'fresh') return released(NOTHING, 'No backup is known for this object.');
  return step(o, journal, o.cloud);
}

/** Retain is the default, also where no default was filled in. */
export function keeps({ spec }: Pick<ObservedBackup, 'spec'>): boolean {
  return spec.deletionPolicy !== 'Delete';
}

/** Whether the cloud has to be asked before this object may go. */
export function mayHaveBackup(o: Pick<ObservedBackup, 'journal'>): boolean {
  const journal = journalOf(o);
  if (!journal) return false;
  const { id, op, createClaimedAt, closed } = journal;
  return (
    id !== undefined || op !== undefined || createClaimedAt !== undefined || closed?.unknownPast === true
  );
}

function deleting(
  action: BackupAction,
  reason: Reason,
  message: string,
  pace: number = PACE.soon,
): BackupVerdict {
  return {
    action,
    phase: 'Deleting',
    conditions: [ready('False', 'Deleting', message), progressing('True', reason, message)],
    resyncAfterSeconds: pace,
  };
}

/** We are done; if others still hold the object, they need no quick answers from us. */
const released = (action: BackupAction, message: string): BackupVerdict => ({
  ...deleting(action, 'Released', message, PACE.slow),
  finalized: true,
});

/** From the call that reads `closed` on, no replica starts anything for this UID (protocol C6). */
function close(o: ObservedBackup, journal: Journal | undefined): BackupVerdict {
  const unknownPast = journal === undefined;
  const closed: Journal = {
    ...journal,
    closed: { at: o.nowMs, unknownPast },
    ...(keeps(o) ? { letGo: true } : {}),
  };
  const kind = journal ? 'swapJournal' : 'openJournal';
  return deleting({ kind, journal: closed }, 'Deleting', 'The delete is being prepared.');
}

function waitsForCloud(failure: Failure): BackupVerdict {
  const text = failureText({ ...failure, requestId: undefined });
  const message = `The delete waits for the cloud: ${text}. To let the object go and keep the backup set spec.deletionPolicy: Retain.`;
  return {
    action: NOTHING,
    phase: 'Deleting',
    conditions: [progressing('Unknown', failureReason(failure), message)],
    resyncAfterSeconds: retryPace(failure),
  };
}

function step(o: ObservedBackup, journal: Journal, cloud: FreshBackups): BackupVerdict {
  const own = journal.id === undefined ? ownBackup(o) : undefined;
  if (own) {
    const shown = { ...accepted(journal, { id: own.id }), id: own.id, instanceId: own.instanceId };
    return deleting({ kind: 'swapJournal', journal: shown }, 'Deleting', 'The backup has shown itself.');
  }
  const backup = cloud.backups.find(({ id }) => id === journal.id);
  if (!backup) return proveAbsence(o, journal, cloud.at);
  if (journal.absence)
    return deleting(
      { kind: 'swapJournal', journal: withoutAbsence(journal) },
      'Deleting',
      'The backup is still listed.',
    );
  return remove(o, journal, backup, cloud);
}

function proveAbsence(o: ObservedBackup, journal: Journal, at: number): BackupVerdict {
  if (absenceProven(journal, at, o.timing)) return released(NOTHING, 'The backup is gone.');
  const counted = countAbsence(journal, at, o.timing);
  const pace = absencePace(counted ?? journal, at, o);
  const action: BackupAction = counted ? { kind: 'swapJournal', journal: counted } : NOTHING;
  const message =
    journal.id === undefined
      ? 'An order was on the way when the object was deleted; the operator makes sure that no backup is left behind.'
      : 'The backup is no longer listed; the operator looks again before it believes it.';
  return deleting(action, 'ProvingAbsence', message, pace);
}

function remove(o: ObservedBackup, journal: Journal, backup: Backup, cloud: FreshBackups): BackupVerdict {
  if (backup.type !== 'manual')
    return released(NOTHING, `Backup ${backup.id} is of type ${backup.type} and is left to the cloud.`);
  if (backup.status === 'BUILDING')
    return deleting(
      NOTHING,
      'Busy',
      `The delete waits until backup ${backup.id} has ended.`,
      PACE.transition,
    );
  const sent = journal.op ?? (journal.last?.kind === 'delete' ? journal.last : undefined);
  const message = `Backup ${backup.id} is being deleted.`;
  if (backup.status === 'DELETING' || (sent && cloud.at < sent.at + o.timing.settleMs))
    return deleting(NOTHING, 'Deleting', message, PACE.transition);
  // Still there after all that time: an open claim is freed, an accepted delete is sent again.
  if (journal.op)
    return deleting(
      { kind: 'swapJournal', journal: refused(journal) },
      'Deleting',
      'The delete had no effect.',
    );
  return deleting(
    {
      kind: 'claim',
      op: { kind: 'delete', key: backup.id, at: cloud.at },
      write: { do: 'delete', instanceId: backup.instanceId, id: backup.id, name: backup.name },
    },
    'Deleting',
    message,
  );
}

/** Made by another object that still lives: deleting it would take the backup away from that one. */
export const OWNED = 'OWNED';

function afterDelete(o: ObservedBackup): BackupVerdict {
  const failure = o.acted?.result === 'refused' ? o.acted.failure : undefined;
  if (!failure) return deleting(NOTHING, 'Deleting', 'The backup is being deleted.', PACE.transition);
  if (failure.code === OWNED) return released(NOTHING, failure.message);
  const text = failureText({ ...failure, requestId: undefined });
  const message = `The delete was refused: ${text}. To let the object go and keep the backup set spec.deletionPolicy: Retain.`;
  return deleting(NOTHING, failureReason(failure), message, retryPace(failure));
}
