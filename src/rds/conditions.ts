// Conditions are set, never appended: one per type, and lastTransitionTime moves only when the status flips.

import type { Reason } from './reasons.ts';
import type { Condition } from './status.ts';

export const CONDITION_TYPES = [
  'Ready',
  'Synced',
  'Progressing',
  'CredentialsSafe',
  'ChildrenReady',
  'BackupsReady',
  'BackupDrill',
  'OldOperatorGone',
  'DatabasesReady',
  'LogsFetched',
  'InstanceKept',
  'AutopilotReady',
  'DiskLasts',
  'Healthy',
  'Shared',
] as const;
export type ConditionType = (typeof CONDITION_TYPES)[number];

export type ConditionWish = {
  type: ConditionType;
  status: Condition['status'];
  reason: Reason;
  message: string;
};

const MAX_MESSAGE = 4_096;

export type Moment = { nowMs: number; generation: number };

export function isoTime(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

export function setConditions(
  previous: readonly Condition[],
  wishes: readonly ConditionWish[],
  moment: Moment,
): Condition[] {
  const told = [...previous];
  for (const wish of wishes) {
    // Where two wishes name one type the later one counts.
    if (wishes.findLast(({ type }) => type === wish.type) !== wish) continue;
    const place = told.findIndex(({ type }) => type === wish.type);
    const before = told[place];
    if (before && isSame(before, wish, moment)) continue;
    told[before ? place : told.length] = {
      type: wish.type,
      status: wish.status,
      reason: wish.reason,
      message: wish.message.slice(0, MAX_MESSAGE),
      lastTransitionTime:
        before && before.status === wish.status ? before.lastTransitionTime : isoTime(moment.nowMs),
      observedGeneration: moment.generation,
    };
  }
  return told.sort((a, b) => (a.type < b.type ? -1 : 1));
}

function isSame(before: Condition, wish: ConditionWish, { generation }: Moment): boolean {
  return (
    before.status === wish.status &&
    before.reason === wish.reason &&
    before.message === wish.message &&
    before.observedGeneration === generation
  );
}

export function findCondition(
  conditions: readonly Condition[] | undefined,
  type: ConditionType,
): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}
