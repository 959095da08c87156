// Which changes of disk and machine are still to be carried out, by whomever they are wanted.

import { type Change, pendingChanges } from '../changes/pending.ts';
import { SCALED_FLAVOR, SCALED_VOLUME } from '../changes/wanted-capacity.ts';
import type { Case } from '../changes/wish.ts';

/** Also of the read replicas that follow. */
export function openCapacity({ o, instance }: Case): Change[] {
  const fields = ['spec.flavorref', 'spec.volumesize', SCALED_FLAVOR, SCALED_VOLUME];
  return pendingChanges(o, instance).filter(({ field, impact, order }) => {
    if (impact === 'impossible') return false;
    return fields.includes(field) || order?.op.kind === 'enlarge' || order?.op.kind === 'resize';
  });
}
