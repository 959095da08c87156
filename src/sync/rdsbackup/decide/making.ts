// From nothing to a claimed order (protocol C1-C5): each call makes one step, so that a crash between any two
// leaves something that the next call understands.

import type { Backup, Instance } from '../../../otc/cloud.ts';
import { backupName } from '../../../rds/backup.ts';
import { absenceProven, accepted, countAbsence, type Journal, refused } from '../../../rds/journal.ts';
import { UID_TAG } from '../../../rds/names.ts';
import type { Reason } from '../../../rds/reasons.ts';
import { stateOf } from '../../decide/instance-state.ts';
import { PACE } from '../../decide/plan.ts';
import { progressing, ready, synced, until } from '../../decide/words.ts';
import { absencePace } from './known.ts';
import type { FreshBackups, NamedRds, ObservedBackup } from './observed.ts';
import { type BackupAction, type BackupVerdict, NOTHING } from './plan.ts';

export function pending(
  action: BackupAction,
  reason: Reason,
  message: string,
  pace: number = PACE.soon,
): BackupVerdict {
  return {
    action,
    phase: 'Pending',
    conditions: [ready('False', reason, message), synced('False', reason, message)],
    resyncAfterSeconds: pace,
  };
}

/** Only a manual one: the name alone could be anybody's. */
export function ownBackup(o: ObservedBackup): Backup | undefined {
  const name = backupName(o.backup.metadata);
  return o.cloud.kind === 'fresh'
    ? o.cloud.backups.find((backup) => backup.name === name && backup.type === 'manual')
    : undefined;
}

/** That there is no journal may be a wrong answer: nothing is told without an id before one could be opened. */
export function making(o: ObservedBackup, journal: Journal | undefined): BackupVerdict {
  const verdict = nextStep(o, journal);
  const losesNothing = journal !== undefined || o.backup.status?.id !== undefined;
  return losesNothing || verdict.action.kind !== 'none'
    ? verdict
    : { ...verdict, action: { kind: 'openJournal', journal: {} } };
}

function nextStep(o: ObservedBackup, journal: Journal | undefined): BackupVerdict {
  const found = ownBackup(o);
  if (found) return foundAgain(journal, found);
  const { status } = o.backup;
  if (!journal && status?.id !== undefined) {
    const message = `Backup ${status.id}, known from status, is not listed in this project. None is made in its place: check spec.credentialsSecretRef, or create another RdsBackup.`;
    return { ...pending(NOTHING, 'BackupMissing', message, PACE.settled), phase: status.phase ?? 'Failed' };
  }
  const fit = fitInstance(o);
  if ('action' in fit) return fit;
  // The journal is made by an earlier call than the first claim.
  if (!journal)
    return pending({ kind: 'openJournal', journal: {} }, 'Preparing', 'The backup is being prepared.');
  const { metadata } = o.backup;
  const name = backupName(metadata);
  const description = o.spec.description ?? `RdsBackup ${metadata.namespace}/${metadata.name}`.slice(0, 256);
  return pending(
    {
      kind: 'claim',
      op: { kind: 'create', key: name, at: fit.at },
      write: { do: 'create', instanceId: fit.instanceId, name, description },
    },
    'Preparing',
    `Backup ${name} is being ordered.`,
  );
}

/** A journal that was lost, or an order whose effect came after all: known by its name. */
function foundAgain(journal: Journal | undefined, { id, instanceId }: Backup): BackupVerdict {
  const known = { ...journal, id, instanceId };
  const action: BackupAction = journal
    ? { kind: 'swapJournal', journal: known }
    : { kind: 'openJournal', journal: known };
  const message = `Found backup ${id}.`;
  return { ...pending(action, 'BackupRunning', message), phase: 'Running', status: { id, instanceId } };
}

/** An order was claimed and its outcome is not known: look until it must have shown itself, never repeat before. */
export function openOrder(o: ObservedBackup, journal: Journal, cloud: FreshBackups): BackupVerdict {
  const found = ownBackup(o);
  if (found) {
    const recorded = accepted(journal, { id: found.id });
    return foundAgain(recorded, found);
  }
  if (absenceProven(journal, cloud.at, o.timing)) {
    const message = 'The last order left no backup; another one is prepared.';
    return pending({ kind: 'swapJournal', journal: withoutClaim(journal) }, 'Preparing', message);
  }
  const counted = countAbsence(journal, cloud.at, o.timing);
  return {
    ...outcomeUnknown(o, journal, cloud.at),
    action: counted ? { kind: 'swapJournal', journal: counted } : NOTHING,
    resyncAfterSeconds: absencePace(counted ?? journal, cloud.at, o),
  };
}

