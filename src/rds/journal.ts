// The memory that safety rests on: what was claimed, what is known, what is over. One per Rds UID, stored as
// a Lease and changed only by compare-and-swap (src/kube/journal.ts). Times are the cloud's, in ms.

import type { Drill } from './drill.ts';
import type { JobCredential, LogOrder } from './log-order.ts';
import type { Rotation } from './rotation.ts';
import type { Scale, Watch } from './scale.ts';

export type OpKind =
  | 'create'
  | 'finalBackup'
  | 'delete'
  | 'restart'
  | 'password'
  | 'replica'
  | 'removeReplica'
  | 'failover'
  | 'safetyBackup'
  | 'restore'
  // The throwaway instance of a drill: claimed in its own record, see src/rds/drill.ts.
  | 'drill'
  | 'removeDrill'
  // Changes of a running instance, as src/otc names them.
  | 'enlarge'
  | 'resize'
  | 'addStandby'
  | 'replicationMode'
  | 'failoverStrategy'
  | 'port'
  | 'securityGroup'
  | 'backupPolicy'
  | 'parameters'
  | 'tags'
  | 'ssl'
  | 'window'
  | 'stop'
  | 'start'
  | 'minorUpgrade';

export type Op = {
  kind: OpKind;
  /** What exactly is claimed: an order's value, a target size, a backup name. */
  key: string;
  seq: number;
  /** The cloud's clock in the look-up of the claiming call. */
  at: number;
};

export type Journal = {
  /** Instance in the cloud, or the backup of an RdsBackup. Once set it is never taken back. */
  id?: string;
  /** Of an RdsBackup: the instance whose backup was claimed or adopted; the cloud lists backups only by it. */
  instanceId?: string;
  /** True when the instance was not made by us: its root password is never reset. */
  adopted?: boolean;
  /** Claimed, outcome not recorded. */
  op?: Op;
  /** The same, pushed aside by a disk that is full; it comes back when that one is settled. */
  aside?: Op;
  /** The last operation that the cloud accepted; for people and for the job's failure reason. */
  last?: Op & { jobId?: string };
  /** When the last create was claimed: absence is not believed before this plus the settle time. */
  createClaimedAt?: number;
  /** Fresh reads in a row that did not show the instance. */
  absence?: { count: number; at: number };
  /** Which drawing of the root password counts; the Secret carries the same mark. */
  draw?: { mark: string; at: number };
  /** Which version of its source the root password in the cloud comes from; nothing of its content. */
  password?: string;
  /** Orders that were carried out: annotation key -> value. */
  handled?: Record<string, string>;
  /** An order given by status.reboot: true; absent when none is known. */
  reboot?: 'ordered' | 'done';
  /** The same for status.logs: true. */
  logsOrdered?: 'ordered' | 'done';
  /** The last order for logs. */
  logs?: LogOrder;
  /** Given out to Jobs and not known to be dead. */
  credentials?: JobCredential[];
  /** Parameters that were set and wait for a restart. */
  pendingRestart?: string[];
  /** Tags that came from the spec: they go when they leave it. */
  tags?: string[];
  /** We stopped the instance: it is started when the spec no longer asks for that. */
  stopped?: boolean;
  /** Read replicas that we made, by their name in the spec; `at`: when the create was claimed. */
  replicas?: Record<string, { id: string; at: number }>;
  /** Fresh reads in a row that did not show one of them. */
  replicaAbsence?: { name: string; count: number; at: number };
  /** URN of the topic that tells its alarms: where credentials are a tenant's, the receiver knows it only from here. */
  topicUrn?: string;
  /** Restore drills: when, the one that runs, how the last one ended. */
  drill?: Drill;
  /** Consent to a plan, kept while its parts are carried out. */
  approved?: { generation: number; targets: string[] };
  /** How often the same change was accepted within one generation; it stops a fight with somebody else. */
  repeats?: Record<string, { key: string; generation: number; count: number; at: number }>;
  /** What the autopilot decided. */
  scale?: Scale;
  /** Alarms and topic that may be in the cloud. */
  watch?: Watch;
  /** An instance that does not work: since when, and what was tried. */
  trouble?: Trouble;
  /** A create that the cloud refused for what it was given: not sent again until that changes, or for a while. */
  rejected?: { inputs: string; at: number };
  /** Accounts whose logins take turns, by the name that status gives them. */
  rotations?: Record<string, Rotation>;
  /** Made while the cloud could not be asked: nobody has looked whether there is anything. */
  isBlind?: boolean;
  /** The instance stays and is free for others; until then a closing Rds still owns it. */
  letGo?: boolean;
  /** Set by finalize: no call starts anything for this UID from then on. `unknownPast`: the journal was new then. */
  closed?: { at: number; unknownPast: boolean };
};

