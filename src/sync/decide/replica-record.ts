// Which read replicas exist, as the journal has it: an id is noted when its instance shows itself, and dropped only
// when its absence is proven like that of any instance (protocol C4).

import {
  absenceProven,
  accepted,
  countAbsence,
  type Journal,
  refused,
  type Timing,
} from '../../rds/journal.ts';
import { findReplica } from './changes/replicas.ts';
import type { Case } from './changes/wish.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { progressing } from './words.ts';

/** Counts one empty fresh read of a replica whose create was claimed at `since`; 'gone' when that was enough. */
function countMissing(
  journal: Journal,
  name: string,
  since: number,
  at: number,
  timing: Timing,
): Journal | 'gone' | 'early' {
  const absence = journal.replicaAbsence?.name === name ? journal.replicaAbsence : undefined;
  const seen: Journal = { createClaimedAt: since, ...(absence ? { absence } : {}) };
  if (absenceProven(seen, at, timing)) return 'gone';
  const counted = countAbsence(seen, at, timing)?.absence;
  return counted ? { ...journal, replicaAbsence: { name, ...counted } } : 'early';
}

const withoutCounter = ({ replicaAbsence: _over, ...rest }: Journal): Journal => rest;

/** A create of a replica whose answer was lost. */
export function settleReplica(one: Case, journal: Journal, at: number, told: Verdict): Verdict {
  const { op } = journal;
  if (!op) return told;
  const replica = findReplica(one, op.key);
  const next = (action: Action): Verdict => ({
    ...told,
    action,
    conditions: [
      ...told.conditions,
      progressing(
        'Unknown',
        'OutcomeUnknown',
        `The answer to the create of read replica ${op.key} was lost; the operator looks for it before it tries again.`,
      ),
    ],
    resyncAfterSeconds: PACE.waiting,
  });
  if (replica) {
    const replicas = { ...journal.replicas, [op.key]: { id: replica.id, at: op.at } };
    return next({
      kind: 'swapJournal',
      journal: withoutCounter({ ...accepted(journal, {}), replicas }),
    });
  }
  const missing = countMissing(journal, op.key, op.at, at, one.o.timing);
  if (missing === 'early') return next(NOTHING);
  if (missing === 'gone') return next({ kind: 'swapJournal', journal: withoutCounter(refused(journal)) });
  return next({ kind: 'swapJournal', journal: missing });
}

/** Brings the record in line with what is there; undefined when it is. */
export function recordReplicas(one: Case, journal: Journal, told: Verdict): Verdict | undefined {
  const { o, details } = one;
  if (!details.replicas) return undefined;
  const swap = (next: Journal): Verdict => ({ ...told, action: { kind: 'swapJournal', journal: next } });
  const at = o.cloud.kind === 'fresh' ? o.cloud.at : 0;
  const known = journal.replicas ?? {};
  const unknown = (o.spec.readReplicas ?? []).filter(({ name }) => known[name] === undefined);
  for (const { name } of unknown) {
    const found = findReplica(one, name);
    if (found) return swap({ ...journal, replicas: { ...known, [name]: { id: found.id, at } } });
  }
  const missing = Object.entries(known).find(([name]) => !findReplica(one, name));
  if (!missing) return journal.replicaAbsence ? swap(withoutCounter(journal)) : undefined;
  const [name, { at: since }] = missing;
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const counted = countMissing(journal, name, since, at, o.timing);
  if (counted === 'early') return { ...told, resyncAfterSeconds: PACE.waiting };
  if (counted !== 'gone') return { ...swap(counted), resyncAfterSeconds: PACE.waiting };
  const { [name]: _gone, ...replicas } = known;
  return swap(withoutCounter({ ...journal, replicas }));
}
