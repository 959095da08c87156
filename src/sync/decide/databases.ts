// Databases, users and grants: whether a SQL Job has to run, what the last one said, and which passwords may
// be published. A Job may be repeated without harm, so status is memory enough: lost, it runs once more.

import type { Instance } from '../../otc/cloud.ts';
import { type ConditionWish, findCondition } from '../../rds/conditions.ts';
import { hasRunningPod, isSqlJob, jobEnd } from '../../rds/job-state.ts';
import { ANNOTATIONS, drawingName, sqlJobName, sqlJobPrefix, UID_TAG } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import type { Reason } from '../../rds/reasons.ts';
import type { SqlEngine, SqlFailure } from '../../rds/sql-wish.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { SqlJobWish } from '../children/sql-job.ts';
import type { Drawing } from '../children/user-secrets.ts';
import type { DatabasesPlan } from './databases-plan.ts';
import { isTriedAgain, recordOf, secretsToPublish } from './databases-record.ts';
import { type DatabasesWish, databasesWish, sqlEngine } from './databases-wish.ts';
import { stateOf } from './instance-state.ts';
import type { ChildObject, Observed } from './observed.ts';
import { isTold, passwordState } from './password.ts';
import { PACE } from './plan.ts';
import { isPublished, provenDrawing, ROOT, rotatingAccounts } from './rotating.ts';

export function databasesPlan(o: Observed, instance: Instance): DatabasesPlan | undefined {
  const isAsked =
    (o.spec.databases ?? []).length > 0 || (o.spec.users ?? []).length > 0 || o.administrator !== undefined;
  const before = o.rds.status?.databases;
  if (!isAsked && !before && !findCondition(o.rds.status?.conditions, 'DatabasesReady')) return undefined;
  const engine = sqlEngine(o);
  if (engine === undefined) return isAsked ? unsupported() : nothingDeclared();
  const wanted = databasesWish(o, engine);
  if (!isAsked && !hasDrops(wanted)) return nothingDeclared();
  const plan = wanted.isUnsure ? unsurePlan(o, wanted) : jobPlan(o, instance, wanted);
  const secrets = secretsToPublish(o, wanted, plan.report, mayAct(o, instance) === undefined);
  return { ...plan, secrets, draws: missingCopies(o, engine), keepDrawn: neededDrawings(o, engine) };
}

type JobPlan = Omit<DatabasesPlan, 'secrets' | 'draws' | 'keepDrawn'>;

/** Before its first turn a login has no second place for its password; it gets one from its Secret. */
function missingCopies(o: Observed, engine: SqlEngine): Drawing[] {
  return rotatingAccounts(o, engine).flatMap((one) => {
    const { published, secretName } = one.kept;
    const slot = one.rotation?.current;
    if (!published || !slot || slot === 'root' || !one.rotation?.mark) return [];
    if (!isPublished(one) || provenDrawing(one)) return [];
    const { mark, password } = published;
    return [{ name: drawingName(secretName, slot), account: one.account, mark, password }];
  });
}

/** Jobs go on, and none is started. */
function unsurePlan(o: Observed, { problems }: DatabasesWish): JobPlan {
  return {
    conditions: [told('False', 'DatabasesWaiting', `${list(problems)}.`)],
    report: o.rds.status?.databases,
    start: undefined,
    keep: o.children.filter(isSqlJob).map(({ metadata }) => metadata.name),
    resyncAfterSeconds: PACE.waiting,
  };
}

/** Names of the Secrets with the passwords of the published logins, and of those that are being made. */
function neededDrawings(o: Observed, engine: SqlEngine): string[] {
  return rotatingAccounts(o, engine).flatMap(({ rotation, kept }) =>
    kept.drawings
      .filter(({ mark }) => mark === rotation?.next || mark === rotation?.mark)
      .map(({ name }) => name),
  );
}

const hasDrops = ({ wish }: DatabasesWish): boolean =>
  wish.drop.databases.length > 0 || wish.drop.users.length > 0;

function told(status: ConditionWish['status'], reason: Reason, message: string): ConditionWish {
  return { type: 'DatabasesReady', status, reason, message: message.slice(0, 4_000) };
}

const resting = (condition: ConditionWish): DatabasesPlan => ({
  conditions: [condition],
  report: undefined,
  start: undefined,
  keep: [],
  secrets: [],
  keepDrawn: [],
  resyncAfterSeconds: PACE.settled,
});

const unsupported = (): DatabasesPlan =>
  resting(
    told(
      'False',
      'DatabasesUnsupported',
      'Databases and users of SQL Server are not made by the operator: make them with the login in the connection Secret, and take spec.databases and spec.users out.',
    ),
  );

