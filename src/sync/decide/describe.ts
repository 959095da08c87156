// An instance that we know, told as status: shared by every decision that has one in front of it.

import type { Instance } from '../../otc/cloud.ts';
import type { ConditionWish } from '../../rds/conditions.ts';
import { isoTime } from '../../rds/conditions.ts';
import { connectionSecretName } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import { pendingChanges, planHash, reportedPlan, unsupportedFields } from './changes.ts';
import { stateOf } from './instance-state.ts';
import type { Observed } from './observed.ts';
import { NOTHING, PACE, type Verdict } from './plan.ts';
import { idle, progressing, ready, synced } from './words.ts';

export function describe(o: Observed, instance: Instance): Verdict {
  const state = stateOf(instance);
  const reason = o.cloud.kind === 'fresh' ? o.cloud.failReason : undefined;
  const sentence = reason === undefined ? state.sentence : `${state.sentence} It says: ${reason}.`;
  return {
    action: NOTHING,
    phase: state.phase,
    conditions: [
      ready(
        state.available ? 'True' : 'False',
        state.reason === 'Busy' && state.available ? 'Available' : state.reason,
        sentence,
      ),
      state.transitional ? progressing('True', state.reason, state.sentence) : idle(),
      difference(o, instance),
    ],
    status: facts(o, instance),
    resyncAfterSeconds: state.transitional ? PACE.transition : PACE.settled,
  };
}

function difference(o: Observed, instance: Instance): ConditionWish {
  const changes = pendingChanges(o, instance);
  const first = changes[0];
  if (first) {
    const list = changes.map(({ field, from, to }) => `${field} ${from} -> ${to}`).join(', ');
    return synced('False', 'ChangesPending', `Differs from the spec: ${list}.`);
  }
  const later = unsupportedFields(o);
  if (later.length > 0) {
    return synced(
      'True',
      'NotYetSupported',
      `This version does not act on: ${later.map((field) => `spec.${field}`).join(', ')}.`,
    );
  }
  return synced('True', 'UpToDate', 'The instance is as the spec says.');
}

function facts(o: Observed, instance: Instance): Partial<RdsStatus> {
  const plan = reportedPlan(pendingChanges(o, instance));
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
