// The same call after its one write: the result in words. No further action is ever decided here.

import { findCondition } from '../../rds/conditions.ts';
import type { Journal } from '../../rds/journal.ts';
import type { Reason } from '../../rds/reasons.ts';
import { retryPace } from './cannot-act.ts';
import { describe, operation } from './describe.ts';
import type { Acted, Failure, Observed } from './observed.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';
import { failureReason, progressing, ready, steadyFailureText, synced } from './words.ts';

export function afterActing(o: Observed, acted: Acted): Verdict {
  if (acted.kind === 'create' || acted.kind === 'prepare') return afterCreate(o, acted);
  const told = base(o);
  if (acted.kind === 'watch' && acted.result !== 'done') return { ...told, ...afterWatch(o, acted, told) };
  if (acted.result === 'done') return { ...told, ...afterDone(o, acted, told) };
  if (acted.result === 'unknown') {
    const message = `The answer to ${acted.kind} was lost; the operator looks for its effect before it tries again.`;
    return {
      ...told,
      conditions: [...told.conditions, progressing('Unknown', 'OutcomeUnknown', message)],
      resyncAfterSeconds: PACE.waiting,
    };
  }
  return acted.failure
    ? { ...told, ...withFailure(o, told, acted.failure, `${acted.kind} was refused`) }
    : told;
}

/** Alarms are no part of the database: what fails there is told in its own condition. */
function afterWatch(o: Observed, { failure, result }: Acted, told: Verdict): Partial<Verdict> {
  if (!failure) return { resyncAfterSeconds: PACE.waiting };
  const type = 'AutopilotReady' as const;
  const text = steadyFailureText(failure, findCondition(o.rds.status?.conditions, type)?.message);
  const message =
    result === 'unknown'
      ? `The answer to a change of the alarms was lost: ${text}. The operator looks again before it repeats it.`
      : `The alarms or the topic could not be set up: ${text}.`;
  return {
    conditions: [...told.conditions, { type, status: 'False', reason: failureReason(failure), message }],
    resyncAfterSeconds: retryPace(failure),
  };
}

function base(o: Observed): Verdict {
  const { id } = o.journal as Journal;
  const instance = o.cloud.kind === 'fresh' ? o.cloud.instance : undefined;
  // An instance that was only wished for (a refused adoption) is not ours to report.
  if (instance && instance.id === id) return describe(o, instance);
  return {
    action: NOTHING,
    phase: o.rds.status?.phase ?? 'Pending',
    conditions: [],
    ...(id === undefined ? {} : { status: { id } }),
    resyncAfterSeconds: PACE.soon,
  };
}

/** Where the name of an operation is not a word for people. */
const WORDS: Partial<Record<Acted['kind'], string>> = {
  safetyBackup: 'the backup before the restore',
  restore: 'the restore',
  addStandby: 'the standby',
  replica: 'the read replica',
  removeReplica: 'the removal of the read replica',
  replicationMode: 'the replication mode',
  failoverStrategy: 'the failover strategy',
  securityGroup: 'the security group',
  backupPolicy: 'the backup policy',
  minorUpgrade: 'the minor upgrade',
  failover: 'the failover',
};

function afterDone(o: Observed, acted: Acted, told: Verdict): Partial<Verdict> {
  if (acted.kind === 'watch' || acted.kind === 'mark') return { resyncAfterSeconds: PACE.soon };
  if (acted.kind === 'tag' || acted.kind === 'adopt' || acted.kind === 'untag') {
    return { resyncAfterSeconds: acted.kind === 'adopt' ? PACE.soon : told.resyncAfterSeconds };
  }
  const reason: Reason = acted.kind === 'restart' ? 'Restarting' : 'Changing';
  return {
    phase: 'Changing',
    conditions: [
      ...told.conditions,
      progressing('True', reason, `The cloud accepted ${WORDS[acted.kind] ?? acted.kind}.`),
    ],
    status: { ...told.status, operation: operation(o) },
    resyncAfterSeconds: PACE.transition,
  };
}

function afterCreate(o: Observed, acted: Acted): Verdict {
  const { id } = o.journal as Journal;
  if (acted.result === 'done' && id !== undefined) {
    const message = 'The cloud accepted the order and builds the instance; this takes 5 to 15 minutes.';
    return {
      action: NOTHING,
      phase: 'Creating',
      conditions: [
        ready('False', 'Creating', message),
        synced('False', 'Creating', message),
        progressing('True', 'Creating', message),
      ],
      status: { id, operation: operation(o) },
      resyncAfterSeconds: PACE.transition,
    };
  }
  if (acted.result === 'refused' && acted.failure) {
    const { failure } = acted;
    const text = steadyFailureText(failure, findCondition(o.rds.status?.conditions, 'Synced')?.message);
    const reason = failureReason(failure);
    const message = `The create was refused: ${text}. Nothing was created.`;
    return {
      action: NOTHING,
      phase: 'Pending',
      conditions: [
        ready('False', reason, message),
        synced('False', reason, message),
        progressing('False', reason, message),
      ],
      status: { operation: undefined },
      resyncAfterSeconds: retryPace(failure),
    };
  }
  const message =
    'The answer to the create was lost. The operator looks for the instance and creates again only when it is certain that there is none.';
  return {
    action: NOTHING,
    phase: 'Creating',
    conditions: [
      ready('False', 'CreateOutcomeUnknown', message),
      synced('False', 'CreateOutcomeUnknown', message),
      progressing('Unknown', 'CreateOutcomeUnknown', message),
    ],
    status: { operation: operation(o) },
    resyncAfterSeconds: PACE.transition,
  };
}

function withFailure(o: Observed, told: Verdict, failure: Failure, what: string): Partial<Verdict> {
  const text = steadyFailureText(failure, findCondition(o.rds.status?.conditions, 'Synced')?.message);
  const reason = failureReason(failure);
  const message = `${what}: ${text}.`;
  const hasInstance = (o.journal as Journal).id !== undefined;
  return {
    conditions: [
      ...told.conditions,
      synced('False', reason, message),
      ...(hasInstance ? [] : [ready('False', reason, message)]),
    ],
    resyncAfterSeconds: retryPace(failure),
  };
}
