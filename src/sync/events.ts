// What `kubectl describe rds` should tell. Events are derived from the change of status, and their key names
// the transition, so that any number of replicas writes each of them once.

import type { RdsStatus } from '../rds/status.ts';
import type { Observed } from './decide/observed.ts';

export type PlannedEvent = {
  rds: { namespace: string; name: string; uid: string; resourceVersion: string };
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The same transition has the same key on every replica. */
  key: string;
};

/** Reasons that pass by too quickly to be worth an Event. */
const QUIET = new Set(['Preparing', 'Idle', 'UpToDate', 'PasswordInSecret', 'ChildrenApplied']);

const GOOD = new Set([
  'Available',
  'ChangesPending',
  'Creating',
  'Restarting',
  'Changing',
  'Busy',
  'FinalBackup',
  'Deleting',
  'ProvingAbsence',
  'Released',
  'Stopped',
]);

const TOLD = new Set(['Ready', 'Synced', 'Progressing', 'ChildrenReady']);

export function eventsFor(o: Observed, { conditions = [], operation }: RdsStatus): PlannedEvent[] {
  const before = new Map((o.rds.status?.conditions ?? []).map((condition) => [condition.type, condition]));
  const { namespace, name, uid, resourceVersion, generation } = o.rds.metadata;
  const seen = new Set<string>();
  const events: PlannedEvent[] = [];
  for (const { type, reason, message, lastTransitionTime } of conditions) {
    const previous = before.get(type);
    if (!TOLD.has(type) || QUIET.has(reason) || seen.has(reason) || previous?.reason === reason) continue;
    seen.add(reason);
    events.push({
      rds: { namespace, name, uid, resourceVersion },
      type: GOOD.has(reason) ? 'Normal' : 'Warning',
      reason,
      message,
      // The operation tells two visits to the same state apart; without one, what the condition was before.
      key: `${reason}/${generation}/${operation?.startedAt ?? `${previous?.reason ?? ''}/${previous?.lastTransitionTime ?? lastTransitionTime}`}`,
    });
  }
  if (o.rds.status?.logs === true) {
    events.push({
      rds: { namespace, name, uid, resourceVersion },
      type: 'Warning',
      reason: 'NotYetSupported',
      message: 'status.logs was set: log Jobs are not carried out by this version.',
      key: `logs/${resourceVersion}`,
    });
  }
  return events;
}
