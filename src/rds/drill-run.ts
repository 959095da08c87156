// How the record of a drill moves: claims, refusals and proofs of absence, by the same rules as those of the primary.

import type { Drill, DrillEnd, DrillOp, DrillRun } from './drill.ts';
import { absenceProven, countAbsence, type Timing } from './journal.ts';

export function claimRun(run: DrillRun, op: DrillOp): DrillRun {
  const { trouble: _over, absence: _gone, ...rest } = run;
  const claimed = { ...rest, op };
  return op.kind === 'drill' ? { ...claimed, createClaimedAt: op.at } : claimed;
}

/** A definite no: a refused create leaves nothing whose effect could still show. */
export function refuseRun(run: DrillRun): DrillRun {
  const { op, createClaimedAt, ...rest } = run;
  return op?.kind === 'drill' || createClaimedAt === undefined ? rest : { ...rest, createClaimedAt };
}

export function acceptRun(run: DrillRun, facts: { id?: string; jobId?: string | undefined }): DrillRun {
  const { op, absence: _over, ...rest } = run;
  if (op?.kind === 'removeDrill') return { ...rest, deletedAt: op.at };
  return {
    ...rest,
    ...(facts.id === undefined ? {} : { id: facts.id }),
    ...(facts.jobId === undefined ? {} : { jobId: facts.jobId }),
  };
}

/** Counts one fresh read that showed neither its id nor its name (protocol C4). */
export function countAbsentRun(run: DrillRun, at: number, timing: Timing): DrillRun | 'gone' | 'early' {
  if (run.createClaimedAt === undefined) return 'gone';
  const { createClaimedAt, absence } = run;
  const seen = { createClaimedAt, ...(absence ? { absence } : {}) };
  if (absenceProven(seen, at, timing)) return 'gone';
  const counted = countAbsence(seen, at, timing)?.absence;
  return counted ? { ...run, absence: counted } : 'early';
}

/** The record once its throwaway is gone: later times of the schedule count, missed ones do not. */
export function overRun({ run, ...rest }: Drill, at: number): Drill {
  const { result } = run ?? {};
  const since = Math.max(rest.since, at);
  if (!run || !result || result.kind === 'Cancelled') return { ...rest, since };
  const { slot, source, createClaimedAt, builtAt } = run;
  const last: DrillEnd = {
    slot,
    startedAt: run.at,
    endedAt: result.at,
    passed: result.kind === 'Passed',
    ...(createClaimedAt === undefined || builtAt === undefined
      ? {}
      : { restoreMs: builtAt - createClaimedAt }),
    ...(source === undefined ? {} : { source }),
    message: result.message,
  };
  return { ...rest, since, last };
}
