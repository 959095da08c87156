// What became of the one write of a call.

import type { Journal } from '../../rds/journal.ts';
import type { Acted, Failure } from '../decide/observed.ts';

export type ActResult =
  /** The decision's own words stand. */
  | { kind: 'asDecided' }
  | { kind: 'acted'; acted: Acted; journal: Journal }
  | { kind: 'stale'; because: string };

export const LOST: ActResult = { kind: 'stale', because: 'another call was faster' };

export function acted(
  journal: Journal,
  kind: Acted['kind'],
  result: Acted['result'],
  failure?: Failure,
): ActResult {
  return { kind: 'acted', journal, acted: { kind, result, ...(failure ? { failure } : {}) } };
}
