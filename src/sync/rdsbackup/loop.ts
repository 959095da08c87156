// The loop of an RdsBackup: observe -> decide -> act, once per hook call. A backup that has ended does not change
// by itself, so it is looked at only a few times a day.

import { KubeUnreachable } from '../../kube/api.ts';
import { JournalUnavailable } from '../../kube/journal.ts';
import { backupStatusProblems } from '../../rds/backup-validate.ts';
import { spread } from '../answer.ts';
import { type CallBudget, createBudget } from '../budget.ts';
import { PACE } from '../decide/plan.ts';
import type { SyncDeps } from '../deps.ts';
import { createFlights } from '../flights.ts';
import { createLooks } from '../looks.ts';
import type { HookName } from '../loop.ts';
import { actOnBackup } from './act.ts';
import { type BackupAnswer, backupEvents, buildBackupAnswer } from './answer.ts';
import { decideBackupFinalize } from './decide/finalize.ts';
import type { ObservedBackup } from './decide/observed.ts';
import type { BackupVerdict } from './decide/plan.ts';
import { decideBackup } from './decide/sync.ts';
import { fromBackupRequest, observeBackup } from './observe.ts';
import type { BackupRequest } from './request.ts';

export type BackupOutcome =
  | { kind: 'answer'; answer: BackupAnswer }
  | { kind: 'retry'; because: string; afterSeconds: number }
  | { kind: 'unavailable'; because: string };

export type RunBackupHook = (hook: HookName, request: BackupRequest) => Promise<BackupOutcome>;

const STALE_RETRY_SECONDS = 2;
const LOOK_EVERY_MS = 6 * 3_600_000;

const stale = (because: string, afterSeconds: number = STALE_RETRY_SECONDS): BackupOutcome => ({
  kind: 'retry',
  because,
  afterSeconds,
});

export function createBackupLoop(deps: SyncDeps): RunBackupHook {
  const flights = createFlights();
  const looks = createLooks(deps.clock, LOOK_EVERY_MS);
  const decideFor = (hook: HookName) => (hook === 'finalize' ? decideBackupFinalize : decideBackup);

  function finish(request: BackupRequest, observed: ObservedBackup, verdict: BackupVerdict): BackupOutcome {
    const { action } = verdict;
    if (action.kind === 'stale') return stale(action.because, action.afterSeconds);
    if (action.kind === 'unavailable') return { kind: 'unavailable', because: action.because };
    const answer = buildBackupAnswer(observed, verdict);
    const [problem] = backupStatusProblems(answer.status);
    // A field that the CRD does not know vanishes silently: better no answer than a lost one.
    if (problem) throw new Error(`status would be pruned or refused: ${problem.field} ${problem.message}`);
    if (hasEnded(request)) looks.note(request.backup.metadata.uid);
    deps.publish(backupEvents(observed, answer.status));
    return { kind: 'answer', answer: { ...answer, status: { ...request.newerStatus, ...answer.status } } };
  }

  async function pass(hook: HookName, request: BackupRequest, budget: CallBudget): Promise<BackupOutcome> {
    const full = await observeBackup(deps, request, budget);
    const decide = decideFor(hook);
    const verdict = decide(full.observed);
    const result = await actOnBackup(deps, full, verdict.action, budget);
    if (result.kind === 'stale') return stale(result.because);
    if (result.kind === 'asDecided') {
      const journal = 'journal' in verdict.action ? verdict.action.journal : full.observed.journal;
      return finish(request, { ...full.observed, journal }, verdict);
    }
    const observed: ObservedBackup = { ...full.observed, journal: result.journal, acted: result.acted };
    return finish(request, observed, decide(observed));
  }

  return (hook, request) => {
    // The caller's clock runs while we wait for another flight.
    const budget = createBudget(deps.clock);
    return flights(request.backup.metadata.uid, async () => {
      const isAtRest = hasEnded(request) && !looks.isDue(request.backup.metadata.uid);
      if (isAtRest) return { kind: 'answer', answer: unchanged(request) };
      if (budget.remainingMs() <= 0) return stale('another call for this RdsBackup took all the time');
      try {
        return await pass(hook, request, budget);
      } catch (error) {
        if (!(error instanceof JournalUnavailable) && !(error instanceof KubeUnreachable)) throw error;
        const observed: ObservedBackup = {
          ...fromBackupRequest(deps, request),
          journal: { unavailable: error.message },
          cloud: { kind: 'unasked' },
        };
        return finish(request, observed, decideFor(hook)(observed));
      }
    });
  };
}

/** Nothing is on its way for it, and its last answer was about this very spec. */
function hasEnded({ backup }: BackupRequest): boolean {
  const { phase, id, status: state, conditions = [] } = backup.status ?? {};
  const { deletionTimestamp, generation } = backup.metadata;
  return (
    deletionTimestamp === undefined &&
    id !== undefined &&
    (phase === 'Completed' || phase === 'Failed') &&
    state !== 'DELETING' &&
    conditions.some(
      ({ type, observedGeneration }) => type === 'Ready' && observedGeneration === generation,
    ) &&
    conditions.every(({ status }) => status !== 'Unknown')
  );
}

function unchanged({ backup, newerStatus }: BackupRequest): BackupAnswer {
  const { observedGeneration: _forced, ...status } = backup.status ?? {};
  return {
    status: { ...newerStatus, ...status },
    children: [],
    resyncAfterSeconds: spread(PACE.slow, backup.metadata.uid),
  };
}
