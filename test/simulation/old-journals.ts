// A cluster with a past: journals of Rds that are gone, closed long ago or just now.

import { createJournalStore } from '../../src/kube/journal.ts';
import type { Cluster } from './cluster.ts';
import { OUR_NAMESPACE } from './replica.ts';

const HOUR_MS = 3_600_000;
const CLOSED_BEFORE_MS = [200 * HOUR_MS, 30 * HOUR_MS, HOUR_MS];

export async function layOldJournals(cluster: Cluster, now: number): Promise<void> {
  const store = createJournalStore({
    call: cluster.quickCall,
    namespace: OUR_NAMESPACE,
    nonce: () => 'past',
    deadlineMs: 1_000,
  });
  for (const [index, ms] of CLOSED_BEFORE_MS.entries()) {
    const uid = `00000000-0000-4000-a000-00000000000${index}`;
    await store.create(
      uid,
      { closed: { at: now - ms, unknownPast: false } },
      { namespace: 'team-a', name: `gone${index}` },
    );
  }
}
