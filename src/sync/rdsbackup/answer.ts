// Verdict -> the whole answer about an RdsBackup: status built on the previous one, no children, the pace.

import type { RdsBackupStatus } from '../../rds/backup.ts';
import { setConditions } from '../../rds/conditions.ts';
import { spread } from '../answer.ts';
import type { PlannedEvent } from '../events.ts';
import { journalOf, type ObservedBackup } from './decide/observed.ts';
import type { BackupVerdict } from './decide/plan.ts';

export type BackupAnswer = {
  status: RdsBackupStatus;
  children: never[];
  resyncAfterSeconds: number;
  finalized?: boolean;
};

export function buildBackupAnswer(o: ObservedBackup, verdict: BackupVerdict): BackupAnswer {
  // Metacontroller sets observedGeneration itself.
  const { observedGeneration: _forced, conditions = [], ...previous } = o.backup.status ?? {};
  const id = journalOf(o)?.id;
  const { generation, uid } = o.backup.metadata;
  const merged: RdsBackupStatus = {
    ...previous,
    ...(id === undefined ? {} : { id }),
    ...verdict.status,
    phase: verdict.phase,
    conditions: setConditions(conditions, verdict.conditions, { nowMs: o.nowMs, generation }),
  };
  return {
    status: Object.fromEntries(Object.entries(merged).filter(([, value]) => value !== undefined)),
    children: [],
    resyncAfterSeconds: spread(verdict.resyncAfterSeconds, uid),
    ...(verdict.finalized ? { finalized: true } : {}),
  };
}

const QUIET = new Set(['Preparing', 'Idle', 'UpToDate']);
const GOOD = new Set([
  'BackupRunning',
  'BackupCompleted',
  'WaitingForInstance',
  'Busy',
  'Deleting',
  'ProvingAbsence',
  'Released',
]);

/** One Event per transition, with the same key on every replica; the one of a complete backup has the recipe. */
export function backupEvents(
  { backup }: ObservedBackup,
  { conditions = [] }: RdsBackupStatus,
): PlannedEvent[] {
  const before = new Map((backup.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const { namespace, name, uid, resourceVersion, generation } = backup.metadata;
  const told = new Set<string>();
  return conditions.flatMap(({ type, reason, message, lastTransitionTime }): PlannedEvent[] => {
    const previous = before.get(type);
    if (QUIET.has(reason) || told.has(reason) || previous?.reason === reason) return [];
    told.add(reason);
    const since = previous?.lastTransitionTime ?? lastTransitionTime;
    return [
      {
        kind: 'RdsBackup',
        rds: { namespace, name, uid, resourceVersion },
        type: GOOD.has(reason) ? 'Normal' : 'Warning',
        reason,
        message,
        key: `${reason}/${generation}/${previous?.reason ?? ''}/${since}`,
      },
    ];
  });
}
