// The words that every step of a delete shares.

import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import type { Reason } from '../../rds/reasons.ts';
import type { Observed } from './observed.ts';
import { type Action, PACE, type Verdict } from './plan.ts';
import { progressing, ready } from './words.ts';

export function deleting(action: Action, reason: Reason, message: string, pace: number = PACE.soon): Verdict {
  return {
    action,
    phase: 'Deleting',
    conditions: [ready('False', 'Deleting', message), progressing('True', reason, message)],
    resyncAfterSeconds: pace,
  };
}

export function isForced(o: Pick<Observed, 'rds'>): boolean {
  return annotation(o.rds, ANNOTATIONS.forceDelete) === 'true';
}
