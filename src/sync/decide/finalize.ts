// Delete without loss (design section 6): a state machine, one step per call, each step idempotent and found
// again by name. Nothing is destroyed before the journal is closed and, for Snapshot, the backup complete.

import { type Journal, withoutAbsence } from '../../rds/journal.ts';
import { nameKind, UID_TAG } from '../../rds/names.ts';
import { heldByAlarms } from './autopilot/unwatch.ts';
import { cloudFailed, contradictsFreshNews, journalUnavailable } from './cannot-act.ts';
import { cloudTime } from './cloud-time.ts';
import { deleting } from './deleting.ts';
import { effectivePolicy } from './deletion-policy.ts';
import { withDrill } from './drill/drill.ts';
import { tokensHoldDelete } from './logs.ts';
import type { Observed } from './observed.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';
import { afterStep, done, isForeign, proveAbsence, released, remove, wasDeleted } from './removal.ts';
import { decideSync } from './sync.ts';
import { failureReason, failureText, progressing } from './words.ts';

type FreshView = Extract<Observed['cloud'], { kind: 'fresh' }>;

export function decideFinalize(o: Observed): Verdict {
  // A label edit also calls finalize: without a deletionTimestamp the Rds lives.
  const isDeleted = o.rds.metadata.deletionTimestamp !== undefined;
  const verdict = isDeleted ? heldByAlarms(o, withDrill(o, decideStep)) : decideSync(o);
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
  const unable = journalUnavailable(o);
  if (unable) return unable;
  if (o.acted) return afterStep(o);
  if (o.journal === 'unread') return deleting({ kind: 'lookCloser' }, 'Deleting', 'Looking.');
  const journal = o.journal === 'none' ? undefined : (o.journal as Journal);
  if (!journal?.closed) return close(o, journal);
  if (journal.letGo && !isRetryable(o)) return alreadyLetGo(o, journal);
  return o.cloud.kind === 'fresh' ? step(o, journal, o.cloud) : withoutCloud(o, journal);
}

function isRetryable(o: Observed): boolean {
  return o.cloud.kind === 'failed' && o.cloud.failure.class === 'retryable';
}

/** From the moment that a call reads `closed`, no replica starts anything for this UID (protocol C6). */
function close(o: Observed, journal: Journal | undefined): Verdict {
  const message = 'The delete is being prepared.';
  const at = cloudTime(o);
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
  const unknownPast = oldId !== undefined || journal.isBlind === true;
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

/** The cloud cannot be asked: only what needs no answer from it may end here. */
function withoutCloud(o: Observed, journal: Journal): Verdict {
  if (nothingEverClaimed(journal)) return done('Nothing was ever created for this Rds.');
  if (o.cloud.kind !== 'failed') return deleting({ kind: 'lookCloser' }, 'Deleting', 'Looking.');
  const { failure } = o.cloud;
  const isGoing = wasDeleted(journal) && o.nowMs < (journal.last?.at ?? 0) + o.timing.settleMs;
  const keeps = effectivePolicy(o) === 'Retain' && journal.op === undefined && !isGoing;
  if (keeps && failure.class !== 'retryable') {
    return released(
      { kind: 'letGo', instanceId: journal.id ?? '', keeps: true, untag: false },
      'The instance is kept.',
    );
  }
  const told = cloudFailed(o, failure);
  const isEarly = contradictsFreshNews(o, 'Progressing');
  return {
    ...told,
    action: isEarly
      ? { kind: 'stale', because: failureText(failure), afterSeconds: PACE.waiting }
      : told.action,
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
