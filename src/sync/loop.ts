// The loop: observe -> decide -> act, once per hook call. A cheap look first; whatever would need a write is
// decided again on the journal and a fresh view of the cloud.

import { KubeUnreachable } from '../kube/api.ts';
import { JournalUnavailable } from '../kube/journal.ts';
import type { Still } from '../otc/cloud.ts';
import { NEVER } from '../otc/noted-reads.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import type { Journal } from '../rds/journal.ts';
import type { RdsStatus } from '../rds/status.ts';
import { findStatusProblems, statusProblems } from '../rds/validate.ts';
import { act } from './act/act.ts';
import { revokeIssued } from './act/job-credential.ts';
import { serveLogs } from './act/serve-logs.ts';
import { buildAnswer, type HookAnswer, hidesJournal } from './answer.ts';
import { type CallBudget, createBudget } from './budget.ts';
import { losesBooleanOrder, orderedByBoolean } from './decide/boolean-orders.ts';
import { decideFinalize, heldByTokens } from './decide/finalize.ts';
import { decideLogs, logsNeedLook } from './decide/logs.ts';
import type { Observed } from './decide/observed.ts';
import { PACE, type Verdict } from './decide/plan.ts';
import { decideSync } from './decide/sync.ts';
import type { SyncDeps } from './deps.ts';
import { eventsFor } from './events.ts';
import { evidenceOf } from './evidence.ts';
import { createFlights } from './flights.ts';
import { endedJobs, withEndedJobs } from './job-reports.ts';
import { isLive, startsJob } from './job-start.ts';
import { createLooks, type Looks } from './looks.ts';
import { type FullView, fromRequest, glance, observeFully } from './observe.ts';
import type { View } from './request.ts';
import { type Stands, standing } from './stands.ts';
import { createTransitionReads } from './transition-reads.ts';

export type Outcome =
  /** `unheard`: what to undo when nobody gets it. `stands`: for who wants to give it again. */
  | { kind: 'answer'; answer: HookAnswer; unheard?: () => Promise<void>; stands?: FindStands | undefined }
  /** 429: our view is stale, nothing is to be written. */
  | { kind: 'retry'; because: string; afterSeconds: number }
  /** 503: nothing is known, and a 200 would erase what others know. */
  | { kind: 'unavailable'; because: string };

type FindStands = () => Stands | undefined;
export type HookName = 'sync' | 'finalize';
export type RunHook = (hook: HookName, view: View) => Promise<Outcome>;

const STALE_RETRY_SECONDS = 2;
const LOOK_EVERY_HOURS = 6;
const HOUR_MS = 3_600_000;

