// An Rds whose instance is known and seen: settle what is open, then orders, then changes; one write a call.

import type { Instance } from '../../otc/cloud.ts';
import { type Journal, withoutAbsence } from '../../rds/journal.ts';
import { ANNOTATIONS, UID_TAG } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { growFullDisk } from './autopilot/decision.ts';
import { heal } from './autopilot/heal.ts';
import { autopilotStep } from './autopilot/step.ts';
import { showsEffect } from './changes/evidence.ts';
import { approval, type Change, pendingChanges } from './changes/pending.ts';
import { forgetUpgrade } from './changes/power.ts';
import { foughtUntil } from './changes/repeats.ts';
import type { Case } from './changes/wish.ts';
import { describe } from './describe.ts';
import { stateOf } from './instance-state.ts';
import type { Observed } from './observed.ts';
import { forgetBooleanOrder, reconcileOrder, restartOrder } from './orders.ts';
import { PACE, type Verdict } from './plan.ts';
import { release } from './release.ts';
import { recordReplicas } from './replica-record.ts';
import { restoreInPlace } from './restore-in-place.ts';
import { rotate } from './rotate.ts';
import { settleOpen } from './settle-open.ts';
import { progressing, ready, synced, until } from './words.ts';

/** `told`: the words for it, should nothing have to be done. */
export function manage(o: Observed, instance: Instance, told: Verdict = describe(o, instance)): Verdict {
  const journal = o.journal as Journal;
  const details = o.cloud.kind === 'fresh' || o.cloud.kind === 'glance' ? o.cloud.details : {};
  const one: Case = { o, instance, details };
  const owner = instance.tags[UID_TAG];
  if (owner !== undefined && owner !== o.rds.metadata.uid && !journal.adopted)
    return foreign(told, instance, owner);
  if (journal.absence || wasMissing(o)) {
    return { ...told, action: { kind: 'swapJournal', journal: withoutAbsence(journal) } };
  }
  if (journal.op) return growFullDisk(one, journal, told) ?? settleOpen(o, journal, instance, told);
  const released = release(o, instance);
  if (released) return released;
  if (stateOf(instance).transitional) return heal(o, journal, instance, told) ?? told;
  // The reason of a failed create is in its job, which only the journal knows.
  if (instance.status === 'CREATE FAIL')
    return o.cloud.kind === 'fresh' ? told : { ...told, action: { kind: 'lookCloser' } };
  if (owner !== o.rds.metadata.uid) return { ...told, action: { kind: 'tag', instanceId: instance.id } };
  return (
    forgetBooleanOrder(o, journal, told) ??
    reconcileOrder(o, journal, told) ??
    forgetUpgrade(o, journal, told) ??
    recordReplicas(one, journal, told) ??
    restoreFirst(one, journal, told)
  );
}

/** A restore that is refused is told, and holds up nothing. */
function restoreFirst(one: Case, journal: Journal, told: Verdict): Verdict {
  const restore = restoreInPlace(one.o, journal, one.instance, told);
  if (!restore) return afterRestore(one, journal, told);
  const isRefused = restore.conditions.some(({ reason }) => reason === 'RestoreRefused');
  return isRefused ? afterRestore(one, journal, restore) : restore;
}

function afterRestore(one: Case, journal: Journal, told: Verdict): Verdict {
  const { o, instance } = one;
  return (
    restartOrder(o, journal, instance, told) ??
    heal(o, journal, instance, told) ??
    change(one, journal, told) ??
    autopilotStep(one, journal, told) ??
    rotate(o, journal, instance, told) ??
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

function change(one: Case, journal: Journal, told: Verdict): Verdict | undefined {
  const { o, instance } = one;
  const changes = pendingChanges(o, instance);
  const next = changes.find(({ order, waits }) => order !== undefined && !waits);
  if (!next?.order)
    return mayBeApproved(o, changes) ? { ...told, action: { kind: 'lookCloser' } } : undefined;
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const { op, write } = next.order;
  if (!wasTold(o, next)) return { ...told, action: { kind: 'tell', write }, resyncAfterSeconds: PACE.soon };
  // One at a time: a list that lags still shows the old value of a change that was accepted a moment ago.
  const { last } = journal;
  if (last && o.cloud.at < last.at + o.timing.settleMs && isUnseen(one, last, op)) {
    const message = `${last.kind} ${last.key} was accepted by the cloud and is not visible yet.`;
    return {
      ...told,
      phase: 'Changing',
      conditions: [...told.conditions, progressing('True', 'Changing', message)],
      resyncAfterSeconds: PACE.transition,
    };
  }
  const fought = foughtUntil(journal, op, o.rds.metadata.generation, o.cloud.at);
  if (fought !== undefined) return undone(told, next, fought);
  const approved = approval(o, changes);
  return {
    ...told,
    action: {
      kind: 'claim',
      op: { ...op, at: o.cloud.at },
      write,
      ...(approved ? { also: { approved } } : {}),
    },
  };
}

/** Whoever looks at status.plan sees a change before it happens, not with it. */
function wasTold({ rds }: Observed, { field, to }: Change): boolean {
  return rds.status?.plan?.some((told) => told.field === field && told.to === to) ?? false;
}

/** Consent to an earlier state of the plan stands in the journal only. */
function mayBeApproved(o: Observed, changes: readonly Change[]): boolean {
  const isConsent = annotation(o.rds, ANNOTATIONS.approve) !== undefined;
  return o.cloud.kind === 'glance' && isConsent && changes.some(({ waits }) => waits);
}

function isUnseen(
  one: Case,
  last: NonNullable<Journal['last']>,
  next: { kind: string; key: string },
): boolean {
  if (last.kind === 'restart' || last.kind === 'failover') return false;
  return showsEffect(one, last) === false || (last.kind === next.kind && last.key === next.key);
}

function undone(
  told: Verdict,
  { field, from, to }: { field: string; from: string; to: string },
  at: number,
): Verdict {
  const message =
    `${field} was set to ${to} three times and is ${from} again each time: somebody else or the cloud undoes it. ` +
    `Nothing more is tried before ${until(at)}, unless the spec or the annotation otc.mcsps.de/reconcile changes.`;
  return {
    ...told,
    conditions: [...told.conditions, synced('False', 'ChangeUndone', message)],
    resyncAfterSeconds: PACE.slow,
  };
}
