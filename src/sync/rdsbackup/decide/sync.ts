// What to do about a living RdsBackup: what is uncertain is settled before anything new is started.

import { findCondition } from '../../../rds/conditions.ts';
import type { Failure } from '../../decide/observed.ts';
import { PACE } from '../../decide/plan.ts';
import { failureReason, progressing, ready, steadyFailureText } from '../../decide/words.ts';
import { adopting } from './adopting.ts';
import { cloudFailed, invalidSpec, journalUnavailable } from './cannot-act.ts';
import { known } from './known.ts';
import { making, openOrder, outcomeUnknown, pending } from './making.ts';
import { journalOf, type ObservedBackup } from './observed.ts';
import { type BackupVerdict, NOTHING } from './plan.ts';

export function decideBackup(o: ObservedBackup): BackupVerdict {
  const unable = journalUnavailable(o);
  if (unable) return unable;
  const journal = journalOf(o);
  if (journal?.closed) {
    // Finalize closed this UID for good, so a living parent can only be a picture from the past.
    const because = 'the journal of this RdsBackup is closed';
    return pending({ kind: 'stale', because }, 'Busy', because);
  }
  if (o.acted) return afterOrder(o);
  if (o.cloud.kind === 'failed') return cloudFailed(o, o.cloud.failure);
  if (o.cloud.kind === 'fresh' && journal?.id !== undefined) return known(o, journal, o.cloud);
  if (o.cloud.kind === 'fresh' && journal?.op) return openOrder(o, journal, o.cloud);
  if (o.problems.length > 0) return invalidSpec(o);
  if (o.spec.backupId !== undefined && o.cloud.kind === 'fresh') return adopting(o, journal, o.cloud);
  return making(o, journal);
}

/** The same call after its order was sent: the result in words. */
function afterOrder(o: ObservedBackup): BackupVerdict {
  const journal = journalOf(o) ?? {};
  if (o.acted?.result === 'done') {
    const message = `The cloud accepted the order and makes backup ${journal.id}.`;
    return {
      action: NOTHING,
      phase: 'Running',
      conditions: [ready('False', 'BackupRunning', message), progressing('True', 'BackupRunning', message)],
      status: { id: journal.id, instanceId: journal.instanceId },
      resyncAfterSeconds: PACE.transition,
    };
  }
  if (o.acted?.result === 'refused' && o.acted.failure) return refusedOrder(o, o.acted.failure);
  return outcomeUnknown(o, journal, journal.op?.at ?? o.nowMs);
}

function refusedOrder(o: ObservedBackup, failure: Failure): BackupVerdict {
  const before = findCondition(o.backup.status?.conditions, 'Ready')?.message;
  const text = steadyFailureText(failure, before);
  // A conflict with an answer of RDS itself: another backup or operation runs there.
  const isBusy = failure.class === 'retryable' && failure.code.startsWith('DBS.');
  if (isBusy) {
    const message = `The cloud is busy with the instance and did not take the order: ${text}. It is tried again.`;
    return { ...pending(NOTHING, 'Busy', message, PACE.waiting), status: { instanceId: undefined } };
  }
  const pace =
    failure.class === 'retryable' ? Math.max(failure.retryAfterSeconds ?? 0, PACE.waiting) : PACE.slow;
  const message = `The order was refused: ${text}. Nothing was made.`;
  return { ...pending(NOTHING, failureReason(failure), message, pace), status: { instanceId: undefined } };
}
