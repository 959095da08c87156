// The state of an alarm from the last periods of its metric. The cloud does not say how it treats gaps; here a gap
// changes nothing until all periods that count are empty.
import type { AlarmState, Condition, Operator } from './types.ts';

const comparisons: Record<Operator, (left: number, right: number) => boolean> = {
  '>': (left, right) => left > right,
  '>=': (left, right) => left >= right,
  '<': (left, right) => left < right,
  '<=': (left, right) => left <= right,
  '=': (left, right) => left === right,
  '!=': (left, right) => left !== right,
};

/** `values`: one for each of the last `count` periods, oldest first; undefined where there was no data. */
export function judge(
  state: AlarmState,
  { operator, value: threshold }: Pick<Condition, 'operator' | 'value'>,
  values: readonly (number | undefined)[],
): AlarmState {
  const isMet = (value: number | undefined) => value !== undefined && comparisons[operator](value, threshold);
  const latest = values.at(-1);
  if (values.every((value) => value === undefined)) return 'insufficient_data';
  if (values.every(isMet)) return 'alarm';
  if (latest !== undefined && !isMet(latest)) return 'ok';
  return state;
}
