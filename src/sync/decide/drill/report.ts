// The record of drills as status and condition tell it.

import { type ConditionWish, findCondition, isoTime } from '../../../rds/conditions.ts';
import { nextTime } from '../../../rds/cron.ts';
import type { Drill, DrillEnd, DrillRun } from '../../../rds/drill.ts';
import { overRun } from '../../../rds/drill-run.ts';
import { drillName } from '../../../rds/names.ts';
import type { RdsStatus } from '../../../rds/status.ts';
import type { Observed } from '../observed.ts';
import { wantedDrill } from './wanted.ts';

type Report = NonNullable<NonNullable<RdsStatus['backup']>['drill']>;

const wish = (
  status: ConditionWish['status'],
  reason: ConditionWish['reason'],
  message: string,
): ConditionWish[] => [{ type: 'BackupDrill', status, reason, message }];

export function drillCondition(o: Observed, drill: Drill | undefined): ConditionWish[] {
  if (!wantedDrill(o) || !drill) {
    const isTold = findCondition(o.rds.status?.conditions, 'BackupDrill') !== undefined;
    return isTold && !wantedDrill(o) ? wish('Unknown', 'DrillOff', 'No restore drill is asked for.') : [];
  }
  const next = nextTime(drill.schedule, drill.since);
  if ('problem' in next) {
    const field = `spec.backup.drill.schedule "${drill.schedule}"`;
    return wish('False', 'DrillScheduleInvalid', `${field}: ${next.problem}. No drill is made.`);
  }
  // A result counts from the moment that it is known, not only when the throwaway is gone.
  const { last } = drill.run?.result ? overRun(drill, 0) : drill;
  if (!last) {
    const message = drill.run ? 'The first drill runs.' : `The first drill is due at ${isoTime(next.at)}.`;
    return wish('Unknown', 'DrillPending', message);
  }
  const sentence = `The drill of ${isoTime(last.slot)} ${last.passed ? 'passed' : 'failed'}: ${last.message}`;
  return last.passed ? wish('True', 'DrillPassed', sentence) : wish('False', 'DrillFailed', sentence);
}

export function drillReport(o: Observed, drill: Drill | undefined): Report | undefined {
  if (!drill) return undefined;
  const { schedule, since, run } = drill;
  const next = nextTime(schedule, since);
  const { last } = run?.result ? overRun(drill, 0) : drill;
  return {
    schedule,
    ...(run || 'problem' in next ? {} : { nextAt: isoTime(next.at) }),
    ...(run ? { running: running(o, run) } : {}),
    ...(last ? { last: ended(last) } : {}),
  };
}

function running(o: Observed, run: DrillRun): NonNullable<Report['running']> {
  const { id, at, result, builtAt, createClaimedAt, trouble } = run;
  const isRestoring = createClaimedAt !== undefined || id !== undefined;
  const waits = result
    ? (trouble ?? (result.kind === 'Cancelled' ? { text: result.message } : undefined))
    : trouble;
  return {
    name: drillName(o.rds.metadata.uid, run.slot),
    ...(id === undefined ? {} : { id }),
    startedAt: isoTime(at),
    step: result ? 'Removing' : builtAt !== undefined ? 'Checking' : isRestoring ? 'Restoring' : 'Preparing',
    ...(waits ? { message: waits.text.slice(0, 1_000) } : {}),
  };
}

function ended({ slot, startedAt, endedAt, passed, restoreMs, source, message }: DrillEnd) {
  return {
    scheduledFor: isoTime(slot),
    startedAt: isoTime(startedAt),
    endedAt: isoTime(endedAt),
    seconds: Math.round((endedAt - startedAt) / 1_000),
    ...(restoreMs === undefined ? {} : { restoreSeconds: Math.round(restoreMs / 1_000) }),
    result: passed ? ('Passed' as const) : ('Failed' as const),
    ...(source === undefined ? {} : { source: source.slice(0, 256) }),
    message,
  };
}
