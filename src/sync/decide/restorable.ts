// What can be restored, in words.

import { isoTime } from '../../rds/conditions.ts';

export function rangesText(ranges: readonly { from: number; to: number }[]): string {
  if (ranges.length === 0) return 'nothing can be restored yet: there is no complete backup';
  const list = ranges.map(({ from, to }) => `${isoTime(from)} to ${isoTime(to)}`);
  return `possible is ${list.join(', ')}`;
}
