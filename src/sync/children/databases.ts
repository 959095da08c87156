// Children that come with databases and users: a Secret per user, and the SQL Job with its own.

import { isSqlJob, jobEnd, PART, SQL_PART, USER_PART } from '../../rds/job-state.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { DatabasesPlan } from '../decide/databases-plan.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import type { Endpoint } from './service.ts';
import { sqlJob } from './sql-job.ts';
import { userSecret } from './user-secrets.ts';

/** `again` repeats a child as it was observed. */
export function databaseChildren(
  o: Observed,
  status: RdsStatus,
  plan: DatabasesPlan | undefined,
  endpoint: Endpoint | undefined,
  again: (child: ChildObject) => ChildObject | undefined,
): ChildObject[] {
  const ofPart = (part: string) =>
    o.children.filter((child) => child.kind === 'Secret' && child.metadata.labels?.[PART] === part);
  const made = endpoint && plan ? plan.secrets.map((wish) => userSecret(endpoint, wish)) : [];
  const isMade = (child: ChildObject) => made.some(({ metadata }) => metadata.name === child.metadata.name);
  const kept = ofPart(USER_PART).filter((child) => !isMade(child) && !wasDropped(o, status, plan, child));
  const jobs = o.children.filter(
    (child) => isSqlJob(child) && (!plan || plan.keep.includes(child.metadata.name)),
  );
  // The passwords in it are needed no longer than the Job reads them.
  const unfinished = jobs.filter((job) => !jobEnd(job)).map(({ metadata }) => metadata.name);
  const wishes = ofPart(SQL_PART).filter(({ metadata }) => unfinished.includes(metadata.name));
  const repeated = [...kept, ...jobs, ...wishes].map(again).filter((child) => child !== undefined);
  return [...made, ...repeated, ...(plan?.start ? sqlJob(o.rds.metadata, plan.start) : [])];
}

/** A user that stays in the database keeps its Secret: it may be the only place that has the password. */
function wasDropped(
  o: Observed,
  { databases }: RdsStatus,
  plan: DatabasesPlan | undefined,
  { metadata }: ChildObject,
): boolean {
  if (!plan || o.spec.removal !== 'Drop' || databases?.job?.state !== 'Succeeded') return false;
  const account = metadata.annotations?.[ANNOTATIONS.account];
  return account !== undefined && !(databases.users ?? []).includes(account);
}
