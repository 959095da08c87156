// How the cloud's states read for a user of the database.

import type { Instance } from '../../otc/cloud.ts';
import type { Reason } from '../../rds/reasons.ts';
import type { Phase } from '../../rds/status.ts';

export type InstanceState = {
  phase: Phase;
  /** Whether clients can work with the database. */
  available: boolean;
  /** Whether the cloud works on it and refuses other operations. */
  transitional: boolean;
  reason: Reason;
  sentence: string;
};

const usable = (reason: Reason, sentence: string): InstanceState => ({
  phase: 'Changing',
  available: true,
  transitional: true,
  reason,
  sentence,
});

const away = (phase: Phase, reason: Reason, sentence: string): InstanceState => ({
  phase,
  available: false,
  transitional: true,
  reason,
  sentence,
});

const broken = (phase: Phase, reason: Reason, sentence: string): InstanceState => ({
  phase,
  available: false,
  transitional: false,
  reason,
  sentence,
});

const STATES: Record<string, InstanceState> = {
  ACTIVE: {
    phase: 'Ready',
    available: true,
    transitional: false,
    reason: 'Available',
    sentence: 'The database accepts connections.',
  },
  BUILD: away('Creating', 'Creating', 'The cloud builds the instance; this takes 5 to 15 minutes.'),
  'CREATE FAIL': broken('Failed', 'CreateFailed', 'The cloud could not build the instance.'),
  FAILED: broken('Failed', 'InstanceFailed', 'The cloud reports the instance as failed.'),
  SHUTDOWN: broken(
    'Stopped',
    'Stopped',
    'The instance is stopped; the cloud starts it again after seven days.',
  ),
  'STORAGE FULL': broken(
    'Failed',
    'StorageFull',
    'The disk is full and the database read-only: raise spec.volumesize.',
  ),
  FROZEN: broken('Failed', 'Frozen', 'The cloud froze the instance, usually because of the account.'),
  MODIFYING: usable('Changing', 'The cloud changes disk or machine of the instance.'),
  'MODIFYING INSTANCE TYPE': usable('Changing', 'The cloud adds a standby to the instance.'),
  'BACKING UP': usable('Busy', 'The cloud makes a backup.'),
  MIGRATING: usable('Busy', 'The cloud moves the standby.'),
  REBOOTING: away('Changing', 'Restarting', 'The instance restarts.'),
  SWITCHOVER: away('Changing', 'Busy', 'The standby takes over.'),
  RESTORING: away('Restoring', 'Busy', 'The cloud restores data into the instance.'),
  'MODIFYING DATABASE PORT': away('Changing', 'Changing', 'The cloud changes the port.'),
};

/** A state that the sheet does not know is treated as busy: nothing is written on a guess. */
export function stateOf(instance: Pick<Instance, 'status'>): InstanceState {
  return (
    STATES[instance.status] ?? away('Changing', 'Busy', `The cloud reports the state ${instance.status}.`)
  );
}
