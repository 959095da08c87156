// An instance that we know, told as status: shared by every decision that has one in front of it.

import type { Instance } from '../../otc/cloud.ts';
import type { ConditionWish } from '../../rds/conditions.ts';
import { isoTime } from '../../rds/conditions.ts';
import { connectionSecretName } from '../../rds/names.ts';
import type { Reason } from '../../rds/reasons.ts';
import type { RdsStatus } from '../../rds/status.ts';
import { healthCondition } from './autopilot/heal.ts';
import { autopilotConditions, autopilotStatus } from './autopilot/report.ts';
import { backupCondition, reportedBackups } from './backup-state.ts';
import { type Change, pendingChanges, planHash, reportedPlan } from './changes/pending.ts';
import { startsByItself } from './changes/power.ts';
import { reportedReplicas } from './changes/replicas.ts';
import type { Case } from './changes/wish.ts';
import { databasesPlan } from './databases.ts';
import { stateOf } from './instance-state.ts';
import { leftovers } from './leftovers.ts';
import type { Observed } from './observed.ts';
import { waitingRestart } from './orders.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';
import { idle, progressing, ready, synced } from './words.ts';

export function describe(o: Observed, instance: Instance): Verdict {
  const state = stateOf(instance);
  const reason = o.cloud.kind === 'fresh' ? o.cloud.failReason : undefined;
  const sentence = reason === undefined ? state.sentence : `${state.sentence} It says: ${reason}.`;
  const databases = databasesPlan(o, instance);
  const changes = pendingChanges(o, instance);
  return {
    action: NOTHING,
    phase: state.phase,
    conditions: [
      ready(
        state.available ? 'True' : 'False',
        state.reason === 'Busy' && state.available ? 'Available' : state.reason,
        sentence,
      ),
      state.transitional
        ? progressing('True', state.reason, state.sentence)
        : (waitingRestart(o, instance) ?? idle()),
      difference(o, changes),
      ...backupCondition(o, instance),
      ...leftovers(o),
      ...healthCondition(o, instance),
      ...autopilotConditions(o, instance),
      ...(databases?.conditions ?? []),
    ],
    status: { ...facts(o, instance, changes), ...(databases ? { databases: databases.report } : {}) },
    databases,
    resyncAfterSeconds: state.transitional
      ? PACE.transition
      : hasBusyReplica(o)
        ? PACE.waiting
        : (databases?.resyncAfterSeconds ?? PACE.settled),
  };
}

function hasBusyReplica(o: Observed): boolean {
  if (o.cloud.kind !== 'glance' && o.cloud.kind !== 'fresh') return false;
  return o.cloud.details.replicas?.some((replica) => stateOf(replica).transitional) ?? false;
}

function difference(o: Observed, changes: readonly Change[]): ConditionWish {
  if (changes.length > 0) {
    const list = changes.map(({ field, from, to, when }) => `${field} ${from} -> ${to} (${when})`).join('; ');
    return synced('False', reasonOf(changes), `Differs from the spec: ${list}.`.slice(0, 4_000));
  }
  return synced('True', 'UpToDate', 'The instance is as the spec says.');
}

/** What moves comes first, then what waits for its time, then what never will. */
function reasonOf(changes: readonly Change[]): Reason {
  if (changes.some(({ order, waits }) => order && !waits)) return 'ChangesPending';
  if (changes.some(({ waits }) => waits)) return 'WaitingForWindow';
  return changes.every(({ impact }) => impact === 'impossible') ? 'ImpossibleChange' : 'ChangesPending';
}

function facts(o: Observed, instance: Instance, changes: readonly Change[]): Partial<RdsStatus> {
  const plan = reportedPlan(changes);
  const details = o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details : {};
  const one: Case = { o, instance, details };
  const state = stateOf(instance);
  return {
    id: instance.id,
    instanceName: instance.name,
    status: instance.status,
    port: instance.port,
    engineVersion: instance.completeVersion ?? instance.version,
    flavor: instance.flavor,
    volumeGb: instance.volumeGb,
    ...(instance.ip === undefined ? {} : { ip: instance.ip }),
    ...(instance.ip !== undefined && o.password.value !== undefined
      ? { binding: { name: connectionSecretName(o.rds.metadata.name) } }
      : {}),
    plan,
    planHash: plan.length > 0 ? planHash(plan, o.rds.metadata.generation) : undefined,
    operation: state.transitional ? operation(o) : undefined,
    startsAt: startsByItself(one),
    ...reportedReplicas(one),
    ...reportedBackups(o),
    ...autopilotStatus(o),
  };
}

/** A copy for people; the journal is the truth, and where it was not read the last copy stands. */
export function operation(o: Observed): RdsStatus['operation'] {
  if (typeof o.journal !== 'object' || 'unavailable' in o.journal) return o.rds.status?.operation;
  const { op, last } = o.journal;
  const shown = op ?? last;
  if (!shown) return o.rds.status?.operation;
  const jobId = op ? undefined : last?.jobId;
  return {
    kind: shown.kind,
    startedAt: isoTime(shown.at),
    ...(jobId === undefined ? {} : { jobId }),
  };
}