const nothingDeclared = (): DatabasesPlan =>
  resting(told('True', 'DatabasesApplied', 'No database and no user is declared.'));

function jobPlan(o: Observed, instance: Instance, wanted: DatabasesWish): JobPlan {
  const before = o.rds.status?.databases;
  const { name, uid } = o.rds.metadata;
  const jobs = o.children.filter(
    (child) => isSqlJob(child) && child.metadata.deletionTimestamp === undefined,
  );
  const isOfThisWish = (job: ChildObject) =>
    job.metadata.name.startsWith(sqlJobPrefix(name, uid, wanted.key));
  const strangers = jobs.filter((job) => !isOfThisWish(job) && job.metadata.name !== before?.job?.name);
  const running = strangers.filter((job) => !jobEnd(job) && hasRunningPod(job));
  const idle = { report: before, start: undefined, keep: [], resyncAfterSeconds: PACE.waiting };
  if (running.length > 0) {
    const message = 'A Job with an earlier wish still works; the present one comes after it.';
    const keep = running.map((job) => job.metadata.name);
    return { ...idle, conditions: [told('False', 'DatabasesApplying', message)], keep };
  }
  // A Job of another wish may have undone what the recorded one did: then the record counts no more.
  const record = strangers.length === 0 && isOf(before?.job, wanted) ? before?.job : undefined;
  const attempt = (record?.attempt ?? 0) + 1;
  const jobName = sqlJobName(name, uid, wanted.key, attempt);
  const current = jobs.find((job) => job.metadata.name === jobName);
  const wasApplied = record?.state === 'Succeeded' && !hasDrops(wanted);
  const isQuiet = wasApplied || wasBaseApplied(before, wanted);
  const blockedBy = () => mayAct(o, instance) ?? notReady(o, instance, wanted);
  const start = (report: RdsStatus['databases']): JobPlan => ({
    ...idle,
    report,
    conditions: [applying(isQuiet)],
    start: startOf(o, wanted, jobName),
  });
  // A Job whose Secret could not be made would wait for its deadline: both are asked for once more.
  if (current && lacksSecret(o, current) && !blockedBy()) return start(before);
  if (current) return underway(o, wanted, current, attempt, isQuiet);
  if (wasApplied && !isDueAgain(o, record)) return done(o, wanted);
  if (record && record.state !== 'Succeeded' && !isTriedAgain(record, latestMs(o))) {
    return failed(o, wanted, before ?? {}, sqlJobName(name, uid, wanted.key, record.attempt));
  }
  const report = record || isQuiet ? before : withoutJob(before);
  const blocked = blockedBy();
  if (blocked) return { ...idle, report, conditions: [told('False', blocked.reason, blocked.message)] };
  return start(report);
}

/** A clock of ours that is behind would make a wait as much longer; the cloud tells the time, too. */
const latestMs = ({ cloud, nowMs }: Observed): number =>
  Math.max(nowMs, cloud.kind === 'fresh' || cloud.kind === 'glance' ? (cloud.at ?? 0) : 0);

const lacksSecret = (o: Observed, job: ChildObject): boolean =>
  !jobEnd(job) &&
  !o.children.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === job.metadata.name);

function withoutJob(report: RdsStatus['databases']): RdsStatus['databases'] {
  if (!report) return undefined;
  const { job: _outdated, ...lists } = report;
  return lists;
}

function startOf(o: Observed, { wish, passwords, root }: DatabasesWish, name: string): SqlJobWish {
  const job = { name, wish, passwords, image: o.jobImage ?? '' };
  // With the login of root the Job needs nothing of the one that is rotated.
  return root ? { ...job, root: ROOT } : job;
}

type Record = NonNullable<NonNullable<RdsStatus['databases']>['job']>;

/** The record of this very wish, or of one that differed only in logins that have been made or closed since. */
function isOf(record: Record | undefined, { key, base, rotates }: DatabasesWish): boolean {
  if (record?.key === key) return true;
  return record !== undefined && record.base === base && record.state === 'Succeeded' && !rotates;
}

/** Rotation takes nothing away from what is declared. */
function wasBaseApplied(report: RdsStatus['databases'], { base }: DatabasesWish): boolean {
  return report?.job?.state === 'Succeeded' && report.job.base === base;
}

/** Looking again takes nothing away from what was true when last looked at. */
function applying(wasApplied: boolean): ConditionWish {
  return wasApplied
    ? told('True', 'DatabasesApplied', 'As declared when last looked at; a Job looks again.')
    : told('False', 'DatabasesApplying', 'A Job makes databases, users and rights as declared.');
}

