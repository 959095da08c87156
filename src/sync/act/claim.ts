// A write that must not be repeated. The order is the protocol (C2): journal and cloud were read before ->
// live read of the Rds -> swap the claim in -> check the time -> act -> record.

import { CloudError, RetryableError } from '../../errors.ts';
import type { HeldJournal } from '../../kube/journal.ts';
import type { NewInstance } from '../../otc/cloud.ts';
import { accepted, claim, type Journal, type Op, type OpKind, refused } from '../../rds/journal.ts';
import { type CallBudget, LIMITS } from '../budget.ts';
import { carriedOut } from '../decide/carried-out.ts';
import { UPGRADE_MARK } from '../decide/changes/power.ts';
import { createInputs } from '../decide/creation.ts';
import type { Failure, Observed } from '../decide/observed.ts';
import { passwordVersion } from '../decide/password.ts';
import type { Action, Claimed } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { FullView } from '../observe.ts';
import { checkQuota, prepareCreate } from './prepare-create.ts';
import { type ActResult, acted, LOST } from './result.ts';
import { staleAgainstLive } from './stale.ts';
import { type Facts, sendWrite } from './write.ts';

type Claim = Extract<Action, { kind: 'claim' }>;

export async function claimAndWrite(
  deps: SyncDeps,
  full: FullView,
  action: Claim,
  budget: CallBudget,
): Promise<ActResult> {
  const { observed, held, cloud } = full;
  if (!held || !cloud) return LOST;
  const { kind } = action.op;
  let order: NewInstance | undefined;
  try {
    if (action.write.do === 'create') order = await prepareCreate(deps, cloud, observed);
    if (action.write.do === 'replica') await checkQuota(cloud);
  } catch (error) {
    return prepareRefused(deps, held, toFailure(error));
  }
  const because = await staleAgainstLive(deps, observed, action.write);
  if (because !== undefined) return { kind: 'stale', because };
  const source = kind === 'create' ? { password: passwordVersion(observed) } : {};
  const claimed = await deps.journal.swap(held, {
    ...claim(held.journal, action.op),
    ...source,
    ...action.also,
  });
  if (!claimed) return LOST;
  // The swap may have taken long: what would start too late could outlast the settle time.
  const limit = kind === 'create' ? LIMITS.startCreateMs : LIMITS.startCallsMs;
  if (budget.elapsedMs() > limit) {
    const failure = toFailure(
      new RetryableError('no time was left in this call', { code: 'BUDGET', outcome: 'refused' }),
    );
    return recordRefusal(deps, observed, claimed, kind, failure);
  }
  deps.log.info({ op: claimed.journal.op }, `${kind} sent to the cloud`);
  try {
    const facts = await sendWrite(cloud, action.write, order, observed);
    return await recordSuccess(deps, observed, claimed, action.write, facts);
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ op: claimed.journal.op, code: failure.code, outcome: error.outcome }, `${kind} failed`);
    if (error.outcome === 'unknown') return acted(claimed.journal, kind, 'unknown', failure);
    return recordRefusal(deps, observed, claimed, kind, failure);
  }
}

/** A create of which nothing came, as three looks have shown, is over: left open it would be proven and told anew. */
async function prepareRefused(deps: SyncDeps, held: HeldJournal, failure: Failure): Promise<ActResult> {
  const isOver = held.journal.op?.kind === 'create' && failure.class !== 'retryable';
  const freed = isOver ? await deps.journal.swap(held, refused(held.journal)) : held;
  return freed ? acted(freed.journal, 'prepare', 'refused', failure) : LOST;
}

/** Status may only tell an id that the journal has: a lost record leaves the claim open, to be settled by looking. */
async function recordSuccess(
  deps: SyncDeps,
  o: Observed,
  claimed: HeldJournal,
  wanted: Claimed,
  facts: Facts,
): Promise<ActResult> {
  const { op } = claimed.journal;
  if (!op) return LOST;
  const done = accepted(claimed.journal, wanted.do === 'create' ? facts : { jobId: facts.jobId });
  const next = withReplica(carriedOut(o, done, op), op, facts);
  const recorded = await deps.journal.swap(claimed, next).catch(() => undefined);
  return recorded ? acted(recorded.journal, op.kind, 'done') : acted(claimed.journal, op.kind, 'unknown');
}

function withReplica(journal: Journal, op: Op, { id }: Facts): Journal {
  if (op.kind !== 'replica' || id === undefined) return journal;
  return { ...journal, replicas: { ...journal.replicas, [op.key]: { id, at: op.at } } };
}

async function recordRefusal(
  deps: SyncDeps,
  o: Observed,
  claimed: HeldJournal,
  kind: OpKind,
  failure: Failure,
): Promise<ActResult> {
  const freed = refused(claimed.journal);
  const rejected =
    kind === 'create' && failure.class !== 'retryable' && claimed.journal.op
      ? { rejected: { inputs: createInputs(o), at: claimed.journal.op.at } }
      : {};
  const recorded = await deps.journal
    .swap(claimed, { ...freed, ...rejected, ...noUpgrade(claimed, failure) })
    .catch(() => undefined);
  return recorded
    ? acted(recorded.journal, kind, 'refused', failure)
    : acted(claimed.journal, kind, 'unknown', failure);
}

/** The cloud tells only by a refusal that there is no newer version: that answers the wish, too. */
function noUpgrade({ journal }: HeldJournal, failure: Failure): Partial<Journal> {
  const { op } = journal;
  if (op?.kind !== 'minorUpgrade' || failure.class === 'retryable') return {};
  return { handled: { ...journal.handled, [UPGRADE_MARK]: op.key.split('/')[0] ?? '' } };
}
