// Delete without loss (design section 6): a state machine, one step per call, each step idempotent and found
// again by name. Nothing is destroyed before the journal is closed and, for Snapshot, the backup complete.

import type { Instance } from '../../otc/cloud.ts';
import {
  absenceCountsFrom,
  absenceProven,
  countAbsence,
  type Journal,
  refused,
  withoutAbsence,
} from '../../rds/journal.ts';
import { ANNOTATIONS, nameKind, UID_TAG } from '../../rds/names.ts';
import type { Reason } from '../../rds/reasons.ts';
import { cloudFailed, journalUnavailable } from './cannot-act.ts';
import { deleting } from './deleting.ts';
import { effectivePolicy } from './deletion-policy.ts';
import { finalBackup, savedBackup } from './final-backup.ts';
import { stateOf } from './instance-state.ts';
import { tokensHoldDelete } from './logs.ts';
import type { Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { decideSync } from './sync.ts';
import { failureReason, failureText, progressing } from './words.ts';

type FreshView = Extract<Observed['cloud'], { kind: 'fresh' }>;

export function decideFinalize(o: Observed): Verdict {
  const verdict = decideStep(o);
  const seen = o.cloud.kind === 'fresh' ? o.cloud.instance?.status : undefined;
  return seen === undefined ? verdict : { ...verdict, status: { ...verdict.status, status: seen } };
}

/** Nothing more is to be done in the cloud, but a Job's token still lives: it would outlive everyone who knows it. */
export function heldByTokens(o: Observed, verdict: Verdict): Verdict {
  if (!verdict.finalized || !tokensHoldDelete(o)) return verdict;
  const { finalized: _notYet, ...rest } = verdict;
  const message = 'The token of a log Job is being revoked.';
  return { ...rest, ...deleting(NOTHING, 'Deleting', message, PACE.waiting) };
}

function decideStep(o: Observed): Verdict {
  // A label edit also calls finalize: without a deletionTimestamp the Rds lives.
  if (o.rds.metadata.deletionTimestamp === undefined) return decideSync(o);
  const unable = journalUnavailable(o);
  if (unable) return unable;
  if (o.acted) return afterStep(o);
  if (o.journal === 'unread') return deleting({ kind: 'lookCloser' }, 'Deleting', 'Looking.');
  const journal = o.journal === 'none' ? undefined : (o.journal as Journal);
  if (!journal?.closed) return close(o, journal);
  if (journal.letGo && !isRetryable(o)) return alreadyLetGo(o, journal);
  return o.cloud.kind === 'fresh' ? step(o, journal, o.cloud) : withoutCloud(o, journal);
}

/** We are done; if others still hold the object, they need no quick answers from us. */
const released = (action: Action, message: string, reason: Reason = 'Released'): Verdict => ({
  ...deleting(action, reason, message, PACE.slow),
  finalized: true,
});

const done = (message: string): Verdict => released(NOTHING, message);

function isRetryable(o: Observed): boolean {
  return o.cloud.kind === 'failed' && o.cloud.failure.class === 'retryable';
}

/** From the moment that a call reads `closed`, no replica starts anything for this UID (protocol C6). */
function close(o: Observed, journal: Journal | undefined): Verdict {
  const message = 'The delete is being prepared.';
  const at = o.cloud.kind === 'fresh' ? o.cloud.at : o.nowMs;
  const oldId = journal?.id === undefined ? o.rds.status?.id : undefined;
  if (
    oldId !== undefined &&
    o.cloud.kind === 'fresh' &&
    o.cloud.instance?.id === oldId &&
    !isForeign(o, o.cloud.instance)
  ) {
    // An id known only from status (the old operator's) goes into the journal before anything else.
    if (!journal) return deleting({ kind: 'openJournal', journal: {} }, 'Deleting', message);
    return deleting({ kind: 'adopt', instanceId: oldId }, 'Deleting', message);
  }
  if (!journal) {
    return deleting(
      { kind: 'openJournal', journal: { closed: { at, unknownPast: true } } },
      'Deleting',
      message,
    );
  }
  const unknownPast = oldId !== undefined;
  return deleting(
    { kind: 'swapJournal', journal: { ...journal, closed: { at, unknownPast } } },
    'Deleting',
    message,
  );
}

function nothingEverClaimed(journal: Journal): boolean {
  return (
    journal.id === undefined &&
    journal.op === undefined &&
    journal.createClaimedAt === undefined &&
    journal.closed?.unknownPast === false
  );
}

function isForeign(o: Observed, instance: Instance): boolean {
  const owner = instance.tags[UID_TAG];
  return owner !== undefined && owner !== o.rds.metadata.uid;
}

/** The cloud cannot be asked: only what needs no answer from it may end here. */
function withoutCloud(o: Observed, journal: Journal): Verdict {
  if (nothingEverClaimed(journal)) return done('Nothing was ever created for this Rds.');
  if (o.cloud.kind !== 'failed') return deleting({ kind: 'lookCloser' }, 'Deleting', 'Looking.');
  const { failure } = o.cloud;
  const keeps = effectivePolicy(o) === 'Retain' && journal.op === undefined;
  if (keeps && failure.class !== 'retryable') {
    return released(
      { kind: 'letGo', instanceId: journal.id ?? '', keeps: true, untag: false },
      'The instance is kept.',
    );
  }
  const told = cloudFailed(o, failure);
  return {
    ...told,
    phase: 'Deleting',
    conditions: [
      progressing(
        'Unknown',
        failureReason(failure),
        `The delete waits for the cloud: ${failureText({ ...failure, requestId: undefined })}.`,
      ),
    ],
  };
}

/** Others may have it by now: whatever the spec says today, all that is left is to take our marks off. */
function alreadyLetGo(o: Observed, journal: Journal): Verdict {
  const instance =
    o.cloud.kind === 'fresh' && o.cloud.instance?.id === journal.id ? o.cloud.instance : undefined;
  const untag = instance?.tags[UID_TAG] === o.rds.metadata.uid;
  const marks = { kind: 'letGo', instanceId: journal.id ?? '', keeps: false, untag } as const;
  return released(marks, `Instance ${journal.id} was let go.`);
}

function step(o: Observed, journal: Journal, cloud: FreshView): Verdict {
  if (nothingEverClaimed(journal)) return done('Nothing was ever created for this Rds.');
  const { namespace, name, uid } = o.rds.metadata;
  const ours = cloud.namesakes.filter((one) => nameKind(one.name, namespace, name, uid) === 'ours');
  const seen = cloud.instance ? [cloud.instance, ...cloud.namesakes] : cloud.namesakes;
  const instance = seen.find(({ id }) => id === journal.id);
  if (journal.id === undefined && ours.length > 1) {
    const ids = ours
      .map(({ id }) => id)
      .sort()
      .join(', ');
    return deleting(
      NOTHING,
      'DuplicateInstances',
      `Instances ${ids} carry the same name; nothing is deleted until one of them is removed by hand.`,
      PACE.settled,
    );
  }
  const found = ours[0];
  if (journal.id === undefined && found) {
    const { op: _settled, absence: _over, ...rest } = journal;
    const last = journal.op ? { last: journal.op } : {};
    return deleting(
      { kind: 'swapJournal', journal: { ...rest, ...last, id: found.id } },
      'WaitingForCreate',
      'The instance has shown itself.',
    );
  }
  const fromStatus = journal.id === undefined ? seen.find(({ id }) => id === o.rds.status?.id) : undefined;
  if (fromStatus && !isForeign(o, fromStatus)) {
    return deleting(
      { kind: 'adopt', instanceId: fromStatus.id },
      'Deleting',
      'The instance has shown itself.',
    );
  }
  if (!instance) return proveAbsence(o, journal, cloud.at);
  if (journal.absence)
    return deleting(
      { kind: 'swapJournal', journal: withoutAbsence(journal) },
      'Deleting',
      'The instance is still listed.',
    );
  return remove(o, journal, instance, cloud);
}

function proveAbsence(o: Observed, journal: Journal, at: number): Verdict {
  if (absenceProven(journal, at, o.timing)) {
    return released(
      { kind: 'letGo', instanceId: journal.id ?? '', keeps: false, untag: false },
      'The instance is gone.',
      'Deleting',
    );
  }
  const counted = countAbsence(journal, at, o.timing);
  const waitMs = absenceCountsFrom(counted ?? journal, o.timing) - at;
  const pace = Math.min(Math.max(waitMs / 1000, PACE.soon), PACE.waiting);
  const action: Action = counted ? { kind: 'swapJournal', journal: counted } : NOTHING;
  return journal.id === undefined
    ? deleting(
        action,
        'WaitingForCreate',
        'A create was on the way when the Rds was deleted; the operator makes sure that no instance is left behind.',
        pace,
      )
    : deleting(
        action,
        'ProvingAbsence',
        'The instance is no longer listed; the operator looks again before it believes it.',
        pace,
      );
}

function remove(o: Observed, journal: Journal, instance: Instance, cloud: FreshView): Verdict {
  if (isForeign(o, instance) && !journal.adopted)
    return done('The instance belongs to another Rds and is not touched.');
  if (effectivePolicy(o) === 'Retain') {
    const untag = instance.tags[UID_TAG] === o.rds.metadata.uid;
    return released(
      { kind: 'letGo', instanceId: instance.id, keeps: true, untag },
      `Instance ${instance.id} stays in the cloud.`,
    );
  }
  const open = settleOpen(o, journal, instance, cloud);
  if (open) return open;
  const saved = finalBackup(o, journal, instance, cloud);
  if (stateOf(instance).transitional) {
    const isOurBackup = instance.status === 'BACKING UP' && saved?.action.kind === 'none';
    return isOurBackup
      ? saved
      : deleting(NOTHING, 'Busy', `The delete waits: ${stateOf(instance).sentence}`, PACE.transition);
  }
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

function afterStep(o: Observed): Verdict {
  const { acted } = o;
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
  const what = acted?.kind === 'finalBackup' ? ('FinalBackup' as const) : ('Deleting' as const);
  const message =
    what === 'FinalBackup' ? 'The backup before the delete is being made.' : 'The instance is being deleted.';
  return { ...deleting(NOTHING, what, message, PACE.transition), ...savedBackup(o) };
}
