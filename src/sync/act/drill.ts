// The writes of a drill. Create and delete of its throwaway must not be repeated, so they go the way of all such writes
// (C2): journal and cloud were read before -> live read -> swap the claim in -> check the time -> act -> record.

import { CloudError } from '../../errors.ts';
import type { HeldJournal } from '../../kube/journal.ts';
import type { DrillOp, DrillRun } from '../../rds/drill.ts';
import { acceptRun, claimRun, refuseRun } from '../../rds/drill-run.ts';
import type { Journal } from '../../rds/journal.ts';
import { DRILL_TAG, drillName, UID_TAG } from '../../rds/names.ts';
import { type CallBudget, LIMITS } from '../budget.ts';
import type { Failure } from '../decide/observed.ts';
import { failureText } from '../decide/words.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import type { FullView } from '../observe.ts';
import { drillOrder } from './drill-order.ts';
import { type ActResult, acted, LOST } from './result.ts';
import { staleAgainstLive } from './stale.ts';

/** After a refusal that may pass. */
const TRY_AGAIN_MS = 60_000;

type Facts = { id?: string; jobId?: string | undefined };

export async function createDrill(deps: SyncDeps, full: FullView, budget: CallBudget): Promise<ActResult> {
  const { observed, held, cloud } = full;
  const run = held?.journal.drill?.run;
  if (!held || !cloud || !run) return LOST;
  try {
    const { order, source } = await drillOrder(deps, cloud, observed, run);
    const send = () => cloud.createInstance(order);
    return await claimed(deps, full, held, { ...run, source }, 'drill', budget, send);
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return troubled(deps, full, held, run, 'drill', toFailure(error));
  }
}

export async function removeDrill(
  deps: SyncDeps,
  full: FullView,
  instanceId: string,
  budget: CallBudget,
): Promise<ActResult> {
  const { held, cloud } = full;
  const run = held?.journal.drill?.run;
  if (!held || !cloud || run?.id !== instanceId) return LOST;
  const send = async (): Promise<Facts> => ({ jobId: (await cloud.deleteInstance(instanceId)).jobId });
  return claimed(deps, full, held, run, 'removeDrill', budget, send);
}

async function claimed(
  deps: SyncDeps,
  full: FullView,
  held: HeldJournal,
  run: DrillRun,
  kind: DrillOp['kind'],
  budget: CallBudget,
  send: () => Promise<Facts>,
): Promise<ActResult> {
  const { observed } = full;
  const because = await staleAgainstLive(deps, observed, { do: 'drill' });
  if (because !== undefined) return { kind: 'stale', because };
  const op: DrillOp = { kind, key: drillName(observed.rds.metadata.uid, run.slot), at: cloudTime(full) };
  const open = await deps.journal.swap(held, withRun(held.journal, claimRun(run, op)));
  const sent = open?.journal.drill?.run;
  if (!open || !sent) return LOST;
  // The swap may have taken long: what would start too late could outlast the settle time.
  if (budget.elapsedMs() > (kind === 'drill' ? LIMITS.startCreateMs : LIMITS.startCallsMs))
    return recorded(deps, open, refuseRun(sent), kind, 'refused');
  deps.log.info({ op }, `${kind} sent to the cloud`);
  try {
    return await recorded(deps, open, acceptRun(sent, await send()), kind, 'done');
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ op, code: failure.code, outcome: error.outcome }, `${kind} failed`);
    if (error.outcome === 'unknown') return acted(open.journal, kind, 'unknown', failure);
    return troubled(deps, full, open, refuseRun(sent), kind, failure);
  }
}

const withRun = (journal: Journal, run: DrillRun): Journal =>
  journal.drill ? { ...journal, drill: { ...journal.drill, run } } : journal;

const cloudTime = ({ observed }: FullView): number =>
  observed.cloud.kind === 'fresh' ? observed.cloud.at : 0;

async function recorded(
  deps: SyncDeps,
  held: HeldJournal,
  run: DrillRun,
  kind: DrillOp['kind'],
  result: 'done' | 'refused',
): Promise<ActResult> {
  const next = await deps.journal.swap(held, withRun(held.journal, run)).catch(() => undefined);
  return next ? acted(next.journal, kind, result) : acted(held.journal, kind, 'unknown');
}

/** What the cloud will refuse again is the result of the drill; a delete is tried until it works. */
async function troubled(
  deps: SyncDeps,
  full: FullView,
  held: HeldJournal,
  run: DrillRun,
  kind: DrillOp['kind'],
  failure: Failure,
): Promise<ActResult> {
  const at = cloudTime(full);
  // A request id would be another one each time.
  const text = failureText({ ...failure, requestId: undefined });
  const isFinal = kind === 'drill' && failure.class !== 'retryable';
  const next: DrillRun = isFinal
    ? { ...run, result: { kind: 'Failed', at, message: `Nothing could be restored: ${text}.` } }
    : { ...run, trouble: { text: `${text}.`, until: at + TRY_AGAIN_MS } };
  return recorded(deps, held, next, kind, 'refused');
}

/** Safe to repeat. From here on nobody can adopt it, and everybody can see what it is. */
export async function tagDrill(
  deps: SyncDeps,
  { observed, held, cloud }: FullView,
  instanceId: string,
): Promise<ActResult> {
  const run = held?.journal.drill?.run;
  if (!held || !cloud || !run) return LOST;
  const { uid } = observed.rds.metadata;
  try {
    if (await deps.ownerLeases.take(instanceId, uid))
      await cloud.tagInstance(instanceId, { [UID_TAG]: uid, [DRILL_TAG]: drillName(uid, run.slot) });
    return acted(held.journal, 'drill', 'done');
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    return acted(held.journal, 'drill', 'refused', toFailure(error));
  }
}

/** The mark in the cluster first: a repeated call finds the rest of the work undone. */
export async function endDrill(
  deps: SyncDeps,
  { observed, held }: FullView,
  next: Journal,
): Promise<ActResult> {
  const id = held?.journal.drill?.run?.id;
  if (id !== undefined) await deps.ownerLeases.drop(id, observed.rds.metadata.uid);
  return held && (await deps.journal.swap(held, next)) ? { kind: 'asDecided' } : LOST;
}
