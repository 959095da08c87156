// The journal knows an instance that the cloud does not show. One empty read means nothing: lists lag and lie.

import { absenceCountsFrom, absenceWasProven, countAbsence, type Journal } from '../../rds/journal.ts';
import type { Observed } from './observed.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';
import { progressing, ready, synced } from './words.ts';

export function missing(o: Observed): Verdict {
  const journal = o.journal as Journal;
  if (o.cloud.kind !== 'fresh') {
    return {
      action: { kind: 'lookCloser' },
      phase: 'Pending',
      conditions: [],
      resyncAfterSeconds: PACE.soon,
    };
  }
  const { at } = o.cloud;
  if (absenceWasProven(journal)) return gone(journal);
  const counted = countAbsence(journal, at, o.timing);
  const action: Verdict['action'] = counted ? { kind: 'swapJournal', journal: counted } : NOTHING;
  const waitMs = absenceCountsFrom(counted ?? journal, o.timing) - at;
  const resyncAfterSeconds = Math.min(Math.max(waitMs / 1000, PACE.soon), PACE.waiting);
  if (at < (journal.createClaimedAt ?? Number.NEGATIVE_INFINITY) + o.timing.settleMs) {
    const message = 'The instance was ordered; the cloud does not list it yet.';
    return {
      action,
      phase: 'Creating',
      conditions: [ready('False', 'Creating', message), progressing('True', 'Creating', message)],
      status: { id: journal.id },
      resyncAfterSeconds: PACE.transition,
    };
  }
  const message = `Instance ${journal.id} is not listed by the cloud at the moment; the operator looks again before it believes that it is gone.`;
  return {
    action,
    phase: o.rds.status?.phase ?? 'Failed',
    conditions: [
      ready('Unknown', 'InstanceMissing', message),
      progressing('Unknown', 'InstanceMissing', message),
    ],
    status: { id: journal.id },
    resyncAfterSeconds,
  };
}

function gone(journal: Journal): Verdict {
  const message = `Instance ${journal.id} was deleted outside the operator. It is not re-created by itself, as the data would be missing: delete this Rds and apply it again; if the data is needed, restore it in the console and adopt the restored instance (otc.mcsps.de/adopt).`;
  return {
    action: NOTHING,
    phase: 'Failed',
    conditions: [
      ready('False', 'InstanceGone', message),
      synced('False', 'InstanceGone', message),
      progressing('False', 'InstanceGone', message),
    ],
    status: { id: journal.id, status: undefined, operation: undefined, plan: undefined, planHash: undefined },
    resyncAfterSeconds: PACE.slow,
  };
}
