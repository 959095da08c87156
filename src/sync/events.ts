// What `kubectl describe rds` should tell. Events are derived from the change of status, and their key names
// the transition, so that any number of replicas writes each of them once.

import type { RdsStatus } from '../rds/status.ts';
import type { Observed } from './decide/observed.ts';

export type PlannedEvent = {
  /** An Rds where nothing is said. */
  kind?: 'RdsBackup';
  rds: { namespace: string; name: string; uid: string; resourceVersion: string };
  type: 'Normal' | 'Warning';
  reason: string;
  message: string;
  /** The same transition has the same key on every replica. */
  key: string;
};

/** Reasons that pass by too quickly to be worth an Event. */
const QUIET = new Set([
  'Preparing',
  'Idle',
  'UpToDate',
  'PasswordInSecret',
  'ChildrenApplied',
  'DatabasesWaiting',
  'DatabasesApplying',
  'DrillPending',
  'DrillOff',
  'Watching',
  'AutopilotPreparing',
  'AutopilotOff',
  'DiskLastsLong',
  // Told with their cause from the history of decisions.
  'Scaling',
]);

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
  'DatabasesApplied',
  'DrillPassed',
  'LogsRunning',
  'LogsRead',
  'IdFoundAgain',
  'Recommendation',
  'Recovered',
]);

const TOLD = new Set([
  'Ready',
  'Synced',
  'Progressing',
  'ChildrenReady',
  'DatabasesReady',
  'LogsFetched',
  'InstanceKept',
  'BackupDrill',
  'AutopilotReady',
  'DiskLasts',
  'Healthy',
]);

export function eventsFor(
  o: Observed,
  { conditions = [], operation, backup, scaling }: RdsStatus,
): PlannedEvent[] {
  const { namespace, name, uid, resourceVersion, generation } = o.rds.metadata;
  const shown = o.rds.status?.conditions ?? [];
  const events: PlannedEvent[] = [];
  // A reason that any condition bears already was told: a delete goes through other states and comes back to its own.
  const isTold = (reason: string): boolean =>
    shown.some((condition) => condition.reason === reason && TOLD.has(condition.type)) ||
    events.some((event) => event.reason === reason);
  for (const { type, reason, message, lastTransitionTime } of conditions) {
    if (!TOLD.has(type) || QUIET.has(reason) || isTold(reason)) continue;
    const previous = shown.find((condition) => condition.type === type);
    events.push({
      rds: { namespace, name, uid, resourceVersion },
      type: GOOD.has(reason) ? 'Normal' : 'Warning',
      reason,
      message,
      // The operation tells two visits to the same state apart; without one, what the condition was before.
      key: `${reason}/${generation}/${operation?.startedAt ?? `${previous?.reason ?? ''}/${previous?.lastTransitionTime ?? lastTransitionTime}`}`,
    });
  }
  const saved = newlySaved(o, backup);
  if (saved) {
    events.push({
      rds: { namespace, name, uid, resourceVersion },
      type: 'Normal',
      reason: 'FinalBackupCompleted',
      message: `Backup ${saved.id} is complete. To get the data back: spec.restoreFrom: ${saved.restoreFrom}`,
      key: `saved/${saved.id}`,
    });
  }
  const step = newStep(o, scaling);
  if (step) {
    events.push({
      rds: { namespace, name, uid, resourceVersion },
      type: 'Normal',
      reason: 'Scaled',
      message: `${step.what}: ${step.because}.`,
      key: `scaled/${step.at}`,
    });
  }
  return events;
}

/** A decision is made once a call at most, so the newest is the only one that can be new. */
function newStep(o: Observed, scaling: RdsStatus['scaling']) {
  const [newest] = scaling?.history ?? [];
  const [known] = o.rds.status?.scaling?.history ?? [];
  return newest && newest.at !== known?.at ? newest : undefined;
}

/** The way back to the data outlives the Rds only here and in the cloud. */
function newlySaved(o: Observed, backup: RdsStatus['backup']) {
  const saved = backup?.finalBackup;
  const isNew = o.rds.status?.backup?.finalBackup?.status !== 'COMPLETED';
  return saved?.status === 'COMPLETED' && isNew ? saved : undefined;
}
