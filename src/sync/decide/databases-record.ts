// What stays of a SQL Job when it is gone: its record in status, and the passwords that may be published now.

import { isoTime } from '../../rds/conditions.ts';
import type { JobEnd } from '../../rds/job-state.ts';
import { accountLabel, type SqlFailure, type SqlReport } from '../../rds/sql-wish.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { UserSecretWish } from '../children/user-secrets.ts';
import { type DatabasesWish, type DeclaredUser, sqlEngine } from './databases-wish.ts';
import type { Observed } from './observed.ts';
import { currentLogin, provenDrawing, rotatingAccounts } from './rotating.ts';

type Report = NonNullable<RdsStatus['databases']>;

type SqlJob = NonNullable<Report['job']>;

type Ended = {
  o: Observed;
  wanted: DatabasesWish;
  name: string;
  attempt: number;
  end: JobEnd;
  said: SqlReport | undefined;
};

const MAX_LISTED = 256;
const MAX_FAILURES = 32;
const MAX_WHY = 512;

/** A server that did not answer is soon tried again; what it refused, it will refuse for a while. */
const RETRY = { soonMs: 60_000, laterMs: 600_000, longestMs: 3_600_000 } as const;

function pauseMs(state: SqlJob['state'], attempt: number): number {
  const firstMs = state === 'Refused' ? RETRY.laterMs : RETRY.soonMs;
  return Math.min(firstMs * 2 ** Math.min(attempt - 1, 10), RETRY.longestMs);
}

/** A time that is farther away than the whole pause was told by a clock ahead of ours: then the end of the Job counts. */
export function isTriedAgain({ state, attempt, endedAt, retryAt = '' }: SqlJob, nowMs: number): boolean {
  const at = Date.parse(retryAt);
  const pause = pauseMs(state, attempt);
  const isFar = at > nowMs + pause;
  return isFar ? nowMs >= Date.parse(endedAt) + pause : !(nowMs < at);
}

export function recordOf({ o, wanted, name, attempt, end, said }: Ended): Report {
  const wasRefused = said !== undefined && said.fatal === undefined;
  const state = end.succeeded ? 'Succeeded' : wasRefused ? 'Refused' : 'Failed';
  const endedMs = Date.parse(end.at) || o.nowMs;
  // The wait is told and ended by our own clock, which may be ahead of the one that stamps Jobs.
  const retryAt = isoTime(Math.max(endedMs, o.nowMs) + pauseMs(state, attempt));
  const failures = end.succeeded ? [] : failuresOf(end, said);
  return {
    ...made(o, wanted, end.succeeded),
    job: {
      name,
      key: wanted.key,
      base: wanted.base,
      attempt,
      state,
      endedAt: isoTime(endedMs),
      ...(end.succeeded ? {} : { retryAt }),
    },
    ...(failures.length > 0 ? { failures } : {}),
  };
}

function failuresOf(end: JobEnd, said: SqlReport | undefined): SqlFailure[] {
  const fatal = said ? said.fatal : end.because || 'it failed and left no report';
  const all = [...(fatal === undefined ? [] : [{ what: 'the Job', why: fatal }]), ...(said?.failures ?? [])];
  const more = (said?.more ?? 0) + Math.max(0, all.length - MAX_FAILURES);
  const shown = all.slice(0, MAX_FAILURES).map(({ what, why }) => ({
    what: what.slice(0, MAX_WHY),
    why: why.slice(0, MAX_WHY),
  }));
  return more > 0 ? [...shown, { what: OTHERS, why: `${more} more, see the log of the Job` }] : shown;
}

export const OTHERS = 'others';

/** What would have to be dropped once it is declared no more. After a failure nobody knows how far it came. */
function made(o: Observed, { engine, wish, users }: DatabasesWish, succeeded: boolean): Report {
  const before = o.rds.status?.databases;
  const declared = new Set((o.spec.users ?? []).map((user) => accountLabel(engine, user)));
  const stays = (account: string) => !succeeded || declared.has(account);
  const accounts = new Set([...users.map(({ account }) => account), ...(before?.users ?? []).filter(stays)]);
  const databases = new Set([...wish.databases, ...(succeeded ? [] : (before?.databases ?? []))]);
  return {
    databases: [...databases].slice(0, MAX_LISTED),
    users: [...accounts].slice(0, MAX_LISTED),
  };
}

/**
 * A changed password is published after the server has it, so that clients keep the one that works. A drawn
 * one has to be kept somewhere before it is used, and nobody uses it yet.
 */
export function secretsToPublish(
  o: Observed,
  wanted: DatabasesWish,
  report: RdsStatus['databases'],
  mayDraw: boolean,
): UserSecretWish[] {
  const wishes: UserSecretWish[] = [];
  for (const declared of wanted.users) {
    const { password, rotating, login } = declared;
    const proven = rotating && provenDrawing(rotating);
    const shown = proven
      ? proven
      : password.draw
        ? mayDraw && { password: password.draw.password, mark: password.draw.mark }
        : isInForce(wanted, report, declared) && {
            password: password.value ?? '',
            mark: password.version ?? '',
          };
    if (!shown) continue;
    wishes.push({
      name: password.secretName,
      account: declared.account,
      mark: shown.mark,
      login: { engine: wanted.engine, username: login, password: shown.password },
      database: onlyDatabase(o, declared),
    });
  }
  return wishes;
}

/** What can be published whatever else is known: the login that the rotation names, with its own password. */
export function provenLogins(o: Observed): UserSecretWish[] {
  const engine = sqlEngine(o);
  if (!engine) return [];
  return rotatingAccounts(o, engine).flatMap((one) => {
    const proven = provenDrawing(one);
    const user = o.spec.users?.find((declared) => accountLabel(engine, declared) === one.account);
    if (!proven || !user) return [];
    const login = { engine, username: currentLogin(one), password: proven.password };
    const { account, kept } = one;
    return [
      { name: kept.secretName, account, mark: proven.mark, login, database: onlyDatabase(o, { user }) },
    ];
  });
}

function isInForce(
  { key, base }: DatabasesWish,
  report: RdsStatus['databases'],
  { account, password }: DeclaredUser,
): boolean {
  if (password.published && password.published.password === password.value) return true;
  const job = report?.job;
  if (!job || (job.key !== key && job.base !== base) || job.state === 'Failed') return false;
  const failed = (report.failures ?? []).map(({ what }) => what);
  return !failed.includes(`user ${account}`) && !failed.includes(OTHERS);
}

/** Named by the grants, or the only one that there is. */
function onlyDatabase(o: Observed, { user }: Pick<DeclaredUser, 'user'>): string | undefined {
  const granted = new Set((user.grants ?? []).map(({ database }) => database).filter((name) => name !== '*'));
  const candidates = granted.size > 0 ? [...granted] : [...new Set(o.spec.databases ?? [])];
  return candidates.length === 1 ? candidates[0] : undefined;
}
