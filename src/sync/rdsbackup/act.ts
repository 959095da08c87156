// The one write of a call. The order is the protocol (C2): journal and cloud were read before -> live read of
// the RdsBackup -> swap the claim in -> check the time -> act -> record.

import { CloudError, RetryableError, UserError } from '../../errors.ts';
import { KubeUnreachable } from '../../kube/api.ts';
import { type HeldJournal, JournalUnavailable } from '../../kube/journal.ts';
import type { Cloud } from '../../otc/cloud.ts';
import { accepted, claim, type Journal, refused } from '../../rds/journal.ts';
import { uidDigits, uidDigitsIn } from '../../rds/names.ts';
import { type CallBudget, LIMITS } from '../budget.ts';
import type { Failure } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import { OWNED } from './decide/finalize.ts';
import { withoutClaim } from './decide/making.ts';
import type { BackupActed, ObservedBackup } from './decide/observed.ts';
import type { BackupAction, BackupWrite } from './decide/plan.ts';
import type { FullBackupView } from './observe.ts';

export type BackupActResult =
  /** The decision's own words stand. */
  | { kind: 'asDecided' }
  | { kind: 'acted'; acted: BackupActed; journal: Journal }
  | { kind: 'stale'; because: string };

const LOST: BackupActResult = { kind: 'stale', because: 'another call was faster' };
const AS_DECIDED: BackupActResult = { kind: 'asDecided' };

export async function actOnBackup(
  deps: SyncDeps,
  full: FullBackupView,
  action: BackupAction,
  budget: CallBudget,
): Promise<BackupActResult> {
  const { observed, held } = full;
  const { uid, namespace, name } = observed.backup.metadata;
  switch (action.kind) {
    case 'openJournal':
      return (await deps.journal.create(uid, action.journal, { namespace, name })) ? AS_DECIDED : LOST;
    case 'swapJournal':
      return held && (await deps.journal.swap(held, action.journal)) ? AS_DECIDED : LOST;
    case 'adopt': {
      const because = await staleAgainstLive(deps, observed);
      if (because !== undefined) return { kind: 'stale', because };
      return held && (await deps.journal.swap(held, action.journal)) ? AS_DECIDED : LOST;
    }
    case 'claim':
      return claimAndWrite(deps, full, action, budget);
    default:
      return AS_DECIDED;
  }
}

/** Everything that decides about a write is in the spec or the deletion, so the generation is enough. */
async function staleAgainstLive(deps: SyncDeps, { backup }: ObservedBackup): Promise<string | undefined> {
  const now = await deps.readLiveBackup(backup).catch((error: unknown) => {
    if (error instanceof KubeUnreachable) throw new JournalUnavailable(error.message, error);
    throw error;
  });
  const { metadata } = backup;
  if (!now || now.metadata.uid !== metadata.uid) return 'the RdsBackup is gone';
  if (now.metadata.deletionTimestamp !== metadata.deletionTimestamp)
    return 'the RdsBackup was deleted meanwhile';
  if ((now.metadata.generation ?? 1) !== metadata.generation) return 'the spec was changed meanwhile';
  return undefined;
}

async function claimAndWrite(
  deps: SyncDeps,
  { observed, held, cloud }: FullBackupView,
  { op, write }: Extract<BackupAction, { kind: 'claim' }>,
  budget: CallBudget,
): Promise<BackupActResult> {
  if (!held || !cloud) return LOST;
  const hindrance = await hindranceTo(deps, observed, write);
  if (hindrance) return acted(held.journal, write, 'refused', hindrance);
  const because = await staleAgainstLive(deps, observed);
  if (because !== undefined) return { kind: 'stale', because };
  const next = { ...claim(held.journal, op), instanceId: write.instanceId };
  const claimed = await deps.journal.swap(held, next);
  if (!claimed) return LOST;
  // The swap may have taken long: what would start too late could outlast the settle time.
  if (budget.elapsedMs() > LIMITS.startCreateMs) {
    const late = new RetryableError('no time was left in this call', { code: 'BUDGET', outcome: 'refused' });
    return recordRefusal(deps, claimed, write, toFailure(late));
  }
  deps.log.info({ op: claimed.journal.op }, `${write.do} of a backup sent to the cloud`);
  try {
    const id = await send(cloud, write);
    const recorded = await deps.journal
      .swap(claimed, accepted(claimed.journal, { id }))
      .catch(() => undefined);
    // A lost record leaves the claim open, to be settled by looking.
    return recorded ? acted(recorded.journal, write, 'done') : acted(claimed.journal, write, 'unknown');
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ op: claimed.journal.op, code: failure.code, outcome: error.outcome }, 'it failed');
    return error.outcome === 'unknown'
      ? acted(claimed.journal, write, 'unknown', failure)
      : recordRefusal(deps, claimed, write, failure);
  }
}

async function send(cloud: Cloud, write: BackupWrite): Promise<string> {
  if (write.do === 'create') {
    const { instanceId, name, description } = write;
    return (await cloud.createBackup({ instanceId, name, description })).id;
  }
  await cloud.deleteBackup(write.id);
  return write.id;
}

async function recordRefusal(
  deps: SyncDeps,
  claimed: HeldJournal,
  write: BackupWrite,
  failure: Failure,
): Promise<BackupActResult> {
  const freed = write.do === 'create' ? withoutClaim(claimed.journal) : refused(claimed.journal);
  const recorded = await deps.journal.swap(claimed, freed).catch(() => undefined);
  return recorded
    ? acted(recorded.journal, write, 'refused', failure)
    : acted(claimed.journal, write, 'unknown', failure);
}

function acted(
  journal: Journal,
  write: BackupWrite,
  result: BackupActed['result'],
  failure?: Failure,
): BackupActResult {
  return { kind: 'acted', journal, acted: { kind: write.do, result, ...(failure ? { failure } : {}) } };
}

/** What is known to stand against the write before anything is claimed. */
async function hindranceTo(
  deps: SyncDeps,
  { backup }: ObservedBackup,
  write: BackupWrite,
): Promise<Failure | undefined> {
  if (write.do === 'create') return memoryTooShort(deps, backup.metadata.creationTimestamp);
  const maker = uidDigitsIn(write.name);
  const isOther = maker !== undefined && maker !== uidDigits(backup.metadata.uid);
  if (!isOther || !(await deps.journal.isLiving(maker))) return undefined;
  const message = `Backup ${write.id} (${write.name}) was made by another RdsBackup that still exists, and is not touched.`;
  return toFailure(new UserError(message, { code: OWNED, outcome: 'refused', field: 'spec.backupId' }));
}

/** In memory mode a fresh process treats every older object as claimed at its own start (protocol C14). */
function memoryTooShort({ memorySince, timing, clock }: SyncDeps, createdAt: string): Failure | undefined {
  if (memorySince === undefined || Date.parse(createdAt) >= memorySince) return undefined;
  const leftMs = memorySince + timing.settleMs - clock.now();
  if (leftMs <= 0) return undefined;
  const message = 'this process started after the RdsBackup was made and has no journal of the time before';
  return toFailure(
    new RetryableError(message, {
      code: 'MEMORY_JOURNAL',
      outcome: 'refused',
      retryAfterSeconds: Math.ceil(leftMs / 1000),
    }),
  );
}
