// An operation of unknown outcome: evidence closes it, the settle time frees it, nothing else does.

import type { Instance } from '../../otc/cloud.ts';
import { accepted, type Journal, refused } from '../../rds/journal.ts';
import { carriedOut } from './carried-out.ts';
import { showsEffect } from './changes/evidence.ts';
import type { Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { settleReplica } from './replica-record.ts';
import { progressing, until } from './words.ts';

export function settleOpen(o: Observed, journal: Journal, instance: Instance, told: Verdict): Verdict {
  const { op } = journal;
  if (!op || o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const one = { o, instance, details: o.cloud.details };
  if (op.kind === 'replica') return settleReplica(one, journal, o.cloud.at, told);
  const isGone =
    op.kind === 'removeReplica' &&
    !one.details.replicas?.some(({ id }) => id === journal.replicas?.[op.key]?.id);
  if (isGone || showsEffect(one, op)) {
    return {
      ...told,
      action: { kind: 'swapJournal', journal: carriedOut(o, accepted(journal, {}), op) },
      resyncAfterSeconds: PACE.soon,
    };
  }
  const settled = op.at + o.timing.settleMs;
  const action: Action = o.cloud.at >= settled ? { kind: 'swapJournal', journal: refused(journal) } : NOTHING;
  const message = `The answer to ${op.kind} ${op.key} was lost; the operator looks for its effect until ${until(settled)} before it tries again.`;
  const reason = op.kind === 'restart' ? ('RestartUnknown' as const) : ('OutcomeUnknown' as const);
  return {
    ...told,
    action,
    conditions: [...told.conditions, progressing('Unknown', reason, message)],
    resyncAfterSeconds: PACE.waiting,
  };
}
