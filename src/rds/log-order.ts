// An order for the logs of a database, as the journal remembers it, and the credentials given out for its Jobs.

import { isoTime } from './conditions.ts';
import type { LogReport } from './log-report.ts';
import { ANNOTATIONS, uidDigits } from './names.ts';
import { annotation } from './object.ts';

export type CredentialForm = 'keys' | 'token';

/** Noted before it is issued and listed until it is revoked or has expired (protocol C10). */
export type JobCredential = {
  /** Of its Secret and its Job; carries order and attempt, so that no credential ever overwrites another. */
  name: string;
  form: CredentialForm;
  /** The cloud's clock when it was noted. */
  at: number;
};

export type LogResult = {
  state: 'Succeeded' | 'Failed' | 'Refused';
  message?: string;
  containers?: ContainerResult[];
};

export type ContainerResult = Pick<LogReport, 'log'> &
  Partial<Pick<LogReport, 'lines' | 'exitCode' | 'note'>>;

export type LogOrder = {
  order: number;
  attempt: number;
  /** `wanted`: a credential is to be issued. `running`: noted, and given to a Job. */
  state: 'wanted' | 'running' | 'over';
  form: CredentialForm;
  fromMs: number;
  toMs: number;
  /** How many of the slowest statements to list. */
  top: number;
  result?: LogResult;
};

export const KEY_LIFE_SECONDS = 900;
const TOKEN_LIFE_SECONDS = 24 * 3600;
/** Between the note and the latest moment at which the cloud may have issued it: start, pause, deadline, late effect. */
const ISSUE_SECONDS = 120;
/** A Job ends well before its keys do; its containers end themselves still earlier, to leave a report. */
export const JOB_DEADLINE_SECONDS = 780;
export const CONTAINER_DEADLINE_SECONDS = 720;

/** From then on the cloud refuses it, whatever became of it. */
export function credentialEndsAt({ form, at }: JobCredential): number {
  const life = form === 'keys' ? KEY_LIFE_SECONDS : TOKEN_LIFE_SECONDS;
  return at + (life + ISSUE_SECONDS) * 1000;
}

const OVERDUE_SECONDS = 960;

/** A Job that has not ended by then never will. */
export function jobIsOverdueAt({ at }: JobCredential): number {
  return at + OVERDUE_SECONDS * 1000;
}

const NAME_MAX = 30;

/** `shop-logs-4bc725aba311-3-1`: Rds, UID, order, attempt. */
export function logJobName(rds: { name: string; uid: string }, order: number, attempt: number): string {
  const readable = rds.name
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, NAME_MAX)
    .replace(/^-+|-+$/g, '');
  return `${readable || 'rds'}-logs-${uidDigits(rds.uid)}-${order}-${attempt}`;
}

/** What the annotation orders; status keeps it, so it has an end. */
export function logsWish(rds: Parameters<typeof annotation>[0]): string | undefined {
  return annotation(rds, ANNOTATIONS.logs)?.slice(0, WISH_MAX);
}

const WISH_MAX = 256;
const DAY_MS = 24 * 3600_000;
/** The cloud keeps its logs for a month. */
const LONGEST_SPAN_MS = 30 * DAY_MS;

/** `2h`, `90m`, `1d12h`; any other text is an order for the last 24 hours. */
export function spanMs(value: string): number {
  const [whole, ...parts] =
    /^(?:(\d{1,3})d)?(?:(\d{1,4})h)?(?:(\d{1,5})m)?(?:(\d{1,6})s)?$/.exec(value.trim()) ?? [];
  if (!whole) return DAY_MS;
  const [days = 0, hours = 0, minutes = 0, seconds = 0] = parts.map((part) => Number(part ?? 0));
  const ms = (((days * 24 + hours) * 60 + minutes) * 60 + seconds) * 1000;
  return ms > 0 ? Math.min(ms, LONGEST_SPAN_MS) : DAY_MS;
}

const TOP_DEFAULT = 10;
const TOP_MAX = 50;

/** The annotation `otc.mcsps.de/slow-queries`: `"true"` or how many. */
export function topCount(value: string | undefined): number {
  if (value === 'true') return TOP_DEFAULT;
  return /^\d{1,3}$/.test(value ?? '') ? Math.min(Number(value), TOP_MAX) : 0;
}

export function describeSpan({ fromMs, toMs }: Pick<LogOrder, 'fromMs' | 'toMs'>): string {
  return `${isoTime(fromMs)} to ${isoTime(toMs)}`;
}
