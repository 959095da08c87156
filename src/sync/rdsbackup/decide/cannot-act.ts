// Reasons to leave everything as it is, and say why.

import { findCondition } from '../../../rds/conditions.ts';
import { retryPace } from '../../decide/cannot-act.ts';
import type { Failure } from '../../decide/observed.ts';
import { PACE } from '../../decide/plan.ts';
import { failureReason, ready, steadyFailureText, synced } from '../../decide/words.ts';
import type { ObservedBackup } from './observed.ts';
import { type BackupVerdict, NOTHING } from './plan.ts';

const phaseBefore = (o: ObservedBackup) => o.backup.status?.phase ?? 'Pending';
const isKnown = (o: ObservedBackup) => o.backup.status?.id !== undefined;

/** Fail closed: without the journal nothing is written to the cloud (protocol C13). */
export function journalUnavailable(o: ObservedBackup): BackupVerdict | undefined {
  if (typeof o.journal !== 'object' || !('unavailable' in o.journal)) return undefined;
  const because = o.journal.unavailable;
  return {
    action: isKnown(o) ? NOTHING : { kind: 'unavailable', because },
    phase: phaseBefore(o),
    conditions: [
      synced('Unknown', 'JournalUnavailable', `Nothing is written to the cloud because ${because}.`),
    ],
    resyncAfterSeconds: PACE.waiting,
  };
}

/** Two replicas of different luck must not tell in turns: bad news waits this long after good news. */
const GOOD_NEWS_HOLDS_MS = 60_000;

export function cloudFailed(o: ObservedBackup, failure: Failure): BackupVerdict {
  const before = findCondition(o.backup.status?.conditions, 'Synced');
  const text = steadyFailureText(failure, before?.message);
  const reason = failureReason(failure);
  const ageMs = before ? o.nowMs - Date.parse(before.lastTransitionTime) : -1;
  const isEarly = isKnown(o) && before?.status !== 'Unknown' && ageMs >= 0 && ageMs < GOOD_NEWS_HOLDS_MS;
  const message = `The cloud cannot be asked: ${text}.`;
  return {
    action: isEarly ? { kind: 'stale', because: text, afterSeconds: PACE.waiting } : NOTHING,
    phase: phaseBefore(o),
    // An unreachable API says nothing about a backup that is known, so Ready stays as it was.
    conditions: [
      synced('Unknown', reason, message),
      ...(isKnown(o) ? [] : [ready('False', reason, message)]),
    ],
    resyncAfterSeconds: retryPace(failure),
  };
}

export function invalidSpec(o: ObservedBackup): BackupVerdict {
  const text = o.problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const message = `Nothing is done until this is corrected: ${text}.`;
  return {
    action: NOTHING,
    phase: phaseBefore(o),
    conditions: [synced('False', 'InvalidSpec', message), ready('False', 'InvalidSpec', message)],
    resyncAfterSeconds: PACE.slow,
  };
}
