// A credential for one log Job: noted in the journal, then asked for, once. What comes back goes into a Secret of the
// answer; should that get lost, nobody holds it, and it is short-lived unless the account refuses such keys.

import { CloudError, RetryableError } from '../../errors.ts';
import type { HeldJournal } from '../../kube/journal.ts';
import type { Cloud } from '../../otc/cloud.ts';
import type { Journal } from '../../rds/journal.ts';
import { type JobCredential, jobIsOverdueAt, KEY_LIFE_SECONDS, type LogOrder } from '../../rds/log-order.ts';
import { type CallBudget, LIMITS } from '../budget.ts';
import type { LogStep } from '../decide/logs.ts';
import type { IssuedCredential, LogsDone } from '../decide/observed.ts';
import { failureText } from '../decide/words.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';

export type LogTools = { deps: SyncDeps; cloud: Cloud; budget: CallBudget };
export type Done = { held: HeldJournal; logs?: Partial<LogsDone>; isLast?: boolean };

/** What the keys may do, and nothing else. */
const ACTIONS = ['rds:log:list'];

export async function issueCredential(
  { deps, cloud, budget }: LogTools,
  held: HeldJournal,
  { journal, credential }: Extract<LogStep, { kind: 'issue' }>,
): Promise<Done | undefined> {
  const noted = await deps.journal.swap(held, journal);
  if (!noted) return undefined;
  const { name: job, form } = credential;
  try {
    if (budget.elapsedMs() > LIMITS.startCallsMs)
      throw new RetryableError('no time was left in this call', { code: 'BUDGET', outcome: 'refused' });
    const issued = form === 'keys' ? await keysFor(cloud, job) : await tokensFor(cloud, credential);
    deps.log.info({ job, form }, 'a credential was issued for a log Job');
    return { held: noted, logs: { issued }, isLast: true };
  } catch (error) {
    if (!(error instanceof CloudError)) throw error;
    const failure = toFailure(error);
    deps.log.warn({ job, form, code: failure.code }, 'no credential for a log Job');
    const next = isDefinite(error, form) ? withoutIt(noted.journal, credential, error) : undefined;
    if (!next) return { held: noted, logs: { failure }, isLast: true };
    const after = await deps.journal.swap(noted, next);
    return after && { held: after, logs: { failure }, isLast: error instanceof RetryableError };
  }
}

async function keysFor(cloud: Cloud, name: string): Promise<IssuedCredential> {
  const access = await cloud.issueKeys(ACTIONS, KEY_LIFE_SECONDS);
  const file = JSON.stringify(access);
  return { name, form: 'keys', files: { errorlog: file, slowlog: file }, untilMs: access.expiresAt };
}

/** One for each container: who ends first revokes only its own. */
async function tokensFor(cloud: Cloud, credential: JobCredential): Promise<IssuedCredential> {
  const common = { name: credential.name, form: 'token', untilMs: jobIsOverdueAt(credential) } as const;
  const first = await cloud.issueToken();
  try {
    const second = await cloud.issueToken();
    return { ...common, files: { errorlog: JSON.stringify(first), slowlog: JSON.stringify(second) } };
  } catch (error) {
    if (await isRevoked(cloud, first.token)) throw error;
    // Its Secret is the place from which it will be revoked: both containers get the one that there is.
    const file = JSON.stringify(first);
    return { ...common, files: { errorlog: file, slowlog: file } };
  }
}

async function isRevoked(cloud: Cloud, token: string): Promise<boolean> {
  try {
    await cloud.revokeToken(token);
    return true;
  } catch (error) {
    if (error instanceof CloudError) return false;
    throw error;
  }
}

/** Our own no, before anything was sent; and the cloud's, which issues nothing to whom it holds back. */
const NOT_SENT: ReadonlySet<string> = new Set(['BUDGET', 'NO_ANSWER', 'THROTTLED']);

/** Not sent at all, or refused: nothing was issued. A login without an answer may have been one. */
function isDefinite(error: CloudError, form: JobCredential['form']): boolean {
  if (form === 'keys' || !(error instanceof RetryableError)) return error.outcome === 'refused';
  return NOT_SENT.has(error.code);
}

/** Off the list again, since there is nothing to revoke. Where the account gives no keys, a token is the next try. */
function withoutIt(journal: Journal, credential: JobCredential, error: CloudError): Journal {
  const credentials = (journal.credentials ?? []).filter(({ name }) => name !== credential.name);
  return { ...journal, credentials, ...(journal.logs ? { logs: nextTry(journal.logs, error) } : {}) };
}

function nextTry(logs: LogOrder, error: CloudError): LogOrder {
  if (error instanceof RetryableError) return { ...logs, state: 'wanted' };
  if (logs.form === 'keys') return { ...logs, state: 'wanted', form: 'token', attempt: logs.attempt + 1 };
  const why = failureText({ ...toFailure(error), requestId: undefined });
  const message = `The account gives no credential to a Job: ${why}.`;
  return { ...logs, state: 'over', result: { state: 'Failed', message } };
}

/** For a call whose answer nobody will get: what it would have handed on must not live on. */
export async function revokeIssued(
  { deps, cloud }: Pick<LogTools, 'deps' | 'cloud'>,
  { name, files }: IssuedCredential,
): Promise<void> {
  for (const token of new Set(tokensIn(files)))
    if (!(await isRevoked(cloud, token))) deps.log.warn({ job: name }, 'a token that nobody got still lives');
}

export function tokensIn(files: Record<string, string>): string[] {
  const tokens = Object.values(files).map((text) => {
    try {
      return (JSON.parse(text) as { token?: unknown }).token;
    } catch {
      return undefined;
    }
  });
  return tokens.filter((token) => typeof token === 'string');
}
