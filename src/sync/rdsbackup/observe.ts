// Collects what a decision about an RdsBackup needs: journal first, then the cloud, so that what is read later
// can only be newer than what was claimed.

import { type HeldJournal, JournalUnavailable } from '../../kube/journal.ts';
import type { Cloud } from '../../otc/cloud.ts';
import { backupSpecProblems } from '../../rds/backup-validate.ts';
import type { CallBudget } from '../budget.ts';
import { credentialsFor } from '../credentials.ts';
import type { SyncDeps } from '../deps.ts';
import { toFailure } from '../failure.ts';
import { keeps, mayHaveBackup } from './decide/finalize.ts';
import {
  type BackupView,
  journalOf,
  type NamedRds,
  type ObservedBackup,
  sourceInstance,
} from './decide/observed.ts';
import type { BackupRequest } from './request.ts';

type Unseen = Omit<ObservedBackup, 'journal' | 'cloud'>;

export type FullBackupView = {
  observed: ObservedBackup;
  held: HeldJournal | undefined;
  cloud: Cloud | undefined;
};

/** What the request itself tells. */
export function fromBackupRequest(deps: SyncDeps, request: BackupRequest): Unseen {
  const { backup, hasSpec } = request;
  return {
    backup,
    spec: backup.spec,
    problems: hasSpec ? backupSpecProblems(backup.spec) : [{ field: 'spec', message: 'is missing' }],
    nowMs: deps.clock.now(),
    rds: namedRds(request),
    timing: deps.timing,
  };
}

function namedRds({ backup, related }: BackupRequest): NamedRds | undefined {
  const found = related.find(({ kind, metadata }) => kind === 'Rds' && metadata.name === backup.spec.rds);
  if (!found) return undefined;
  const status = found.status as { id?: string } | undefined;
  const spec = found.spec as { credentialsSecretRef?: { name: string } } | undefined;
  return {
    uid: found.metadata.uid ?? '',
    instanceId: status?.id,
    isDeleting: found.metadata.deletionTimestamp !== undefined,
    credentialsSecret: spec?.credentialsSecretRef?.name,
  };
}

export async function observeBackup(
  deps: SyncDeps,
  request: BackupRequest,
  budget: CallBudget,
): Promise<FullBackupView> {
  const unseen = fromBackupRequest(deps, request);
  let held: HeldJournal | undefined;
  try {
    held = await deps.journal.read(request.backup.metadata.uid);
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
    const journal = { unavailable: error.message };
    return {
      observed: { ...unseen, journal, cloud: { kind: 'unasked' } },
      held: undefined,
      cloud: undefined,
    };
  }
  const known = { ...unseen, journal: held?.journal ?? ('none' as const) };
  const source = needsCloud(known) ? sourceInstance(known) : undefined;
  if (source === undefined)
    return { observed: { ...known, cloud: { kind: 'unasked' } }, held, cloud: undefined };
  try {
    const cloud = deps.openCloud(
      credentialsFor(deps, { rds: request.backup, related: request.related }),
      budget,
    );
    return { observed: { ...known, cloud: await look(cloud, known, source) }, held, cloud };
  } catch (error) {
    const view: BackupView = { kind: 'failed', failure: toFailure(error) };
    return { observed: { ...known, cloud: view }, held, cloud: undefined };
  }
}

type Known = Omit<ObservedBackup, 'cloud'>;

/** Closing a journal needs no cloud, and Retain none at all. */
function needsCloud(known: Known): boolean {
  if (known.backup.metadata.deletionTimestamp === undefined) return true;
  return journalOf(known)?.closed !== undefined && !keeps(known) && mayHaveBackup(known);
}

/** The instance is read only where an order may follow. */
async function look(cloud: Cloud, known: Known, source: string): Promise<BackupView> {
  const journal = journalOf(known);
  const { backup, rds } = known;
  const mayOrder =
    backup.metadata.deletionTimestamp === undefined &&
    journal?.id === undefined &&
    journal?.op === undefined &&
    rds?.instanceId === source;
  const instance = mayOrder ? (await cloud.findInstanceById(source)).value : undefined;
  const { value: backups, at } = await cloud.backups(source);
  return { kind: 'fresh', at, backups, instance };
}
