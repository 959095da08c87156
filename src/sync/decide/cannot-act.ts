// Reasons to leave everything as it is, and say why.

import type { Instance } from '../../otc/cloud.ts';
import { type ConditionType, type ConditionWish, findCondition } from '../../rds/conditions.ts';
import { orderedByBoolean } from './boolean-orders.ts';
import { describe } from './describe.ts';
import type { Failure, Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { failureReason, ready, steadyFailureText, synced } from './words.ts';

const phaseBefore = (o: Observed) => o.rds.status?.phase ?? 'Pending';

/** Fail closed: without the journal nothing is written to the cloud (protocol C13). */
export function journalUnavailable(o: Observed): Verdict | undefined {
  if (typeof o.journal !== 'object' || !('unavailable' in o.journal)) return undefined;
  const because = o.journal.unavailable;
  return {
    // A 200 with an empty status could erase an id that a fresher parent has, or lose an order by boolean.
    action:
      o.rds.status?.id === undefined || orderedByBoolean(o.rds).length > 0
        ? { kind: 'unavailable', because }
        : NOTHING,
    phase: phaseBefore(o),
    conditions: [
      synced('Unknown', 'JournalUnavailable', `Nothing is written to the cloud because ${because}.`),
    ],
    resyncAfterSeconds: PACE.waiting,
  };
}

/** Two replicas of different luck must not tell in turns: bad news waits this long after good news. */
const GOOD_NEWS_HOLDS_MS = 60_000;

export function contradictsFreshNews(o: Observed, type: ConditionType): boolean {
  const before = findCondition(o.rds.status?.conditions, type);
  if (!before || before.status === 'Unknown') return false;
  const ageMs = o.nowMs - Date.parse(before.lastTransitionTime);
  return ageMs >= 0 && ageMs < GOOD_NEWS_HOLDS_MS;
}

/** Nor may they tell two kinds of bad news in turns: what may pass does not replace what is told already. */
function keptNews({ rds }: Observed, failure: Failure): ConditionWish[] | undefined {
  const before = findCondition(rds.status?.conditions, 'Synced');
  const isTold = before?.reason === 'CloudUnreachable' || before?.reason === 'CloudForbidden';
  return failure.class === 'retryable' && before?.status === 'Unknown' && isTold ? [] : undefined;
}

export function cloudFailed(o: Observed, failure: Failure): Verdict {
  const reason = failureReason(failure);
  const before = findCondition(o.rds.status?.conditions, 'Synced');
  const text = steadyFailureText(failure, before?.message);
  const known = o.rds.status?.id !== undefined;
  const hint = known
    ? 'The database itself is not touched; the last known state is shown.'
    : 'Nothing was created.';
  const isEarly = known && contradictsFreshNews(o, 'Synced');
  const kept = keptNews(o, failure);
  // A journal that only seems to be missing may have an id: the API server lets nobody make a second one.
  const action: Action =
    !known && o.journal === 'none' ? { kind: 'openJournal', journal: { isBlind: true } } : NOTHING;
  return {
    action: isEarly ? { kind: 'stale', because: text, afterSeconds: PACE.waiting } : action,
    phase: phaseBefore(o),
    conditions: kept ?? [
      synced('Unknown', reason, `The cloud cannot be asked: ${text}. ${hint}`),
      // An unreachable API says nothing about the database, so Ready stays as it was.
      ...(known ? [] : [ready('False', reason, `The cloud cannot be asked: ${text}.`)]),
    ],
    resyncAfterSeconds: retryPace(failure),
  };
}

export function retryPace(failure: Failure): number {
  if (failure.class === 'retryable') return Math.max(failure.retryAfterSeconds ?? 0, PACE.waiting);
  return failure.class === 'terminal' ? PACE.settled : PACE.slow;
}

export function invalidSpec(o: Observed, instance: Instance | undefined): Verdict {
  const text = o.problems.map(({ field, message }) => `${field}: ${message}`).join('; ');
  const condition = synced('False', 'InvalidSpec', `Nothing is changed until this is corrected: ${text}.`);
  if (instance) {
    const told = describe(o, instance);
    return { ...told, conditions: [...told.conditions, condition] };
  }
  return {
    action: NOTHING,
    phase: phaseBefore(o),
    conditions: [condition, ...(o.rds.status?.id ? [] : [ready('False', 'InvalidSpec', `${text}.`)])],
    resyncAfterSeconds: PACE.slow,
  };
}

export function paused(o: Observed, instance: Instance | undefined): Verdict {
  const condition = o.spec.paused
    ? synced('Unknown', 'Paused', 'spec.paused is set: the operator reports and does not act.')
    : synced(
        'Unknown',
        'DryRun',
        'The annotation otc.mcsps.de/dry-run is set: see status.plan; nothing is carried out.',
      );
  const phase = o.spec.paused ? ('Paused' as const) : phaseBefore(o);
  if (instance) {
    const told = describe(o, instance);
    return {
      ...told,
      phase: o.spec.paused ? phase : told.phase,
      conditions: [...told.conditions, condition],
    };
  }
  return {
    action: NOTHING,
    phase,
    conditions: [
      condition,
      ...(o.rds.status?.id ? [] : [ready('False', condition.reason, 'Nothing was created.')]),
    ],
    resyncAfterSeconds: PACE.settled,
  };
}
