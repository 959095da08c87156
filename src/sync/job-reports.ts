// The last words of a SQL Job that has ended and is not in status yet.

import { Compile } from 'typebox/compile';
import { KubeUnreachable } from '../kube/api.ts';
import { isSqlJob, jobEnd, SQL_CONTAINER } from '../rds/job-state.ts';
import { SqlReportSchema } from '../rds/sql-wish.ts';
import type { Observed } from './decide/observed.ts';
import type { SyncDeps } from './deps.ts';
import type { View } from './request.ts';

const check = Compile(SqlReportSchema);

export async function endedSqlJob(deps: SyncDeps, view: View): Promise<Observed['sqlJobEnd']> {
  const { namespace } = view.rds.metadata;
  const job = view.children.find(
    (child) =>
      isSqlJob(child) && jobEnd(child) && child.metadata.name !== view.rds.status?.databases?.job?.name,
  );
  if (!job) return undefined;
  const { name } = job.metadata;
  try {
    const message = (await deps.readJobMessages?.({ namespace, name }))?.[SQL_CONTAINER];
    return { name, report: message === undefined ? undefined : readReport(message) };
  } catch (error) {
    // Nothing is recorded on half of what is known; the next call asks again.
    if (error instanceof KubeUnreachable) return undefined;
    throw error;
  }
}

/** A message that is not ours tells nothing. */
function readReport(message: string) {
  try {
    const value: unknown = JSON.parse(message);
    return check.Check(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
