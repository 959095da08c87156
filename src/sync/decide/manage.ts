// An Rds whose instance is known and seen: settle what is open, then orders, then changes; one write a call.

import type { Instance } from '../../otc/cloud.ts';
import { accepted, type Journal, refused, withoutAbsence } from '../../rds/journal.ts';
import { UID_TAG } from '../../rds/names.ts';
import { pendingChanges } from './changes.ts';
import { describe } from './describe.ts';
import { stateOf } from './instance-state.ts';
import type { Observed } from './observed.ts';
import { forgetBooleanOrder, restartCarriedOut, restartOrder } from './orders.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { progressing, ready, synced, until } from './words.ts';

export function manage(o: Observed, instance: Instance): Verdict {
  const journal = o.journal as Journal;
  const told = describe(o, instance);
  const owner = instance.tags[UID_TAG];
  if (owner !== undefined && owner !== o.rds.metadata.uid && !journal.adopted)
    return foreign(told, instance, owner);
  if (journal.absence || wasMissing(o)) {
    return { ...told, action: { kind: 'swapJournal', journal: withoutAbsence(journal) } };
  }
  if (journal.op) return settleOpen(o, journal, instance, told);
  if (stateOf(instance).transitional) return told;
  // The reason of a failed create is in its job, which only the journal knows.
  if (instance.status === 'CREATE FAIL')
    return o.cloud.kind === 'fresh' ? told : { ...told, action: { kind: 'lookCloser' } };
  if (owner !== o.rds.metadata.uid) return { ...told, action: { kind: 'tag', instanceId: instance.id } };
  return (
    forgetBooleanOrder(o, journal, told) ??
    restartOrder(o, journal, instance, told) ??
    change(o, journal, instance, told) ??
    told
  );
}

/** One hit starts the counting over, so a counter left behind must be looked at. */
function wasMissing(o: Observed): boolean {
  if (o.cloud.kind !== 'glance') return false;
  return o.rds.status?.conditions?.some(({ reason }) => reason === 'InstanceMissing') ?? false;
}

function foreign(told: Verdict, instance: Instance, owner: string): Verdict {
  const message = `Instance ${instance.id} carries the tag ${UID_TAG}=${owner} of another Rds and is not touched.`;
  return {
    ...told,
    phase: 'Failed',
    conditions: [
      ...told.conditions,
      ready('False', 'ForeignInstance', message),
      synced('False', 'ForeignInstance', message),
    ],
    resyncAfterSeconds: PACE.slow,
  };
}

/** An operation of unknown outcome: evidence closes it, the settle time frees it, nothing else does. */
function settleOpen(o: Observed, journal: Journal, instance: Instance, told: Verdict): Verdict {
  const { op } = journal;
  if (!op || o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  if (hasEvidence(o, journal, instance)) {
    const done =
      op.kind === 'restart' ? restartCarriedOut(accepted(journal, {}), op.key) : accepted(journal, {});
    return {
      ...told,
      action: { kind: 'swapJournal', journal: done },
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

function hasEvidence(o: Observed, journal: Journal, instance: Instance): boolean {
  const { op } = journal;
  if (!op || o.cloud.kind !== 'fresh') return false;
  switch (op.kind) {
    case 'enlarge':
      return instance.volumeGb >= Number(op.key) || instance.status === 'MODIFYING';
    case 'resize':
      return instance.flavor === op.key || instance.status === 'MODIFYING';
    case 'restart':
      return (
        instance.status === 'REBOOTING' ||
        (o.cloud.tasks ?? []).some(
          (task) => task.createdAt >= op.at - 1000 && /restart|reboot/i.test(task.name),
        )
      );
    default:
      return false;
  }
}

function change(o: Observed, journal: Journal, instance: Instance, told: Verdict): Verdict | undefined {
  const next = pendingChanges(o, instance).find(({ write }) => write !== undefined);
  if (!next?.write) return undefined;
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const { write } = next;
  const kind = write.do;
  const key = write.do === 'password' ? write.version : next.to;
  // A list that lags still shows the old value of a change that was accepted a moment ago.
  const { last } = journal;
  if (last?.kind === kind && last.key === key && o.cloud.at < last.at + o.timing.settleMs) {
    const message = `${next.field} ${next.from} -> ${next.to} was accepted by the cloud and is not visible yet.`;
    return {
      ...told,
      phase: 'Changing',
      conditions: [...told.conditions, progressing('True', 'Changing', message)],
      resyncAfterSeconds: PACE.transition,
    };
  }
  return { ...told, action: { kind: 'claim', op: { kind, key, at: o.cloud.at }, write } };
}
