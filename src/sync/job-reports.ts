// The last words of Jobs that have ended and are not recorded yet. Whatever is asked of the API server is noted: an answer
// that was made with it does not stand.

import { Compile, type Validator } from 'typebox/compile';
import { KubeUnreachable } from '../kube/api.ts';
import type { Still } from '../otc/cloud.ts';
import { NEVER } from '../otc/noted-reads.ts';
import { DRILL_CONTAINER, type DrillReport, DrillReportSchema, isDrillChild } from '../rds/drill-wish.ts';
import { isSqlJob, jobEnd, SQL_CONTAINER } from '../rds/job-state.ts';
import { type SqlReport, SqlReportSchema } from '../rds/sql-wish.ts';
import type { ChildObject, Observed } from './decide/observed.ts';
import type { SyncDeps } from './deps.ts';
import type { View } from './request.ts';

const sqlReport = Compile(SqlReportSchema);
const drillReport = Compile(DrillReportSchema);

export async function endedSqlJob(
  deps: SyncDeps,
  view: View,
  noted: Still[],
): Promise<Observed['sqlJobEnd']> {
  const job = view.children.find(
    (child) =>
      isSqlJob(child) && jobEnd(child) && child.metadata.name !== view.rds.status?.databases?.job?.name,
  );
  if (job) noted.push(NEVER);
  return lastWords<SqlReport>(deps, view, job, SQL_CONTAINER, sqlReport);
}

/** Only as long as its result is not told: the Job itself stays for people until its drill is over. */
export async function endedDrillJob(
  deps: SyncDeps,
  view: View,
  noted: Still[],
): Promise<Observed['drillJobEnd']> {
  const running = view.rds.status?.backup?.drill?.running;
  const isOver = (name: string) => running?.name === name && running.step === 'Removing';
  const job = view.children.find(
    (child) => child.kind === 'Job' && isDrillChild(child) && jobEnd(child) && !isOver(child.metadata.name),
  );
  if (job) noted.push(NEVER);
  return lastWords<DrillReport>(deps, view, job, DRILL_CONTAINER, drillReport);
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
