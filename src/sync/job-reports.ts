// The last words of Jobs that have ended and are not recorded yet.

import { Compile, type Validator } from 'typebox/compile';
import { KubeUnreachable } from '../kube/api.ts';
import { DRILL_CONTAINER, type DrillReport, DrillReportSchema, isDrillChild } from '../rds/drill-wish.ts';
import { isSqlJob, jobEnd, SQL_CONTAINER } from '../rds/job-state.ts';
import { type SqlReport, SqlReportSchema } from '../rds/sql-wish.ts';
import type { ChildObject } from './decide/observed.ts';
import type { SyncDeps } from './deps.ts';
import type { View } from './request.ts';

const sqlReport = Compile(SqlReportSchema);
const drillReport = Compile(DrillReportSchema);

export type EndedJobs = { sql: ChildObject | undefined; drill: ChildObject | undefined };

export async function withEndedJobs(deps: SyncDeps, view: View, { sql, drill }: EndedJobs): Promise<View> {
  return {
    ...view,
    sqlJobEnd: await lastWords<SqlReport>(deps, view, sql, SQL_CONTAINER, sqlReport),
    drillJobEnd: await lastWords<DrillReport>(deps, view, drill, DRILL_CONTAINER, drillReport),
  };
}

/** Mostly there are none, and nobody has to wait. */
export const endedJobs = (view: View): EndedJobs => ({ sql: endedSqlJob(view), drill: endedDrillJob(view) });

function endedSqlJob(view: View): ChildObject | undefined {
  return view.children.find(
    (child) =>
      isSqlJob(child) && jobEnd(child) && child.metadata.name !== view.rds.status?.databases?.job?.name,
  );
}

/** Only as long as its result is not told: the Job itself stays for people until its drill is over. */
function endedDrillJob(view: View): ChildObject | undefined {
  const running = view.rds.status?.backup?.drill?.running;
  const isOver = (name: string) => running?.name === name && running.step === 'Removing';
  return view.children.find(
    (child) => child.kind === 'Job' && isDrillChild(child) && jobEnd(child) && !isOver(child.metadata.name),
  );
}

async function lastWords<Report>(
  deps: SyncDeps,
  view: View,
  job: ChildObject | undefined,
  container: string,
  check: Validator,
): Promise<{ name: string; report: Report | undefined } | undefined> {
  if (!job) return undefined;
  const { name } = job.metadata;
  try {
    const message = (await deps.readJobMessages?.({ namespace: view.rds.metadata.namespace, name }))?.[
      container
    ];
    return { name, report: message === undefined ? undefined : readReport<Report>(message, check) };
  } catch (error) {
    // Nothing is recorded on half of what is known; the next call asks again.
    if (error instanceof KubeUnreachable) return undefined;
    throw error;
  }
}

/** A message that is not ours tells nothing. */
function readReport<Report>(message: string, check: Validator): Report | undefined {
  try {
    const value: unknown = JSON.parse(message);
    return check.Check(value) ? (value as Report) : undefined;
  } catch {
    return undefined;
  }
}
