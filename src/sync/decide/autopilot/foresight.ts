// In how many days the disk will be full at the present rate, told before any alarm. Rounded, and with some inertia: the
// text must not change because two replicas read at different times.

import type { Instance } from '../../../otc/cloud.ts';
import { type ConditionWish, findCondition } from '../../../rds/conditions.ts';
import type { Observed, Point } from '../observed.ts';
import { slope } from './evidence.ts';

const DAY_MS = 24 * 3_600_000;
const STEPS = [1, 2, 3, 5, 7, 10, 14, 21, 30, 45, 60, 90] as const;
const SOON_DAYS = 30;
const FEWEST_POINTS = 6;
/** What was told stands while the truth is between these parts of it. */
const INERTIA = { from: 0.6, to: 1.6 };

/** Infinity: it does not grow; undefined: too little is known. */
export function daysUntilFull(points: readonly Point[], volumeGb: number): number | undefined {
  const last = points.at(-1);
  if (!last || points.length < FEWEST_POINTS) return undefined;
  const gbPerDay = slope(points) * DAY_MS;
  if (gbPerDay <= 0) return Number.POSITIVE_INFINITY;
  return Math.max(0, volumeGb - last.value) / gbPerDay;
}

/** The nearest step, unless what was told before still holds; undefined: longer than is worth telling. */
export function roundedDays(days: number, before: number | undefined): number | undefined {
  const last = STEPS[STEPS.length - 1] ?? 0;
  if (before !== undefined && days >= before * INERTIA.from && days <= before * INERTIA.to) return before;
  // The way back to "lasts" is longer than the way out of it.
  if (before === undefined ? days > last / INERTIA.to : days > last) return undefined;
  return STEPS.reduce((best, step) => (Math.abs(step - days) < Math.abs(best - days) ? step : best));
}

export function foresight(
  { rds }: Pick<Observed, 'rds'>,
  { volumeGb }: Pick<Instance, 'volumeGb'>,
  points: readonly Point[] | undefined,
): ConditionWish[] {
  const days = points && daysUntilFull(points, volumeGb);
  if (days === undefined) return [];
  const type = 'DiskLasts' as const;
  const told = /in about (\d+) days/.exec(findCondition(rds.status?.conditions, type)?.message ?? '')?.[1];
  const rounded = roundedDays(days, told === undefined ? undefined : Number(told));
  if (rounded === undefined) {
    const message = `At the rate of the last days the disk of ${volumeGb} GB lasts for more than two months.`;
    return [{ type, status: 'True', reason: 'DiskLastsLong', message }];
  }
  const message = `At the rate of the last days the disk of ${volumeGb} GB is full in about ${rounded} days.`;
  return rounded <= SOON_DAYS
    ? [{ type, status: 'False', reason: 'DiskFullSoon', message }]
    : [{ type, status: 'True', reason: 'DiskLastsLong', message }];
}
