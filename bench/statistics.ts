// Few numbers that say enough: the middle, the spread, a high percentile, a slope.

export type Spread = { median: number; low: number; high: number };

/** The value below which so many percent lie. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  const index = Math.min(sorted.length - 1, Math.ceil((percent / 100) * sorted.length) - 1);
  return sorted[Math.max(0, index)] ?? Number.NaN;
}

/** Middle and quartiles: on a shared machine the extremes tell of the neighbours. */
export const spreadOf = (values: readonly number[]): Spread => ({
  median: percentile(values, 50),
  low: percentile(values, 25),
  high: percentile(values, 75),
});

/** Of the straight line that fits best (least squares). */
export function slopeOf(points: readonly { x: number; y: number }[]): number {
  const mean = (pick: (point: { x: number; y: number }) => number) =>
    points.reduce((sum, point) => sum + pick(point), 0) / points.length;
  const x = mean((point) => point.x);
  const y = mean((point) => point.y);
  const covariance = points.reduce((sum, point) => sum + (point.x - x) * (point.y - y), 0);
  const variance = points.reduce((sum, point) => sum + (point.x - x) ** 2, 0);
  return covariance / variance;
}