/** `since`: first seen so. `tried`: the remedy, which is given once; `triedAt` outlives the trouble. */
export type Trouble = { status?: string; since?: number; tried?: 'restart' | 'failover'; triedAt?: number };

export type Timing = {
  /** How long after a claim an unknown outcome may still show. */
  settleMs: number;
  /** Time between two reads that count towards absence. */
  absenceGapMs: number;
  /** What an hour of the spec lasts; tests make it short. */
  hourMs?: number;
};

/** Fresh empty reads, this far apart, before an instance is believed to be absent (protocol C4). */
export const ABSENCE_READS = 3;

/** Seconds of one call that count towards the settle time: last start, process pause, call deadline. */
const OWN_SECONDS = 20 + 12 + 8;

export type CloudBounds = { lateEffectSeconds: number; listLagSeconds: number };

/** Below this sum a create could be repeated while the first one is still on its way (protocol, Constants). */
export function minimumSettleSeconds(bounds: CloudBounds): number {
  return OWN_SECONDS + bounds.lateEffectSeconds + bounds.listLagSeconds;
}

/** What we assume about the cloud gets a margin (300 s with the default bounds); our own part is enforced. */
export function settleSeconds(bounds: CloudBounds): number {
  const margin = Math.ceil(((bounds.lateEffectSeconds + bounds.listLagSeconds) * 13) / 9);
  return OWN_SECONDS + Math.max(1, margin);
}

export function claim(journal: Journal, op: Omit<Op, 'seq'>): Journal {
  const seq = (journal.op?.seq ?? journal.last?.seq ?? 0) + 1;
  const isPushedAside = journal.op && op.kind === 'enlarge' && journal.op.kind !== 'enlarge';
  const aside = isPushedAside ? { aside: journal.op } : {};
  const claimed: Journal = { ...journal, ...aside, op: { ...op, seq } };
  if (op.kind === 'create') claimed.createClaimedAt = op.at;
  return withoutAbsence(claimed);
}

/** A definite no: nothing happened, so a refused create leaves no claim whose effect could still show. */
export function refused(journal: Journal): Journal {
  const { op, createClaimedAt, ...rest } = journal;
  const next = op?.kind === 'create' || createClaimedAt === undefined ? rest : { ...rest, createClaimedAt };
  return withoutAside(next);
}

/** What was pushed aside is open again. */
function withoutAside(journal: Journal): Journal {
  const { aside, ...rest } = journal;
  return aside ? { ...rest, op: aside } : journal;
}

export function accepted(journal: Journal, facts: { id?: string; jobId?: string | undefined }): Journal {
  const { op, ...rest } = journal;
  if (!op) return journal;
  return withoutAside({
    ...rest,
    ...(facts.id === undefined ? {} : { id: facts.id }),
    last: facts.jobId === undefined ? op : { ...op, jobId: facts.jobId },
  });
}

export function withoutAbsence(journal: Journal): Journal {
  const { absence: _over, ...rest } = journal;
  return rest;
}

/** The earliest time at which an empty read counts towards absence. */
export function absenceCountsFrom(journal: Journal, timing: Timing): number {
  const settled = (journal.createClaimedAt ?? Number.NEGATIVE_INFINITY) + timing.settleMs;
  const spaced = (journal.absence?.at ?? Number.NEGATIVE_INFINITY) + timing.absenceGapMs;
  return Math.max(settled, spaced);
}

/** Reads further apart than this are not one observation: counting starts over, the safe direction. */
const ABSENCE_EXPIRES_GAPS = 20;

/** Counts one empty fresh read; undefined when it is too early to count. */
export function countAbsence(journal: Journal, at: number, timing: Timing): Journal | undefined {
  if (at < absenceCountsFrom(journal, timing)) return undefined;
  const { absence } = journal;
  const before = absence && isRecent(absence.at, at, timing) ? absence.count : 0;
  return { ...journal, absence: { count: before + 1, at } };
}

/** Enough to tell people; what is done on it needs a proof that has not grown old. */
export function absenceWasProven(journal: Journal): boolean {
  return (journal.absence?.count ?? 0) >= ABSENCE_READS;
}

/** A proof grows old like the reads it is made of. */
export function absenceProven(journal: Journal, at: number, timing: Timing): boolean {
  const { absence } = journal;
  return absence !== undefined && absenceWasProven(journal) && isRecent(absence.at, at, timing);
}

function isRecent(then: number, at: number, timing: Timing): boolean {
  return at - then <= ABSENCE_EXPIRES_GAPS * timing.absenceGapMs;
}
