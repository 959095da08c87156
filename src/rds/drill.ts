// What the journal knows of restore drills: the schedule, the one that runs, and how the last one ended. The run is a
// record beside `op`, so that hours of restoring never hold up a change of the primary.

export type DrillResult = {
  /** Cancelled: nothing is proven either way, for example because the spec was changed. */
  kind: 'Passed' | 'Failed' | 'Cancelled';
  at: number;
  message: string;
};

/** Like an op of the primary; its key is the name of the throwaway instance. */
export type DrillOp = { kind: 'drill' | 'removeDrill'; key: string; at: number };

export type DrillRun = {
  /** The scheduled time that it stands for; the name of the throwaway instance comes from it. */
  slot: number;
  /** When it began. */
  at: number;
  /** What the spec said then, as a hash: a changed wish ends it. */
  wish: string;
  /** Which drawing of the password counts; the Secret carries the same mark. */
  draw: { mark: string; at: number };
  /** Claimed, outcome not recorded; beside the one of the primary. */
  op?: DrillOp;
  /** When the create was last claimed: absence is not believed before this plus the settle time. */
  createClaimedAt?: number;
  /** What is restored, in words. */
  source?: string;
  /** The throwaway instance, and the job that builds it. */
  id?: string;
  jobId?: string;
  builtAt?: number;
  /** From now on there is nothing left to do but to remove it. */
  result?: DrillResult;
  deletedAt?: number;
  /** A refusal that may pass, and when to try again. */
  trouble?: { text: string; until: number };
  absence?: { count: number; at: number };
};

export type DrillEnd = {
  slot: number;
  startedAt: number;
  endedAt: number;
  passed: boolean;
  restoreMs?: number;
  source?: string;
  message: string;
};

export type Drill = {
  schedule: string;
  /** Times of the schedule up to here are over. */
  since: number;
  run?: DrillRun;
  last?: DrillEnd;
};
