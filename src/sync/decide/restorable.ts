// What can be restored, in words.

import { isoTime } from '../../rds/conditions.ts';

/** The end of the last range follows the clock. */
const MOVES_MS = 3_600_000;

/** The same words from call to call: an end that moves on is not told by its time. */
export function rangesText(ranges: readonly { from: number; to: number }[], at: number): string {
  if (ranges.length === 0) return 'nothing can be restored yet: there is no complete backup';
  const end = (to: number) => (to > at - MOVES_MS ? 'a few minutes ago' : isoTime(to));
  const list = ranges.map(({ from, to }) => `${isoTime(from)} to ${end(to)}`);
  return `possible is ${list.join(', ')}`;
}
