// Which deletion policy counts now. Removing a CRD or a namespace is rarely meant to destroy databases, so
// the default Snapshot acts as Retain then; an explicit Delete stays Delete.

import type { Observed } from './observed.ts';

export type Policy = 'Snapshot' | 'Delete' | 'Retain';

export function effectivePolicy(
  o: Pick<Observed, 'spec' | 'namespaceTerminating' | 'crdTerminating'>,
): Policy {
  const { deletionPolicy } = o.spec;
  return deletionPolicy === 'Snapshot' && (o.namespaceTerminating || o.crdTerminating)
    ? 'Retain'
    : deletionPolicy;
}
