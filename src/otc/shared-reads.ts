// Reads of the lists that all callers of an account share; the cloud is asked only when they are too old.

import type { Account } from './account.ts';
import type { Cached } from './cache.ts';
import type { Budget, Cloud } from './cloud.ts';

export const FLAVORS_KEEP_MS = 10 * 60_000;
/** An empty list is more likely a stumble of the cloud than the truth: nobody may wait long for the next one. */
const EMPTY_KEEP_MS = 30_000;

export type SharedReads = ReturnType<typeof sharedReads>;

export function sharedReads(account: Account, budget: Budget, region: string) {
  const get = <T>(list: Cached<T>, maxAgeSeconds: number) =>
    list.get(maxAgeSeconds * 1_000, budget.remainingMs());
  return {
    region,
    snapshot: (maxAgeSeconds) => get(account.snapshots, maxAgeSeconds),
    backupsLately: (id, maxAgeSeconds) => get(account.backups(id), maxAgeSeconds),
    parameters: (id, maxAgeSeconds) => get(account.parameters(id), maxAgeSeconds),
    alarms: (maxAgeSeconds) => get(account.alarms, maxAgeSeconds),
    metricsLately: (query, maxAgeSeconds) => get(account.metrics(query), maxAgeSeconds),
    subscriptionsLately: (topicUrn, maxAgeSeconds) => get(account.subscriptions(topicUrn), maxAgeSeconds),
    async flavors(engine, version) {
      const list = account.flavors(engine, version);
      const flavors = await list.get(FLAVORS_KEEP_MS, budget.remainingMs());
      return flavors.length > 0 ? flavors : list.get(EMPTY_KEEP_MS, budget.remainingMs());
    },
    securityGroup: (wanted) => account.networks.securityGroup(wanted, () => budget.remainingMs()),
    network: (wanted) => account.networks.find(wanted, () => budget.remainingMs()),
  } satisfies Partial<Cloud>;
}