/** Others may change users and rights behind our back; who wants that put right says how often. */
function isDueAgain(o: Observed, { endedAt }: { endedAt?: string | undefined }): boolean {
  const hours = Number.parseInt(o.spec.recheckDatabases ?? '', 10);
  return hours > 0 && o.nowMs >= Date.parse(endedAt ?? '') + hours * 3_600_000;
}

/** It is recorded in one answer and dropped in a later one, which sees the record. */
function underway(
  o: Observed,
  wanted: DatabasesWish,
  job: ChildObject,
  attempt: number,
  wasApplied: boolean,
): JobPlan {
  const before = o.rds.status?.databases;
  const { name } = job.metadata;
  const end = jobEnd(job);
  if (!end || o.sqlJobEnd?.name !== name) {
    return {
      conditions: [applying(wasApplied)],
      report: before,
      start: undefined,
      keep: [name],
      resyncAfterSeconds: PACE.waiting,
    };
  }
  const report = recordOf({ o, wanted, name, attempt, end, said: o.sqlJobEnd.report });
  const plan = end.succeeded ? done(o, wanted) : failed(o, wanted, report, name);
  return { ...plan, report, keep: [name], resyncAfterSeconds: PACE.soon };
}

function done(o: Observed, { wish, problems }: DatabasesWish): JobPlan {
  const counted = `${wish.databases.length} databases, ${wish.users.length} users`;
  const condition =
    problems.length > 0
      ? told('False', 'DatabasesFailed', `Not made: ${list(problems)}. In place: ${counted}.`)
      : told('True', 'DatabasesApplied', `As declared: ${counted}.`);
  return {
    conditions: [condition],
    report: o.rds.status?.databases,
    start: undefined,
    keep: [],
    resyncAfterSeconds: PACE.settled,
  };
}

/** The Job stays until the next one, so that its log can be read. */
function failed(
  o: Observed,
  { problems }: DatabasesWish,
  report: NonNullable<RdsStatus['databases']>,
  jobName: string,
): JobPlan {
  const retryAt = report.job?.retryAt ?? '';
  const message = `${list([...problems, ...(report.failures ?? [])])}. Everything else is as declared or unchanged; kubectl logs job/${jobName} tells more. Next try: ${retryAt}, or at once when spec or Secret changes.`;
  const seconds = Math.ceil((Date.parse(retryAt) - latestMs(o)) / 1_000);
  return {
    conditions: [told('False', 'DatabasesFailed', message)],
    report,
    start: undefined,
    keep: [jobName],
    resyncAfterSeconds: Math.max(PACE.soon, Math.min(PACE.settled, seconds)),
  };
}

const list = (failures: readonly SqlFailure[]): string =>
  failures
    .map(({ what, why }) => `${what}: ${why}`)
    .join('; ')
    .slice(0, 3_000);

type Blocked = { reason: Reason; message: string };

const waiting = (message: string): Blocked => ({ reason: 'DatabasesWaiting', message });

/** Reasons to touch nothing at all. */
export function mayAct(o: Observed, instance: Instance): Blocked | undefined {
  if (o.rds.metadata.deletionTimestamp !== undefined) return waiting('The Rds is being deleted.');
  if (o.problems.length > 0) return waiting('The spec has to be corrected first.');
  if (o.spec.paused) return waiting('spec.paused is set.');
  if (annotation(o.rds, ANNOTATIONS.dryRun) === 'true') return waiting('This is a dry run.');
  if (instance.tags[UID_TAG] !== o.rds.metadata.uid)
    return waiting('The instance is not marked as belonging to this Rds.');
  return stateOf(instance).available
    ? undefined
    : waiting('Databases and users are made as soon as the server accepts connections.');
}

function notReady(o: Observed, instance: Instance, wanted: DatabasesWish): Blocked | undefined {
  if (o.password.value === undefined)
    return {
      reason: 'RootPasswordUnknown',
      message:
        'Databases and users need the root password: put it into a Secret and name that in spec.passwordSecretRef.',
    };
  // The Job reads its login from the connection Secret.
  if (passwordState(o) !== 'same' || !isTold(o) || instance.ip === undefined)
    return waiting('The connection Secret is being made.');
  if (wanted.isDrawing) return waiting('Passwords of users are being drawn.');
  if (o.jobImage === undefined) return waiting('No image for Jobs is configured.');
  return o.acted ? waiting('Another operation was just started.') : undefined;
}
