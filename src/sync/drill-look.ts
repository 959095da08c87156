// Where the throwaway instance of a drill is: by id, and by name as long as no id is known or the id is not listed.

import type { Cloud } from '../otc/cloud.ts';
import type { DrillRun } from '../rds/drill.ts';
import { drillName } from '../rds/names.ts';
import type { CloudView } from './decide/observed.ts';

type Looked = Pick<Extract<CloudView, { kind: 'fresh' }>, 'throwaways' | 'throwawayFailure'>;

export async function lookForThrowaway(
  cloud: Cloud,
  uid: string,
  run: DrillRun | undefined,
): Promise<Looked> {
  if (!run) return {};
  const known = run.id === undefined ? undefined : (await cloud.findInstanceById(run.id)).value;
  if (!known) return { throwaways: (await cloud.findInstancesByName(drillName(uid, run.slot))).value };
  const hasFailed = known.status === 'CREATE FAIL' && run.jobId !== undefined && !run.result;
  return {
    throwaways: [known],
    ...(hasFailed ? { throwawayFailure: (await cloud.findJob(run.jobId ?? ''))?.failReason } : {}),
  };
}
