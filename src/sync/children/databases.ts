// Children that come with databases and users: a Secret per user, and the SQL Job with its own.

import { isSqlJob, jobEnd, NEXT_PART, PART, SQL_PART, USER_PART } from '../../rds/job-state.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { DatabasesPlan } from '../decide/databases-plan.ts';
import type { ChildObject, Observed } from '../decide/observed.ts';
import type { Endpoint } from './service.ts';
import { sqlJob } from './sql-job.ts';
import { drawingSecret, type UserSecretWish, userSecret } from './user-secrets.ts';

/** `known`: logins that are certain also where nothing is planned; `again` repeats a child as it was observed. */
export function databaseChildren(
  o: Observed,
  status: RdsStatus,
  plan: DatabasesPlan | undefined,
  endpoint: Endpoint | undefined,
  known: readonly UserSecretWish[],
  again: (child: ChildObject) => ChildObject | undefined,
): ChildObject[] {
  const ofPart = (part: string) =>
    o.children.filter((child) => child.kind === 'Secret' && child.metadata.labels?.[PART] === part);
  const made = endpoint ? (plan?.secrets ?? known).map((wish) => userSecret(endpoint, wish)) : [];
  const isMade = (child: ChildObject) => made.some(({ metadata }) => metadata.name === child.metadata.name);
  const kept = ofPart(USER_PART).filter((child) => !isMade(child) && !wasDropped(o, status, plan, child));
  const jobs = o.children.filter(
    (child) => isSqlJob(child) && (!plan || plan.keep.includes(child.metadata.name)),
  );
  // The passwords in it are needed no longer than the Job reads them.
  const unfinished = jobs.filter((job) => !jobEnd(job)).map(({ metadata }) => metadata.name);
  const wishes = ofPart(SQL_PART).filter(({ metadata }) => unfinished.includes(metadata.name));
  const drawn = (plan?.draws ?? []).map((drawing) => drawingSecret(o.rds.metadata, drawing));
  const isDrawn = (child: ChildObject) => drawn.some(({ metadata }) => metadata.name === child.metadata.name);
  const drawings = ofPart(NEXT_PART).filter(
    (child) => !isDrawn(child) && (!plan || plan.keepDrawn.includes(child.metadata.name)),
  );
  const repeated = [...kept, ...jobs, ...wishes, ...drawings]
    .map(again)
    .filter((child) => child !== undefined);
  return [...made, ...drawn, ...repeated, ...(plan?.start ? sqlJob(o.rds.metadata, plan.start) : [])];
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
