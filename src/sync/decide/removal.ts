// The end of a delete: the backup, the delete itself, and the proof that the instance is gone.

import type { Instance } from '../../otc/cloud.ts';
import {
  absenceCountsFrom,
  absenceProven,
  absenceWasProven,
  countAbsence,
  type Journal,
  refused,
} from '../../rds/journal.ts';
import { ANNOTATIONS, UID_TAG } from '../../rds/names.ts';
import type { Reason } from '../../rds/reasons.ts';
import { deleting } from './deleting.ts';
import { effectivePolicy } from './deletion-policy.ts';
import { finalBackup, savedBackup } from './final-backup.ts';
import { stateOf } from './instance-state.ts';
import type { Failure, Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { failureReason, failureText } from './words.ts';

type FreshView = Extract<Observed['cloud'], { kind: 'fresh' }>;

/** We are done; if others still hold the object, they need no quick answers from us. */
export const released = (action: Action, message: string, reason: Reason = 'Released'): Verdict => ({
  ...deleting(action, reason, message, PACE.slow),
  finalized: true,
});

export const done = (message: string): Verdict => released(NOTHING, message);

export function isForeign(o: Observed, instance: Instance): boolean {
  const owner = instance.tags[UID_TAG];
  return owner !== undefined && owner !== o.rds.metadata.uid;
}

/** A policy that is edited after this comes too late. */
export const wasDeleted = ({ op, last }: Journal): boolean => (op ?? last)?.kind === 'delete';

export function remove(o: Observed, journal: Journal, instance: Instance, cloud: FreshView): Verdict {
  if (isForeign(o, instance) && !journal.adopted)
    return done('The instance belongs to another Rds and is not touched.');
  // Whatever the policy says by now: who deletes it, or lets it go to others, while a request may still be on its
  // way has no say over what that request does.
  const open = settleOpen(o, journal, instance, cloud);
  if (open) return open;
  const saved = finalBackup(o, journal, instance, cloud);
  if (effectivePolicy(o) === 'Retain') {
    const untag = instance.tags[UID_TAG] === o.rds.metadata.uid;
    return (
      saved ??
      released(
        { kind: 'letGo', instanceId: instance.id, keeps: true, untag },
        `Instance ${instance.id} stays in the cloud.`,
      )
    );
  }
  if (stateOf(instance).transitional) {
    const isOurBackup = instance.status === 'BACKING UP' && saved?.action.kind === 'none';
    return isOurBackup
      ? saved
      : deleting(NOTHING, 'Busy', `The delete waits: ${stateOf(instance).sentence}`, PACE.transition);
  }
  if (saved?.action.kind === 'claim' && instance.status === 'SHUTDOWN')
    return wakeUp(o, journal, instance, cloud);
  if (saved) return saved;
  return deleting(
    {
      kind: 'claim',
      op: { kind: 'delete', key: instance.id, at: cloud.at },
      write: { do: 'delete', instanceId: instance.id },
    },
    'Deleting',
    `Instance ${instance.id} is being deleted.`,
  );
}

/** The cloud backs up only what runs. */
function wakeUp(o: Observed, journal: Journal, instance: Instance, cloud: FreshView): Verdict {
  const { last } = journal;
  const isOnTheWay = last?.kind === 'start' && cloud.at < last.at + o.timing.settleMs;
  const action: Action = isOnTheWay
    ? NOTHING
    : {
        kind: 'claim',
        op: { kind: 'start', key: 'ACTIVE', at: cloud.at },
        write: { do: 'change', instanceId: instance.id, change: { kind: 'start' } },
      };
  return deleting(action, 'FinalBackup', STARTED, PACE.transition);
}

const STARTED = 'The stopped instance is started for the backup before the delete.';

function settleOpen(
  o: Observed,
  journal: Journal,
  instance: Instance,
  cloud: FreshView,
): Verdict | undefined {
  const sent = journal.op ?? (journal.last?.kind === 'delete' ? journal.last : undefined);
  if (!sent || sent.kind === 'finalBackup') return undefined;
  const settled = sent.at + o.timing.settleMs;
  if (cloud.at < settled) {
    const message =
      sent.kind === 'delete'
        ? `Instance ${instance.id} is being deleted.`
        : `The delete waits until ${sent.kind} has shown its effect.`;
    return deleting(NOTHING, 'Deleting', message, PACE.transition);
  }
  // Still there after all that time: an open claim is freed, an accepted delete is sent again.
  return journal.op
    ? deleting(
        { kind: 'swapJournal', journal: refused(journal) },
        'Deleting',
        'The last operation had no effect.',
      )
    : undefined;
}

export function proveAbsence(o: Observed, journal: Journal, at: number): Verdict {
  if (absenceProven(journal, at, o.timing)) {
    return released(
      { kind: 'letGo', instanceId: journal.id ?? '', keeps: false, untag: false },
      'The instance is gone.',
      'Deleting',
    );
  }
  const counted = countAbsence(journal, at, o.timing);
  const isProven = counted !== undefined && absenceWasProven(counted);
  const waitSeconds = (absenceCountsFrom(counted ?? journal, o.timing) - at) / 1000;
  const within = (longest: number): number =>
    isProven ? PACE.soon : Math.min(Math.max(waitSeconds, PACE.soon), longest);
  const action: Action = counted ? { kind: 'swapJournal', journal: counted } : NOTHING;
  return journal.id === undefined
    ? deleting(
        action,
        'WaitingForCreate',
        'A create was on the way when the Rds was deleted; the operator makes sure that no instance is left behind.',
        within(PACE.waiting),
      )
    : deleting(
        action,
        'ProvingAbsence',
        'The instance is no longer listed; the operator looks again before it believes it.',
        // A look that comes before it counts tells nothing.
        within(PACE.settled),
      );
}

function alarmsGoing(failure: Failure | undefined): Verdict {
  const why = failure ? `: ${failureText({ ...failure, requestId: undefined })}` : '';
  const message = `The alarms of the autopilot are being removed${why}.`;
  return deleting(NOTHING, 'Deleting', message, failure ? PACE.waiting : PACE.soon);
}

export function afterStep(o: Observed): Verdict {
  const { acted } = o;
  if (acted?.kind === 'watch') return alarmsGoing(acted.failure);
  if (acted?.kind === 'untag') {
    const blocked = acted.result !== 'done' && acted.failure?.class === 'retryable';
    return blocked
      ? deleting(NOTHING, 'Released', 'The tag of the instance is being removed.', PACE.waiting)
      : done('The instance is no longer managed.');
  }
  if (acted?.result === 'refused' && acted.failure) {
    const text = failureText({ ...acted.failure, requestId: undefined });
    const reason =
      acted.kind === 'finalBackup' ? ('FinalBackupFailed' as const) : failureReason(acted.failure);
    const way =
      acted.kind === 'finalBackup'
        ? ` To delete without a backup set the annotation ${ANNOTATIONS.forceDelete}: "true".`
        : '';
    const pace = acted.failure.class === 'retryable' ? PACE.waiting : PACE.settled;
    return deleting(NOTHING, reason, `${acted.kind} was refused: ${text}. Nothing was deleted.${way}`, pace);
  }
  if (acted?.kind === 'start') return deleting(NOTHING, 'FinalBackup', STARTED, PACE.transition);
  const what = acted?.kind === 'finalBackup' ? ('FinalBackup' as const) : ('Deleting' as const);
  const message =
    what === 'FinalBackup' ? 'The backup before the delete is being made.' : 'The instance is being deleted.';
  return { ...deleting(NOTHING, what, message, PACE.transition), ...savedBackup(o) };
}
