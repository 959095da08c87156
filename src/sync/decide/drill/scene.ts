// One drill as a call sees it. Which instance is its throwaway is decided here and nowhere else: by the id of the
// journal and by the name, never by one of them, and never one that has another owner.

import type { Instance } from '../../../otc/cloud.ts';
import type { Drill, DrillResult, DrillRun } from '../../../rds/drill.ts';
import { countAbsentRun } from '../../../rds/drill-run.ts';
import type { Journal } from '../../../rds/journal.ts';
import { drillName, UID_TAG } from '../../../rds/names.ts';
import type { Observed } from '../observed.ts';
import { type Action, NOTHING, PACE } from '../plan.ts';

export type Step = { action: Action; pace: number };

/** Nobody waits for a drill, and a restore takes its time: looked at twice a minute. */
export const UNHURRIED = 30;

export const wait = (pace: number = UNHURRIED): Step => ({ action: NOTHING, pace });

export type Scene = {
  o: Observed;
  journal: Journal;
  drill: Drill;
  run: DrillRun;
  /** The cloud's clock. */
  at: number;
  /** Of the throwaway instance. */
  name: string;
  throwaway: Instance | undefined;
  /** Has the id of the throwaway, and somebody gave it another name or owner. */
  taken: Instance | undefined;
};

export function sceneOf(o: Observed, journal: Journal, drill: Drill, run: DrillRun): Scene | undefined {
  if (o.cloud.kind !== 'fresh' || !o.cloud.throwaways) return undefined;
  const { uid } = o.rds.metadata;
  const name = drillName(uid, run.slot);
  const isOurs = (one: Instance) =>
    one.name === name &&
    (one.tags[UID_TAG] ?? uid) === uid &&
    one.type === 'Single' &&
    one.id !== journal.id &&
    !Object.values(journal.replicas ?? {}).some(({ id }) => id === one.id);
  const known = o.cloud.throwaways.find(({ id }) => id === run.id);
  return {
    o,
    journal,
    drill,
    run,
    at: o.cloud.at,
    name,
    throwaway: known ? (isOurs(known) ? known : undefined) : o.cloud.throwaways.find(isOurs),
    taken: known && !isOurs(known) ? known : undefined,
  };
}

/**
 * One read that did not show the throwaway. While the Rds lives it counts only if the same read shows the primary:
 * other credentials may lead to another account, where nothing is ever found.
 */
export function countAbsent({ o, journal, run, at }: Scene): DrillRun | 'gone' | 'early' {
  const isDeleted = o.rds.metadata.deletionTimestamp !== undefined;
  const seen = o.cloud.kind === 'fresh' ? o.cloud.instance?.id : undefined;
  if (run.createClaimedAt !== undefined && !isDeleted && seen !== journal.id) return 'early';
  return countAbsentRun(run, at, o.timing);
}

/** Writes the record down; nothing else happens in this call. */
export function note({ journal, drill }: Scene, run: DrillRun, pace: number = PACE.soon): Step {
  return { action: { kind: 'swapJournal', journal: { ...journal, drill: { ...drill, run } } }, pace };
}

export function judged(scene: Scene, kind: DrillResult['kind'], message: string): Step {
  const result = { kind, at: scene.at, message: message.slice(0, 1_500) };
  return note(scene, { ...scene.run, result });
}
