// An Rds as the plugin shows it: only fields that are named here, so that no password in a spec is ever printed.

import { REASONS, type Reason } from '../rds/reasons.ts';
import type { Condition, RdsStatus } from '../rds/status.ts';
import type { RdsObject } from './cluster.ts';

export type RdsView = ReturnType<typeof rdsView>;

export function rdsView({ metadata, spec, status = {} }: RdsObject) {
  const ready = conditionOf(status, 'Ready');
  return {
    namespace: metadata.namespace,
    name: metadata.name,
    createdAt: metadata.creationTimestamp,
    ready: ready?.status ?? 'Unknown',
    reason: ready?.reason,
    phase: status.phase,
    status: status.status,
    engine: spec?.datastoretype,
    version: status.engineVersion ?? spec?.datastoreversion,
    flavor: status.flavor ?? spec?.flavorref,
    volumeGb: status.volumeGb ?? spec?.volumesize,
    ip: status.ip,
    port: status.port,
    id: status.id,
    instanceName: status.instanceName,
    secret: status.binding?.name,
    credentials: status.credentials,
    operation: status.operation,
    plan: status.plan ?? [],
    planHash: status.planHash,
    pendingRestart: status.pendingRestart,
    backup: status.backup,
    replicas: status.replicas,
    scaling: status.scaling,
    conditions: status.conditions ?? [],
    nextStep: nextStep(metadata.name, status),
  };
}

export function conditionOf(status: Pick<RdsStatus, 'conditions'>, type: string): Condition | undefined {
  return status.conditions?.find((one) => one.type === type);
}

/** Which aspect to look at first. */
const ORDER = ['Ready', 'Synced', 'ChildrenReady', 'DatabasesReady', 'BackupsReady', 'CredentialsSafe'];
const rank = ({ type }: Condition): number => (ORDER.includes(type) ? ORDER.indexOf(type) : ORDER.length);

/** Conditions that somebody may have to do something about; Progressing only tells what goes on. */
export function worries({ conditions = [] }: Pick<RdsStatus, 'conditions'>): Condition[] {
  return conditions
    .filter(({ type, status }) => type !== 'Progressing' && status !== 'True')
    .sort((a, b) => rank(a) - rank(b));
}

const remedyOf = (reason: string): string | undefined => REASONS[reason as Reason]?.remedy;

function nextStep(name: string, status: RdsStatus): string {
  const [first] = worries(status);
  if (status.conditions === undefined || status.conditions.length === 0)
    return 'The operator has not looked at it yet. If this lasts: is rds-pilot installed and Metacontroller running?';
  if (!first) return 'Nothing to do.';
  if (first.reason === 'WaitingForWindow')
    return `Wait for the window, or run them now: kubectl rds approve ${name}`;
  return remedyOf(first.reason) ?? 'Read the message of the condition.';
}
