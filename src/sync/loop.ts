// The loop: observe -> decide -> act, once per hook call. A cheap look first; whatever would need a write is
// decided again on the journal and a fresh view of the cloud.

import { KubeUnreachable } from '../kube/api.ts';
import { JournalUnavailable } from '../kube/journal.ts';
import type { Journal } from '../rds/journal.ts';
import { statusProblems } from '../rds/validate.ts';
import { act } from './act/act.ts';
import { buildAnswer, type HookAnswer } from './answer.ts';
import { type CallBudget, createBudget } from './budget.ts';
import { decideFinalize } from './decide/finalize.ts';
import type { Observed } from './decide/observed.ts';
import type { Verdict } from './decide/plan.ts';
import { decideSync } from './decide/sync.ts';
import type { SyncDeps } from './deps.ts';
import { eventsFor } from './events.ts';
import { createFlights } from './flights.ts';
import { type FullView, fromRequest, glance, observeFully } from './observe.ts';
import type { View } from './request.ts';
import { createTransitionReads } from './transition-reads.ts';

export type Outcome =
  | { kind: 'answer'; answer: HookAnswer }
  /** 429: our view is stale, nothing is to be written. */
  | { kind: 'retry'; because: string; afterSeconds: number }
  /** 503: nothing is known, and a 200 would erase what others know. */
  | { kind: 'unavailable'; because: string };

export type HookName = 'sync' | 'finalize';
export type RunHook = (hook: HookName, view: View) => Promise<Outcome>;

const STALE_RETRY_SECONDS = 2;

export function createLoop(deps: SyncDeps): RunHook {
  const flights = createFlights();
  const reads = createTransitionReads(deps.clock);

  async function cheaply(hook: HookName, view: View, budget: CallBudget): Promise<Outcome | undefined> {
    if (hook === 'finalize' && view.rds.metadata.deletionTimestamp !== undefined) return undefined;
    if (view.rds.status?.reboot === true) return undefined;
    const cloud = await glance(deps, reads, view, budget);
    if (!cloud) return undefined;
    const observed: Observed = { ...fromRequest(deps, view), journal: 'unread', cloud };
    const verdict = decideSync(observed);
    return verdict.action.kind === 'lookCloser' ? undefined : finish(view, observed, verdict);
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
    if (result.kind === 'asDecided') return finish(view, settled(full, verdict), verdict);
    if (result.journal.id !== undefined) reads.forget(result.journal.id);
    const observed: Observed = { ...full.observed, journal: result.journal, acted: result.acted };
    return finish(view, observed, decide(observed));
  }

  function finish(view: View, observed: Observed, verdict: Verdict): Outcome {
    if (verdict.action.kind === 'stale') return stale(verdict.action.because, verdict.action.afterSeconds);
    if (losesOrder(observed)) return stale('an order by status.reboot is not in the journal yet');
    const answer = buildAnswer(observed, verdict);
    const problems = statusProblems(answer.status);
    if (problems.length > 0) {
      // A field that the CRD does not know vanishes silently: better no answer than a lost one.
      throw new Error(
        `status would be pruned or refused: ${problems.map(({ field, message }) => `${field} ${message}`).join(', ')}`,
      );
    }
    deps.publish(eventsFor(observed, answer.status));
    return { kind: 'answer', answer: { ...answer, status: { ...view.newerStatus, ...answer.status } } };
  }

  return (hook, view) => {
    // The caller's clock runs while we wait for another flight.
    const budget = createBudget(deps.clock);
    return flights(view.rds.metadata.uid, async () => {
      if (budget.remainingMs() <= 0) return stale('another call for this Rds took all the time');
      try {
        return (await cheaply(hook, view, budget)) ?? (await fully(hook, view, budget));
      } catch (error) {
        if (!(error instanceof JournalUnavailable) && !(error instanceof KubeUnreachable)) throw error;
        return withoutJournal(deps, hook, view, error.message, finish);
      }
    });
  };
}

/** An answer says `reboot: false`; before the journal has the order that would lose it. */
function losesOrder({ rds, journal }: Observed): boolean {
  if (rds.status?.reboot !== true || rds.metadata.deletionTimestamp !== undefined) return false;
  return typeof journal !== 'object' || 'unavailable' in journal || journal.reboot === undefined;
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
