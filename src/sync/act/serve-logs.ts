// Log Jobs and their credentials: the steps that src/sync/decide/logs.ts decides, carried out beside the one write
// of a call. The last of them may be the issue of a credential, which only the answer of this very call hands on.

import type { HeldJournal } from '../../kube/journal.ts';
import { jobEnd } from '../../rds/job-state.ts';
import type { Journal } from '../../rds/journal.ts';
import { logJobs, logSecrets, named } from '../../rds/log-children.ts';
import { logsWish } from '../../rds/log-order.ts';
import { LIMITS } from '../budget.ts';
import { secretValues } from '../credentials.ts';
import { logResult } from '../decide/log-words.ts';
import { decideLogs, type LogStep } from '../decide/logs.ts';
import type { Observed } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import { type Done, issueCredential, type LogTools, tokensIn } from './job-credential.ts';

/** Order, end of the old credential, issue of the new one: more than a call ever needs. */
const MOST_STEPS = 6;

/** undefined: another call was faster, or the order was taken back; nothing may be answered on this view. */
export async function serveLogs(
  tools: LogTools,
  observed: Observed,
  start: HeldJournal | undefined,
): Promise<Observed | undefined> {
  let held = start;
  let o = observed;
  for (let count = 0; count < MOST_STEPS; count += 1) {
    const step = decideLogs(o, held?.journal ?? {});
    // Late in a call a step could keep the answer waiting; there is always a next call.
    if (!step || tools.budget.elapsedMs() > LIMITS.startCreateMs) break;
    const done = await carryOut(tools, o, held, step);
    if (!done) return undefined;
    held = done.held;
    o = {
      ...o,
      journal: held.journal,
      logs: { ...(o.logs ?? { revoked: [], unrevoked: [] }), ...done.logs },
    };
    if (done.isLast) break;
  }
  return o;
}

async function carryOut(
  tools: LogTools,
  o: Observed,
  held: HeldJournal | undefined,
  step: LogStep,
): Promise<Done | undefined> {
  const { deps } = tools;
  if (step.kind === 'take') return take(deps, o, held, step);
  if (!held) return undefined;
  switch (step.kind) {
    case 'swap':
      return swapped(deps, held, step.journal);
    case 'forget':
      return forget(deps, o, held, step.journal);
    case 'revoke':
      return revoke(tools, o, held, step);
    case 'record':
      return record(deps, o, held, step);
    case 'issue':
      return issueCredential(tools, held, step);
  }
}

async function swapped(deps: SyncDeps, held: HeldJournal, next: Journal): Promise<Done | undefined> {
  const after = await deps.journal.swap(held, next);
  return after && { held: after };
}

async function take(
  deps: SyncDeps,
  { rds }: Observed,
  held: HeldJournal | undefined,
  { annotated, journal }: Extract<LogStep, { kind: 'take' }>,
): Promise<Done | undefined> {
  const { uid, namespace, name } = rds.metadata;
  const { rds: live } = await deps.readLive(rds, { surroundings: false });
  if (live?.metadata.uid !== uid || live.metadata.deletionTimestamp !== undefined) return undefined;
  if (annotated !== undefined && logsWish(live) !== annotated) return undefined;
  if (held) return swapped(deps, held, journal);
  const created = await deps.journal.create(uid, journal, { namespace, name });
  return created && { held: created };
}

async function forget(
  deps: SyncDeps,
  { rds }: Observed,
  held: HeldJournal,
  next: Journal,
): Promise<Done | undefined> {
  const { rds: live } = await deps.readLive(rds, { surroundings: false });
  const isFalse = live?.metadata.uid === rds.metadata.uid && live.status?.logs !== true;
  return isFalse ? swapped(deps, held, next) : { held, logs: { keptBoolean: true } };
}

/** Dropped from the journal, and with it from the children, only after a definite answer of IAM. */
async function revoke(
  { deps, cloud }: LogTools,
  o: Observed,
  held: HeldJournal,
  { secret: name, journal }: Extract<LogStep, { kind: 'revoke' }>,
): Promise<Done | undefined> {
  const secret = named(logSecrets(o.children), name);
  try {
    for (const token of secret ? tokensIn(secretValues(secret)) : []) await cloud.revokeToken(token);
  } catch (error) {
    // It stays listed and is tried again; a new order does not wait for that.
    return { held, logs: { failure: toFailure(error), unrevoked: [...(o.logs?.unrevoked ?? []), name] } };
  }
  const after = await deps.journal.swap(held, journal);
  return after && { held: after, logs: { revoked: [...(o.logs?.revoked ?? []), name] } };
}

async function record(
  deps: SyncDeps,
  o: Observed,
  held: HeldJournal,
  { job: name, journal }: Extract<LogStep, { kind: 'record' }>,
): Promise<Done | undefined> {
  const job = named(logJobs(o.children), name);
  const { namespace } = o.rds.metadata;
  const messages = job && (await deps.readJobMessages?.({ namespace, name: job.metadata.name }));
  const result = logResult(job && jobEnd(job), messages ?? {});
  return swapped(deps, held, { ...journal, logs: { ...journal.logs, state: 'over', result } });
}
