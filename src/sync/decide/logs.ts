// Orders for logs (design section 8, protocol C8-C10), one small step at a time and beside everything else: a log
// Job blocks no change, and no change blocks it. A credential is noted before it is issued, and its Secret goes only
// when it is known to be dead.

import { jobEnd } from '../../rds/job-state.ts';
import type { Journal } from '../../rds/journal.ts';
import { formOf, logJobs, logSecrets, named, usableUntil } from '../../rds/log-children.ts';
import {
  credentialEndsAt,
  type JobCredential,
  jobIsOverdueAt,
  type LogOrder,
  logJobName,
  logsWish,
  spanMs,
  topCount,
} from '../../rds/log-order.ts';
import { ANNOTATIONS, UID_TAG } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { copyOf } from './boolean-orders.ts';
import { cloudTime } from './cloud-time.ts';
import { stateOf } from './instance-state.ts';
import type { Observed } from './observed.ts';
import { PACE } from './plan.ts';

export type LogStep =
  /** A new order goes into the journal, if a live read shows it too. */
  | { kind: 'take'; journal: Journal; annotated: string | undefined }
  | { kind: 'swap'; journal: Journal }
  /** status.logs may be ordered again, once a live read shows `false`. */
  | { kind: 'forget'; journal: Journal }
  /** Note the credential, then ask for it: the last step of a call, since its answer must carry the Secret. */
  | { kind: 'issue'; journal: Journal; credential: JobCredential }
  /** Revoke what the Secret holds; `journal` is what is true after that. */
  | { kind: 'revoke'; secret: string; journal: Journal }
  /** The Job is over: read what its containers left and write it down. */
  | { kind: 'record'; job: string | undefined; journal: Journal & { logs: LogOrder } };

const MOST_ATTEMPTS = 3;
const MOST_CREDENTIALS = 8;
/** Our clock and the cloud's may differ. */
const CLOCKS_MS = 60_000;

/** Whether a cheap look shows something that only the journal can settle. */
export function logsNeedLook(o: Pick<Observed, 'rds' | 'spec' | 'children' | 'nowMs' | 'cloud'>): boolean {
  const { handled, logJob } = o.rds.status ?? {};
  if (handled?.[copyOf('logs')] !== undefined) return true;
  const value = logsWish(o.rds);
  if (value !== undefined && handled?.[ANNOTATIONS.logs] !== value && !isHeldBack(o)) return true;
  if (logJob?.state === 'Waiting') return !isHeldBack(o);
  const secrets = logSecrets(o.children);
  const running = logJob?.state === 'Running' ? logJob.name : undefined;
  if (running !== undefined) {
    const job = named(logJobs(o.children), running);
    if (!job || !named(secrets, running) || jobEnd(job)) return true;
  }
  // A clock of ours that is behind would leave an order open for as long.
  const now = cloudTime(o);
  return secrets.some((secret) =>
    secret.metadata.name === running || formOf(secret) === 'keys'
      ? usableUntil(secret) + CLOCKS_MS <= now
      : true,
  );
}

function isHeldBack(o: Pick<Observed, 'rds' | 'spec'>): boolean {
  return o.spec.paused === true || annotation(o.rds, ANNOTATIONS.dryRun) === 'true';
}

/** The next step, or nothing; decided anew after each. */
export function decideLogs(o: Observed, journal: Journal): LogStep | undefined {
  if (o.cloud.kind !== 'fresh') return undefined;
  const { at } = o.cloud;
  const over = forgetDead(o, journal, at);
  if (over) return over;
  // Revoking comes last: an IAM that refuses it must not keep a new order waiting.
  return (journal.closed ? undefined : serve(o, journal, at)) ?? revoke(o, journal);
}

function serve(o: Observed, journal: Journal, at: number): LogStep | undefined {
  const order = newOrder(o, journal, at) ?? forgetBoolean(o, journal);
  if (order) return order;
  if (journal.logs?.state === 'wanted')
    return isHeldBack(o) ? undefined : issue(o, journal, journal.logs, at);
  return journal.logs?.state === 'running' ? follow(o, journal, journal.logs, at) : undefined;
}

const nameOf = (o: Observed, { order, attempt }: LogOrder) => logJobName(o.rds.metadata, order, attempt);

/** The credential that a Job of the present order works with. */
function currentCredential(o: Observed, journal: Journal): JobCredential | undefined {
  const { logs, credentials = [], closed } = journal;
  if (logs?.state !== 'running' || closed) return undefined;
  return credentials.find(({ name }) => name === nameOf(o, logs));
}

/** What no Job needs any more and the cloud refuses by now: keys are waited out. */
function forgetDead(o: Observed, journal: Journal, at: number): LogStep | undefined {
  const current = currentCredential(o, journal);
  const listed = journal.credentials ?? [];
  const rest = listed.filter((one) => one === current || at < credentialEndsAt(one));
  if (rest.length === listed.length) return undefined;
  return { kind: 'swap', journal: { ...journal, credentials: rest } };
}

/** A token that no Job needs any more. */
function revoke(o: Observed, journal: Journal): LogStep | undefined {
  const current = currentCredential(o, journal);
  const tried = [...(o.logs?.revoked ?? []), ...(o.logs?.unrevoked ?? [])];
  const token = logSecrets(o.children).find(
    (secret) =>
      formOf(secret) === 'token' &&
      secret.metadata.name !== current?.name &&
      !tried.includes(secret.metadata.name),
  );
  if (!token) return undefined;
  const { name } = token.metadata;
  const left = (journal.credentials ?? []).filter((one) => one.name !== name);
  return { kind: 'revoke', secret: name, journal: { ...journal, credentials: left } };
}

