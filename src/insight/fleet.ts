// What this replica knows about the Rds that it synced lately: metrics are told from here, so that a scrape asks
// neither the API server nor the list of instances. Bounded in time and in number.

import type { Clock } from '../clock.ts';
import type { Credentials, Engine } from '../otc/cloud.ts';
import type { JobCredential } from '../rds/log-order.ts';
import type { Phase, PlannedChange, RdsStatus } from '../rds/status.ts';
import type { HookAnswer } from '../sync/answer.ts';
import { credentialsFor } from '../sync/credentials.ts';
import type { Observed } from '../sync/decide/observed.ts';
import type { SyncDeps } from '../sync/deps.ts';
import type { View } from '../sync/request.ts';

const KNOWN_FOR_MS = 15 * 60_000;
const MOST = 10_000;

/** Somebody who copies the data of the primary. */
export type Follower = { name: string } & ({ nodeId: string } | { instanceId: string });

export type KnownInstance = {
  id: string;
  engine: Engine;
  volumeGb: number;
  isBuilt: boolean;
  followers: readonly Follower[];
};

export type KnownRds = {
  uid: string;
  namespace: string;
  name: string;
  phase: Phase | undefined;
  impacts: readonly PlannedChange['impact'][];
  /** When the last complete one ended, as status tells it. */
  lastBackup: string | undefined;
  /** Undefined: nothing is known, or backups are off. */
  backupProblem: boolean | undefined;
  /** The last restore drill that came to a result. */
  drill?: { hasFailed: boolean; endedAt: number; seconds: number } | undefined;
  instance: KnownInstance | undefined;
  jobCredentials: readonly JobCredential[];
  /** Undefined: there are none that work. */
  credentials: Credentials | undefined;
  /** By our clock, for people. */
  seenAt: number;
  /** By the clock that never goes back, for ages. */
  elapsedAt: number;
};

export type Fleet = {
  synced(view: View, observed: Observed, answer: HookAnswer): void;
  syncedAgain(uid: string): void;
  /** Those of the last 15 minutes, longest unseen first. */
  known(): KnownRds[];
};

type FleetDeps = Pick<SyncDeps, 'defaultCredentials' | 'readCredentials'> & { clock: Clock };

export function createFleet(deps: FleetDeps): Fleet {
  const { clock } = deps;
  /** In the order of the last sync. */
  const byUid = new Map<string, KnownRds>();

  function forgetOld(): void {
    for (const [uid, { elapsedAt }] of byUid) {
      if (clock.elapsed() - elapsedAt <= KNOWN_FOR_MS && byUid.size <= MOST) return;
      byUid.delete(uid);
    }
  }

  return {
    synced(view, observed, { status, finalized }) {
      const { uid, namespace, name } = view.rds.metadata;
      const before = byUid.get(uid);
      byUid.delete(uid);
      if (finalized) return;
      byUid.set(uid, {
        uid,
        namespace,
        name,
        phase: status.phase,
        impacts: status.plan?.map(({ impact }) => impact) ?? [],
        ...backupsIn(status),
        drill: drillIn(status),
        instance: instanceIn(observed, status) ?? before?.instance,
        jobCredentials: jobCredentialsIn(observed) ?? before?.jobCredentials ?? [],
        credentials: usableCredentials(deps, view),
        seenAt: clock.now(),
        elapsedAt: clock.elapsed(),
      });
      forgetOld();
    },
    syncedAgain(uid) {
      const known = byUid.get(uid);
      if (!known) return;
      byUid.delete(uid);
      byUid.set(uid, { ...known, seenAt: clock.now(), elapsedAt: clock.elapsed() });
    },
    known() {
      forgetOld();
      return [...byUid.values()];
    },
  };
}

function backupsIn({ backup, conditions }: RdsStatus): Pick<KnownRds, 'lastBackup' | 'backupProblem'> {
  const last = backup?.lastAutomated;
  const condition = conditions?.find(({ type }) => type === 'BackupsReady');
  const isTold = condition !== undefined && condition.reason !== 'BackupsOff';
  return {
    lastBackup: last?.status === 'COMPLETED' ? (last.endTime ?? last.beginTime) : undefined,
    backupProblem: isTold ? condition.status === 'False' : undefined,
  };
}

/** Not of a schedule that is not asked for any more: nobody could make its alarm go away. */
function drillIn({ backup, conditions }: RdsStatus): KnownRds['drill'] {
  const last = backup?.drill?.last;
  const isOff = conditions?.some(({ reason }) => reason === 'DrillOff') ?? false;
  if (!last || isOff) return undefined;
  return { hasFailed: last.result === 'Failed', endedAt: Date.parse(last.endedAt), seconds: last.seconds };
}

function instanceIn({ cloud }: Observed, { replicas = [] }: RdsStatus): KnownInstance | undefined {
  if ((cloud.kind !== 'glance' && cloud.kind !== 'fresh') || !cloud.instance) return undefined;
  const { id, engine, volumeGb, ip, nodes } = cloud.instance;
  const standbys = nodes.filter(({ role }) => role === 'slave').map((node) => node.id);
  const followers: Follower[] = [
    ...standbys.map((nodeId) => ({ name: 'standby', nodeId })),
    ...replicas.flatMap((replica) => (replica.id ? [{ name: replica.name, instanceId: replica.id }] : [])),
  ];
  return { id, engine, volumeGb, isBuilt: ip !== undefined, followers };
}

/** Undefined: the journal was not read. */
function jobCredentialsIn({ journal }: Observed): readonly JobCredential[] | undefined {
  if (journal === 'none') return [];
  return typeof journal === 'object' && !('unavailable' in journal) ? (journal.credentials ?? []) : undefined;
}

function usableCredentials(deps: FleetDeps, view: View): Credentials | undefined {
  try {
    return credentialsFor(deps, view);
  } catch {
    // The sync itself tells why.
    return undefined;
  }
}
