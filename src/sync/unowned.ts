// Instances that look like ours and have no Rds: told in a metric and the log, never deleted. They can only
// come from what the protocol cannot guarantee (a journal removed by hand, an old etcd backup).

import type { Instance } from '../otc/cloud.ts';
import { UID_TAG } from '../rds/names.ts';

/** `uids`: of every Rds in the cluster. */
export function unownedInstances(instances: Iterable<Instance>, uids: readonly string[]): Instance[] {
  const digits = new Set(uids.map((uid) => uid.replaceAll('-', '').slice(0, 12)));
  return [...instances].filter(({ name, tags }) => {
    const byTag = tags[UID_TAG];
    if (byTag !== undefined) return !uids.includes(byTag);
    const byName = /_([0-9a-f]{12})$/.exec(name)?.[1];
    return byName !== undefined && !digits.has(byName);
  });
}
