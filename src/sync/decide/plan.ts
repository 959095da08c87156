// What a decision says: at most one action, and the words for it. The loop turns it into an answer.

import type { InstanceChange, NewReplica } from '../../otc/cloud.ts';
import type { Meter } from '../../rds/autopilot.ts';
import type { ConditionWish } from '../../rds/conditions.ts';
import type { Journal, Op } from '../../rds/journal.ts';
import type { Phase, RdsStatus } from '../../rds/status.ts';
import type { DatabasesPlan } from './databases-plan.ts';

/** A write that must not be repeated: claimed in the journal before it is sent. */
export type Claimed =
  | { do: 'create' }
  | { do: 'finalBackup'; instanceId: string; name: string; attempt: number }
  | { do: 'delete'; instanceId: string }
  /** `annotated`: the value of the annotation that ordered it. */
  | { do: 'restart'; instanceId: string; annotated: string | undefined }
  | { do: 'change'; instanceId: string; change: InstanceChange }
  | { do: 'replica'; wanted: NewReplica }
  | { do: 'removeReplica'; instanceId: string }
  | { do: 'safetyBackup'; instanceId: string; name: string }
  | { do: 'restore'; instanceId: string; time: number }
  | { do: 'password'; instanceId: string; version: string };

export type Action =
  | { kind: 'none' }
  /** The view was too cheap to decide on: read journal and cloud, then decide again. */
  | { kind: 'lookCloser' }
  /** The view is from the past: answer 429, write nothing. */
  | { kind: 'stale'; because: string; afterSeconds?: number }
  /** Answer 503: nothing is known about this Rds, and a 200 would erase what others know. */
  | { kind: 'unavailable'; because: string }
  | { kind: 'openJournal'; journal: Journal }
  | { kind: 'swapJournal'; journal: Journal }
  /** The same, unless a live read shows that the view is from the past. */
  | { kind: 'swapIfLive'; journal: Journal }
  /** `also` goes into the journal together with the claim. */
  | { kind: 'claim'; op: Omit<Op, 'seq'>; write: Claimed; also?: Partial<Journal> }
  /** The plan goes into status before it is carried out, if a live read shows that it is still wanted. */
  | { kind: 'tell'; write: Claimed }
  /** Orders by `true` in status go into the journal, if a live read shows them too. */
  | { kind: 'takeBooleans'; journal: Journal }
  /** A carried out status.reboot may be ordered again once a live read shows `false`. */
  | { kind: 'forgetReboot' }
  | { kind: 'tag'; instanceId: string }
  /** A decision of the autopilot, or the end of one: into the journal, if the spec is live. */
  | { kind: 'scale'; journal: Journal; decided?: Meter }
  /** The machine that was decided on, as a tag of the instance; undefined takes it off. */
  | { kind: 'mark'; instanceId: string; value: string | undefined }
  /** Alarms and topic; safe to repeat, since too many are found by their name. */
  | { kind: 'watch'; at: number; work: WatchWork }
  /** Remove our marks from the cluster and, with `untag`, from the instance, which stays if `keeps`. */
  | { kind: 'letGo'; instanceId: string; keeps: boolean; untag: boolean }
  | { kind: 'adopt'; instanceId: string }
  /** The throwaway instance of a drill: claimed in its own record of the journal. */
  | { kind: 'createDrill' }
  | { kind: 'tagDrill'; instanceId: string }
  | { kind: 'removeDrill'; instanceId: string }
  | { kind: 'endDrill'; journal: Journal };

export type WatchWork = {
  create: readonly Meter[];
  repair: readonly { id: string; meter: Meter }[];
  remove: readonly string[];
  /** Make the topic and ask this address to confirm. */
  subscribe?: string | undefined;
  removesTopic?: boolean;
};

export type Verdict = {
  action: Action;
  phase: Phase;
  conditions: ConditionWish[];
  /** Fields of status that change; undefined removes one. */
  status?: Partial<RdsStatus>;
  resyncAfterSeconds: number;
  /** Databases and users; their children stay as they are where nothing is said. */
  databases?: DatabasesPlan | undefined;
  /** Draw the root password into its Secret in this answer. */
  drawRoot?: boolean;
  finalized?: boolean;
};

export const NOTHING: Action = { kind: 'none' };

/** Seconds until the next look. */
export const PACE = { soon: 1, transition: 5, waiting: 10, settled: 60, slow: 300 } as const;
