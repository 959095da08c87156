// Instances that look like ours and have no Rds: told in a metric and the log, never deleted. They can only
// come from what the protocol cannot guarantee (a journal removed by hand, an old etcd backup).

import type { Instance } from '../otc/cloud.ts';
import { ownerDigitsIn, UID_TAG, uidDigits } from '../rds/names.ts';

/** `uids`: of every Rds in the cluster. */
export function unownedInstances(instances: Iterable<Instance>, uids: readonly string[]): Instance[] {
  const living = new Set(uids.map(uidDigits));
  return [...instances].filter(({ name, tags }) => {
    const owner = ownerDigitsIn(tags[UID_TAG] ?? name);
    return owner !== undefined && !living.has(owner);
  });
}