export function createLoop(deps: SyncDeps, looks: Looks = journalLooks(deps)): RunHook {
  const flights = createFlights();
  const reads = createTransitionReads(deps.clock);

  async function cheaply(
    hook: HookName,
    view: View,
    budget: CallBudget,
    noted: Still[],
  ): Promise<Outcome | undefined> {
    if (hook === 'finalize' && view.rds.metadata.deletionTimestamp !== undefined) return undefined;
    if (orderedByBoolean(view.rds).length > 0) return undefined;
    const cloud = await glance(deps, reads, view, budget, noted);
    if (!cloud) return undefined;
    const observed: Observed = { ...fromRequest(deps, view), journal: 'unread', cloud };
    if (cloud.kind === 'glance' && logsNeedLook(observed)) return undefined;
    const verdict = decideSync(observed);
    if (verdict.action.kind === 'lookCloser') return undefined;
    const isInTransition = verdict.resyncAfterSeconds < PACE.waiting;
    return !isInTransition && (await isHidden(observed)) ? undefined : finish(view, observed, verdict, noted);
  }

  /** Now and then the journal is asked whether it knows more than a status that somebody wrote who saw the past. */
  async function isHidden(observed: Observed): Promise<boolean> {
    const { uid } = observed.rds.metadata;
    if (!looks.isDue(uid)) return false;
    const held = await unlessUnreachable(() => deps.journal.read(uid));
    if (held === 'unreachable') return false;
    looks.note(uid);
    return held !== undefined && hidesJournal(observed, held.journal);
  }

  async function fully(hook: HookName, view: View, budget: CallBudget): Promise<Outcome> {
    const decide = hook === 'finalize' ? decideFinalize : decideSync;
    const full = await observeFully(deps, reads, view, budget);
    const verdict = decide(full.observed);
    const { action } = verdict;
    if (action.kind === 'stale') return stale(action.because, action.afterSeconds);
    if (action.kind === 'unavailable') return { kind: 'unavailable', because: action.because };
    const result = await act(deps, full, action, budget);
    if (result.kind === 'stale') return stale(result.because);
    if (result.kind === 'asDecided') return withLogs(view, full, settled(full, verdict), verdict, budget);
    if (result.journal.id !== undefined) reads.forget(result.journal.id);
    const observed: Observed = { ...full.observed, journal: result.journal, acted: result.acted };
    return withLogs(view, full, observed, decide(observed), budget);
  }

  /** Last of all, since a credential that is issued must go out with this very answer. */
  async function withLogs(
    view: View,
    { cloud }: FullView,
    observed: Observed,
    verdict: Verdict,
    budget: CallBudget,
  ): Promise<Outcome> {
    const journal = journalOf(observed);
    if (verdict.action.kind === 'stale' || !cloud || !journal || !decideLogs(observed, journal))
      return finish(view, observed, verdict);
    const served = await unlessUnreachable(async () => {
      const held = await deps.journal.read(view.rds.metadata.uid);
      const now: Observed = { ...observed, journal: held?.journal ?? 'none' };
      return serveLogs({ deps, cloud, budget }, now, held);
    });
    if (served === 'unreachable') return finish(view, observed, verdict);
    if (!served) return stale('another call was faster');
    const issued = served.logs?.issued;
    if (!issued) return finish(view, served, verdict);
    const unheard = () => revokeIssued({ deps, cloud }, issued);
    try {
      const outcome = finish(view, served, verdict);
      if (outcome.kind === 'answer') return { ...outcome, unheard };
      await unheard();
      return outcome;
    } catch (bug) {
      await unheard();
      throw bug;
    }
  }

  function finish(view: View, observed: Observed, verdict: Verdict, noted: readonly Still[] = []): Outcome {
    if (verdict.action.kind === 'stale') return stale(verdict.action.because, verdict.action.afterSeconds);
    if (losesBooleanOrder(observed)) return stale('an order by status is not in the journal yet');
    const answer = buildAnswer(observed, heldByTokens(observed, verdict));
    const problems = isAsStored(view, answer.status) ? [] : findStatusProblems(answer.status);
    if (problems.length > 0) {
      // A field that the CRD does not know vanishes silently: better no answer than a lost one.
      throw new Error(
        `status would be pruned or refused: ${problems.map(({ field, message }) => `${field} ${message}`).join(', ')}`,
      );
    }
    const events = eventsFor(observed, answer.status);
    deps.publish(events);
    const evidence = verdict.finalized ? evidenceOf(observed, answer.status) : undefined;
    if (evidence) deps.keepEvidence(evidence);
    deps.synced?.(view, observed, answer);
    return {
      kind: 'answer',
      answer: { ...answer, status: { ...view.newerStatus, ...answer.status } },
      stands: events.length === 0 ? () => standing(observed, answer, noted) : undefined,
    };
  }

  /** One pass; a Job is started only on a view that is still true. */
  async function pass(hook: HookName, request: View, budget: CallBudget): Promise<Outcome> {
    const ended = endedJobs(request);
    const hasEnded = ended.sql !== undefined || ended.drill !== undefined;
    const view = hasEnded ? await withEndedJobs(deps, request, ended) : request;
    // The API server may say more about an ended Job the next time.
    const noted: Still[] = hasEnded ? [NEVER] : [];
    const outcome = (await cheaply(hook, view, budget, noted)) ?? (await fully(hook, view, budget));
    if (outcome.kind !== 'answer' || !startsJob(view, outcome.answer)) return outcome;
    if (await isLive(deps, view)) return { ...outcome, stands: undefined };
    await outcome.unheard?.();
    return stale('a Job would be started on an old view');
  }

  return (hook, view) => {
    // The caller's clock runs while we wait for another flight.
    const budget = createBudget(deps.clock);
    return flights(view.rds.metadata.uid, async () => {
      if (budget.remainingMs() <= 0) return stale('another call for this Rds took all the time');
      try {
        return await pass(hook, view, budget);
      } catch (error) {
        if (!(error instanceof JournalUnavailable) && !(error instanceof KubeUnreachable)) throw error;
        return withoutJournal(deps, hook, view, error.message, finish);
      }
    });
  };
}

const journalLooks = ({ clock, timing }: SyncDeps): Looks =>
  createLooks(clock, LOOK_EVERY_HOURS * (timing.hourMs ?? HOUR_MS));

/** What the API server has taken already it would take again. */
function isAsStored({ rds: { status } }: View, told: RdsStatus): boolean {
  if (!status || statusProblems(status).length > 0) return false;
  return deepEqual({ ...told, observedGeneration: status.observedGeneration }, status);
}

function journalOf({ journal }: Observed): Journal | undefined {
  if (journal === 'none') return {};
  return typeof journal === 'object' && !('unavailable' in journal) ? journal : undefined;
}

/** What can wait for the next call must not spoil the answer of this one. */
async function unlessUnreachable<T>(work: () => Promise<T>): Promise<T | 'unreachable'> {
  try {
    return await work();
  } catch (error) {
    if (error instanceof JournalUnavailable || error instanceof KubeUnreachable) return 'unreachable';
    throw error;
  }
}

function stale(because: string, afterSeconds: number = STALE_RETRY_SECONDS): Outcome {
  return { kind: 'retry', because, afterSeconds };
}

/** A swap that went through is part of what this call knows. */
function settled(full: FullView, verdict: Verdict): Observed {
  const { action } = verdict;
  const journal: Journal | undefined = 'journal' in action ? action.journal : undefined;
  return journal ? { ...full.observed, journal } : full.observed;
}

/** The API server went away in the middle of the call. */
function withoutJournal(
  deps: SyncDeps,
  hook: HookName,
  view: View,
  because: string,
  finish: (view: View, observed: Observed, verdict: Verdict) => Outcome,
): Outcome {
  const observed: Observed = {
    ...fromRequest(deps, view),
    journal: { unavailable: because },
    cloud: { kind: 'unasked' },
  };
  const verdict = hook === 'finalize' ? decideFinalize(observed) : decideSync(observed);
  return verdict.action.kind === 'unavailable'
    ? { kind: 'unavailable', because }
    : finish(view, observed, verdict);
}