function newOrder(o: Observed, journal: Journal, at: number): LogStep | undefined {
  if (isHeldBack(o)) return undefined;
  const value = logsWish(o.rds);
  const annotated = value !== undefined && journal.handled?.[ANNOTATIONS.logs] !== value ? value : undefined;
  if (annotated === undefined && journal.logsOrdered !== 'ordered') return undefined;
  const asked: LogOrder = {
    order: (journal.logs?.order ?? 0) + 1,
    attempt: 1,
    state: 'wanted',
    form: 'keys',
    fromMs: at - spanMs(annotated ?? ''),
    toMs: at,
    top: topCount(annotation(o.rds, ANNOTATIONS.slowQueries)),
  };
  const absent = notThere(o, journal);
  const logs: LogOrder =
    absent === undefined ? asked : { ...asked, state: 'over', result: { state: 'Refused', message: absent } };
  const taken: Journal =
    annotated === undefined
      ? { ...journal, logsOrdered: 'done' }
      : { ...journal, handled: { ...journal.handled, [ANNOTATIONS.logs]: annotated } };
  return { kind: 'take', annotated, journal: { ...taken, logs } };
}

function forgetBoolean(o: Observed, { logsOrdered, ...rest }: Journal): LogStep | undefined {
  if (logsOrdered !== 'done' || o.rds.status?.logs === true || o.logs?.keptBoolean) return undefined;
  return { kind: 'forget', journal: rest };
}

/** Why there is no database whose logs could be read; undefined when there is one. */
function notThere(o: Observed, journal: Journal): string | undefined {
  if (o.cloud.kind !== 'fresh') return undefined;
  if (o.jobImage === undefined) return 'This installation has no image for Jobs (JOB_IMAGE).';
  const { instance } = o.cloud;
  if (journal.id === undefined)
    return 'There is no database yet, so it has no logs: order them again when it is Ready.';
  if (journal.letGo) return 'The instance is no longer managed by this Rds.';
  if (instance?.id !== journal.id)
    return `The cloud does not list instance ${journal.id}, so its logs cannot be read.`;
  const owner = instance.tags[UID_TAG] ?? o.rds.metadata.uid;
  if (owner !== o.rds.metadata.uid && !journal.adopted) return 'The instance belongs to another Rds.';
  const { phase, sentence } = stateOf(instance);
  return phase === 'Creating' || instance.status === 'CREATE FAIL'
    ? `The database has no logs: ${sentence}`
    : undefined;
}

function issue(o: Observed, journal: Journal, logs: LogOrder, at: number): LogStep | undefined {
  const absent = notThere(o, journal);
  if (absent !== undefined) return failed(journal, logs, absent);
  if (logs.attempt > MOST_ATTEMPTS)
    return failed(journal, logs, `No credential reached a Job in ${MOST_ATTEMPTS} attempts.`);
  const listed = journal.credentials ?? [];
  if (listed.length >= MOST_CREDENTIALS) return undefined;
  const credential: JobCredential = { name: nameOf(o, logs), form: logs.form, at };
  return {
    kind: 'issue',
    credential,
    journal: { ...journal, logs: { ...logs, state: 'running' }, credentials: [...listed, credential] },
  };
}

function failed(journal: Journal, logs: LogOrder, message: string): LogStep {
  return {
    kind: 'swap',
    journal: { ...journal, logs: { ...logs, state: 'over', result: { state: 'Failed', message } } },
  };
}

function follow(o: Observed, journal: Journal, logs: LogOrder, at: number): LogStep | undefined {
  const credential = currentCredential(o, journal);
  const name = nameOf(o, logs);
  const job = named(logJobs(o.children), name);
  const recorded = { kind: 'record', job: job && name, journal: { ...journal, logs } } as const;
  if ((job && jobEnd(job)) || !credential || at >= jobIsOverdueAt(credential)) return recorded;
  if (job || named(logSecrets(o.children), name) || o.logs?.issued?.name === name) return undefined;
  // A view may lag, so the Secret gets time to come in sight before its credential counts as lost.
  return at < credential.at + o.timing.settleMs
    ? undefined
    : {
        kind: 'swap',
        journal: { ...journal, logs: { ...logs, state: 'wanted', attempt: logs.attempt + 1 } },
      };
}

/** Seconds until something about logs may have changed that no child tells. */
export function logsPace(o: Observed): number {
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return PACE.slow;
  const { logs } = o.journal;
  const current = currentCredential(o, o.journal);
  const isUnseen = current !== undefined && !named(logSecrets(o.children), current.name);
  if (tokensHoldDelete(o) || logs?.state === 'wanted' || isUnseen) return PACE.waiting;
  return PACE.slow;
}

/** A token whose Secret may still come in sight, or is in sight and not revoked, keeps a deleted Rds (C10). */
export function tokensHoldDelete(o: Observed): boolean {
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return false;
  if (o.rds.metadata.deletionTimestamp === undefined) return false;
  const { closed } = o.journal;
  const at = cloudTime(o);
  // One refusal may be a bad day. Without credentials nobody can revoke it, and the stopped pod has tried.
  const isRefused = o.cloud.kind === 'failed' && o.cloud.failure.class !== 'retryable';
  if (isRefused && closed && at >= closed.at + o.timing.settleMs) return false;
  const secrets = logSecrets(o.children);
  return (o.journal.credentials ?? []).some(
    ({ form, name, at: noted }) =>
      form === 'token' && (named(secrets, name) !== undefined || at < noted + o.timing.settleMs),
  );
}
