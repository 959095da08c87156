// Restore drills run beside everything else that is decided about an Rds: a new one comes last, but one that runs is
// carried on and removed whatever the rest waits for. One write a call, as always.

import { findCondition } from '../../../rds/conditions.ts';
import type { Drill } from '../../../rds/drill.ts';
import type { Journal } from '../../../rds/journal.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import type { RdsStatus } from '../../../rds/status.ts';
import { contradictsFreshNews, retryPace } from '../cannot-act.ts';
import { deleting, isForced } from '../deleting.ts';
import type { Failure, Observed } from '../observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from '../plan.ts';
import { readJournal } from '../remembered.ts';
import { failureReason, failureText, progressing, ready } from '../words.ts';
import { drillCondition, drillReport } from './report.ts';
import { runStep } from './run.ts';
import { type Step, sceneOf, wait } from './scene.ts';
import { drillNeedsLook, startStep } from './start.ts';

/** Actions that may come again with every call (a refusal that lasts): they must not keep a throwaway alive. */
const GIVES_WAY: readonly Action['kind'][] = ['none', 'claim', 'tag', 'letGo'];

export function withDrill(o: Observed, decide: (o: Observed) => Verdict): Verdict {
  if (o.acted?.kind === 'drill' || o.acted?.kind === 'removeDrill') {
    const { acted: _drill, ...before } = o;
    const { finalized: _notYet, ...verdict } = decide(before);
    return beside(before, { ...verdict, action: NOTHING }, wait());
  }
  const verdict = decide(o);
  if (verdict.action.kind === 'stale' || verdict.action.kind === 'unavailable') return verdict;
  const journal = readJournal(o);
  if (journal) return beside(o, verdict, stepOf(o, journal, verdict));
  const isGlance = o.journal === 'unread' && verdict.action.kind === 'none';
  return isGlance && drillNeedsLook(o) ? { ...verdict, action: { kind: 'lookCloser' } } : verdict;
}

function stepOf(o: Observed, journal: Journal, verdict: Verdict): Step | undefined {
  if (o.acted || !GIVES_WAY.includes(verdict.action.kind)) return undefined;
  const { drill } = journal;
  if (!drill?.run) return startStep(o, journal, verdict);
  const scene = sceneOf(o, journal, drill, drill.run);
  return scene && runStep(scene);
}

function beside(o: Observed, verdict: Verdict, step: Step | undefined): Verdict {
  const before = readJournal(o)?.drill;
  const action = step && step.action.kind !== 'none' ? step.action : verdict.action;
  const drill = 'journal' in action ? action.journal.drill : before;
  const told: Verdict = {
    ...verdict,
    action,
    conditions: [...verdict.conditions, ...drillCondition(o, drill)],
    ...reported(o, verdict, drill),
    resyncAfterSeconds: Math.min(verdict.resyncAfterSeconds, step?.pace ?? PACE.slow),
  };
  return verdict.finalized && before?.run && !isAbandoned(o)
    ? held(o, told, action === verdict.action)
    : told;
}

/** The throwaway is ours alone: it goes whatever becomes of the database, also under Retain. */
function held(o: Observed, { finalized: _notYet, ...told }: Verdict, isWaiting: boolean): Verdict {
  if (o.cloud.kind === 'failed') return heldWithoutCloud(o, o.cloud.failure, told);
  const message = 'The throwaway instance of a restore drill is being removed.';
  const { conditions, resyncAfterSeconds } = deleting(NOTHING, 'Deleting', message, PACE.waiting);
  return {
    ...told,
    action: isWaiting ? NOTHING : told.action,
    conditions: [...told.conditions, ...conditions],
    resyncAfterSeconds: Math.min(told.resyncAfterSeconds, resyncAfterSeconds),
  };
}

/** Who waits for what only a person can bring back is told what that is. */
function heldWithoutCloud(o: Observed, failure: Failure, told: Verdict): Verdict {
  const text = failureText({ ...failure, requestId: undefined });
  const message = `The throwaway instance of a restore drill cannot be removed: ${text}. With the annotation ${ANNOTATIONS.forceDelete}: "true" it stays in the cloud and the delete ends, where the cloud refuses after two hours.`;
  const isEarly = contradictsFreshNews(o, 'Progressing');
  return {
    ...told,
    action: isEarly ? { kind: 'stale', because: text, afterSeconds: PACE.waiting } : NOTHING,
    conditions: [
      ...told.conditions,
      ready('False', 'Deleting', message),
      progressing('Unknown', failureReason(failure), message),
    ],
    resyncAfterSeconds: retryPace(failure),
  };
}

/** Longer than a clock may be wrong, and than a replica remembers a refused login. */
const TOLD_MS = 2 * 3_600_000;

/**
 * Without credentials nobody can remove it; whoever forces the delete has been told. A cloud that refuses may be wrong
 * once, so that has to be told for a while.
 */
function isAbandoned(o: Observed): boolean {
  if (!isForced(o) || o.cloud.kind !== 'failed' || o.cloud.failure.class === 'retryable') return false;
  const told = findCondition(o.rds.status?.conditions, 'Progressing');
  const isTold = told?.status === 'Unknown' && told.reason === failureReason(o.cloud.failure);
  return (
    o.cloud.failure.code === 'CREDENTIALS' ||
    (isTold && o.nowMs > Date.parse(told.lastTransitionTime) + TOLD_MS)
  );
}

function reported(o: Observed, verdict: Verdict, drill: Drill | undefined): Pick<Verdict, 'status'> {
  const report = drillReport(o, drill);
  const { drill: old, ...rest }: NonNullable<RdsStatus['backup']> =
    verdict.status?.backup ?? o.rds.status?.backup ?? {};
  if (!report && !old) return {};
  return { status: { ...verdict.status, backup: report ? { ...rest, drill: report } : rest } };
}
