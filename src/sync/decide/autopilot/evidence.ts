// What measured values prove. The state of an alarm is only a reason to look: it stays on for a while after the cause
// is gone, so a decision needs values that are younger than the last change and over the threshold (protocol C11).

import type { Point } from '../observed.ts';

/** As many periods of five minutes as the alarms count. */
const COUNT = 3;
/** Values come minutes late; what is older says nothing about now. */
const FRESH_MS = 20 * 60_000;

export const newest = (points: readonly Point[]): readonly Point[] => points.slice(-COUNT);

/** The newest values, if all of them are over the threshold, fresh, and later than the last change. */
export function sustained(
  points: readonly Point[],
  { threshold, sinceMs, nowMs }: { threshold: number; sinceMs: number; nowMs: number },
): readonly Point[] | undefined {
  const latest = newest(points);
  const last = latest.at(-1);
  if (latest.length < COUNT || !last || nowMs - last.at > FRESH_MS) return undefined;
  const counts = ({ at, value }: Point) => at >= sinceMs && value >= threshold;
  return latest.every(counts) ? latest : undefined;
}

/** The slope of the straight line that fits best, in units a millisecond; 0 for too little data. */
export function slope(points: readonly Point[]): number {
  const { length } = points;
  if (length < 2) return 0;
  const meanAt = points.reduce((sum, { at }) => sum + at, 0) / length;
  const meanValue = points.reduce((sum, { value }) => sum + value, 0) / length;
  const spread = points.reduce((sum, { at }) => sum + (at - meanAt) ** 2, 0);
  const product = points.reduce((sum, { at, value }) => sum + (at - meanAt) * (value - meanValue), 0);
  return spread === 0 ? 0 : product / spread;
}

/** A share of the time without values is no proof of quiet. */
const COVERED = 0.9;

/** The highest value, if the whole span is covered and every value is below; undefined otherwise. */
export function quietPeak(
  points: readonly Point[],
  { below, fromMs, nowMs }: { below: number; fromMs: number; nowMs: number },
): number | undefined {
  const inside = points.filter(({ at }) => at >= fromMs);
  const [first, second] = inside;
  const last = inside.at(-1);
  if (!first || !second || !last) return undefined;
  const period = second.at - first.at;
  const isCovered =
    last.at + period - first.at >= (nowMs - fromMs) * COVERED &&
    inside.length >= ((last.at - first.at) / period) * COVERED;
  const peak = Math.max(...inside.map(({ value }) => value));
  return isCovered && peak < below ? peak : undefined;
}