export function outcomeUnknown(o: ObservedBackup, journal: Journal, at: number): BackupVerdict {
  const name = backupName(o.backup.metadata);
  const earliest = (journal.createClaimedAt ?? at) + o.timing.settleMs + 2 * o.timing.absenceGapMs;
  const message = `The answer to the order was lost. The operator looks for backup ${name} and orders again only when it is certain that there is none, not before ${until(earliest)}.`;
  const told = pending(NOTHING, 'OutcomeUnknown', message, PACE.transition);
  return {
    ...told,
    conditions: [...told.conditions, progressing('Unknown', 'OutcomeUnknown', message)],
    status: { instanceId: journal.instanceId },
  };
}

/** The order had no effect, so it is of no instance either. */
export function withoutClaim(journal: Journal): Journal {
  const { instanceId: _over, absence: _counted, ...rest } = refused(journal);
  return rest;
}

type Fit = { instanceId: string; at: number };

/** What must be right before anything is claimed. */
function fitInstance(o: ObservedBackup): Fit | BackupVerdict {
  const { rds } = o;
  const named = `Rds ${o.spec.rds}, named in spec.rds,`;
  if (!rds) {
    const message = `${named} does not exist in namespace ${o.backup.metadata.namespace}. Nothing was made.`;
    return pending(NOTHING, 'RdsNotFound', message, PACE.settled);
  }
  if (rds.isDeleting) {
    const message = `${named} is being deleted: no more backups are made of it. The final backup that it leaves can be adopted with spec.backupId and spec.instanceId.`;
    return pending(NOTHING, 'WaitingForInstance', message, PACE.settled);
  }
  if (rds.instanceId === undefined || o.cloud.kind !== 'fresh') {
    const message = `${named} has no instance yet; the backup is made when it has one.`;
    return pending(NOTHING, 'WaitingForInstance', message, PACE.settled);
  }
  const { instance, at } = o.cloud;
  if (instance?.id !== rds.instanceId) return notInProject(o, rds);
  return foreign(instance, rds) ?? notNow(instance) ?? untagged(instance) ?? { instanceId: instance.id, at };
}

function notInProject(o: ObservedBackup, rds: NamedRds): BackupVerdict {
  const wanted = rds.credentialsSecret;
  const remedy =
    wanted === o.spec.credentialsSecretRef?.name
      ? 'Check the Rds.'
      : wanted === undefined
        ? 'That Rds names no Secret: remove spec.credentialsSecretRef here.'
        : `That Rds uses Secret ${wanted}: name it in spec.credentialsSecretRef here too.`;
  const message = `Instance ${rds.instanceId} of Rds ${o.spec.rds} is not listed in the project of these credentials. ${remedy}`;
  return pending(NOTHING, 'InstanceMissing', message, PACE.settled);
}

/** Status is only a report; the tag in the cloud says whose instance it is. */
function foreign(instance: Instance, rds: NamedRds): BackupVerdict | undefined {
  const owner = instance.tags[UID_TAG];
  if (owner === undefined || owner === rds.uid) return undefined;
  const message = `spec.rds: instance ${instance.id} belongs to another Rds by its tag ${UID_TAG}; no backup is made of it.`;
  return pending(NOTHING, 'ForeignInstance', message, PACE.settled);
}

function untagged(instance: Instance): BackupVerdict | undefined {
  if (instance.tags[UID_TAG] !== undefined) return undefined;
  const message = `Instance ${instance.id} does not carry the tag ${UID_TAG} of that Rds yet.`;
  return pending(NOTHING, 'WaitingForInstance', message, PACE.waiting);
}

function notNow(instance: Instance): BackupVerdict | undefined {
  const state = stateOf(instance);
  if (state.transitional) {
    const reason: Reason = state.phase === 'Creating' ? 'WaitingForInstance' : 'Busy';
    return pending(NOTHING, reason, `The backup waits: ${state.sentence}`, PACE.waiting);
  }
  if (state.available || instance.status === 'STORAGE FULL') return undefined;
  return pending(NOTHING, state.reason, `No backup can be made: ${state.sentence}`, PACE.settled);
}
