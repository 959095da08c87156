// Verdict -> the whole answer: status built on the previous one, the total list of children, the pace.

import { type ConditionWish, findCondition, setConditions } from '../rds/conditions.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import { hash32 } from '../rds/hash.ts';
import type { Journal } from '../rds/journal.ts';
import { canNameService } from '../rds/names.ts';
import type { RdsStatus } from '../rds/status.ts';
import { buildChildren } from './children/children.ts';
import { reportedScaling } from './decide/autopilot/report.ts';
import { booleanCopies } from './decide/boolean-orders.ts';
import { contradictsFreshNews } from './decide/cannot-act.ts';
import { connectionWish } from './decide/connection.ts';
import { provenLogins } from './decide/databases-record.ts';
import { idFoundAgain } from './decide/id-found-again.ts';
import { logJobStatus, logsCondition } from './decide/log-words.ts';
import { logsPace } from './decide/logs.ts';
import type { ChildObject, Observed } from './decide/observed.ts';
import { PACE, type Verdict } from './decide/plan.ts';
import { reportedLogins } from './decide/rotate.ts';
import { sharedCondition } from './decide/shared.ts';

export type HookAnswer = {
  status: RdsStatus;
  children: ChildObject[];
  resyncAfterSeconds: number;
  finalized?: boolean;
};

export function buildAnswer(o: Observed, verdict: Verdict): HookAnswer {
  const status = buildStatus(o, verdict);
  const answer: HookAnswer = {
    status,
    children: buildChildren(o, status, {
      connection: connectionWish(o),
      logins: provenLogins(o),
      drawRoot: verdict.drawRoot === true,
      databases: verdict.databases,
    }),
    resyncAfterSeconds: spread(Math.min(verdict.resyncAfterSeconds, logsPace(o)), o.rds.metadata.uid),
  };
  return verdict.finalized ? { ...answer, finalized: true } : answer;
}

function buildStatus(o: Observed, verdict: Verdict): RdsStatus {
  // Metacontroller sets observedGeneration itself.
  const { observedGeneration: _forced, conditions = [], ...previous } = o.rds.status ?? {};
  const journal = typeof o.journal === 'object' && !('unavailable' in o.journal) ? o.journal : undefined;
  return merged(
    previous,
    booleans(o),
    journal && copiesOf(o, journal),
    verdict.status,
    { phase: verdict.phase },
    {
      conditions: setConditions(conditions, [...verdict.conditions, ...always(o)], {
        nowMs: o.nowMs,
        generation: o.rds.metadata.generation,
      }),
    },
  );
}

/** The later counts; what it says is `undefined` is told no more. */
function merged(...parts: readonly (Partial<RdsStatus> | undefined)[]): RdsStatus {
  const all: Record<string, unknown> = {};
  let taken = 0;
  for (const part of parts)
    for (const name in part) {
      const value = part[name as keyof RdsStatus];
      // What nobody told before need not be taken back.
      if (value === undefined && all[name] === undefined) continue;
      if (value === undefined) taken += 1;
      all[name] = value;
    }
  return taken === 0
    ? all
    : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== undefined));
}

/** Copies for cheap looks and for people. */
function copiesOf(o: Observed, journal: Journal): Partial<RdsStatus> {
  return {
    ...(journal.id === undefined ? {} : { id: journal.id }),
    handled: handledOrders(journal),
    pendingRestart: journal.pendingRestart?.length ? journal.pendingRestart : undefined,
    managedTags: journal.tags?.length ? journal.tags : undefined,
    ...reportedScaling(journal.scale),
    logins: reportedLogins(o, journal.rotations),
    logJob: logJobStatus(o.rds, journal),
  } as Partial<RdsStatus>;
}

/** Whether status lacks what the journal knows, so that a cheap look on it misses something. */
export function hidesJournal(o: Observed, journal: Journal): boolean {
  const { status = {} } = o.rds;
  const copies = Object.entries(copiesOf(o, journal));
  const isOpen = journal.op !== undefined || journal.closed !== undefined;
  return isOpen || copies.some(([name, copy]) => !deepEqual(copy, status[name as keyof RdsStatus]));
}

/** What the journal says was carried out. */
function handledOrders(journal: Journal): RdsStatus['handled'] {
  const handled = { ...journal.handled, ...booleanCopies(journal) };
  return Object.keys(handled).length > 0 ? handled : undefined;
}

/** Orders by boolean are answered `false` only when the journal has them; no answer ever says `true`. */
function booleans(o: Observed): Partial<RdsStatus> {
  const { reboot, logs } = o.rds.status ?? {};
  return {
    ...(reboot === undefined ? {} : { reboot: false }),
    ...(logs === undefined ? {} : { logs: false }),
  };
}

const always = (o: Observed): ConditionWish[] => [
  credentialsSafe(o),
  childrenReady(o),
  ...logsCondition(o),
  ...idFoundAgain(o),
  ...sharedCondition(o),
];

function credentialsSafe(o: Observed): ConditionWish {
  const type = 'CredentialsSafe' as const;
  if (o.password.from === 'spec') {
    return {
      type,
      status: 'False',
      reason: 'PlainTextPassword',
      message:
        'spec.password can be read by everyone who may read this Rds; move it into a Secret and use spec.passwordSecretRef.',
    };
  }
  if ('missing' in o.password)
    return { type, status: 'False', reason: 'PasswordSecretMissing', message: o.password.missing };
  const adopted = typeof o.journal === 'object' && 'adopted' in o.journal && o.journal.adopted === true;
  const isMade = o.rds.status?.id !== undefined && !wasKeptJustNow(o);
  if (o.password.value === undefined && (adopted || isMade)) {
    return {
      type,
      status: 'Unknown',
      reason: 'RootPasswordUnknown',
      message:
        'The root password of this instance is not known: put it into a Secret and name that in spec.passwordSecretRef. It is never reset without being asked to.',
    };
  }
  return {
    type,
    status: 'True',
    reason: 'PasswordInSecret',
    message: 'The root password is kept in a Secret.',
  };
}

/** Where a list of children is behind, a Secret that was told a moment ago is only not shown yet. */
function wasKeptJustNow(o: Observed): boolean {
  const before = findCondition(o.rds.status?.conditions, 'CredentialsSafe');
  return before?.reason === 'PasswordInSecret' && contradictsFreshNews(o, 'CredentialsSafe');
}

function childrenReady(o: Observed): ConditionWish {
  const type = 'ChildrenReady' as const;
  const { name } = o.rds.metadata;
  if (!canNameService(name)) {
    return {
      type,
      status: 'False',
      reason: 'ChildNameInvalid',
      message: `No Service can have the name ${name}: use ip and port from the connection Secret, or let this database go (deletionPolicy: Retain) and adopt it under another name.`,
    };
  }
  const taken = o.foreign.map(({ kind, metadata }) => `${kind} ${metadata.name}`).sort();
  if (taken.length === 0) {
    return {
      type,
      status: 'True',
      reason: 'ChildrenApplied',
      message: 'No name of a child is taken by another object.',
    };
  }
  return {
    type,
    status: 'False',
    reason: 'ChildNameTaken',
    message: `Not made by this Rds and not touched: ${taken.join(', ')}. Remove or rename what has the name; objects left by the old operator can be deleted with kubectl delete.`,
  };
}

/** Settled objects come back spread over time instead of all at once. */
export function spread(seconds: number, uid: string): number {
  return seconds < PACE.settled ? seconds : seconds + (hash32(uid) % 100) / 10;
}
