// What an on-call person sees of the databases: fed by the loop, told at /metrics and /metrics/databases.

import type { FleetCounts } from '../metrics.ts';
import { credentialEndsAt } from '../rds/log-order.ts';
import type { SyncDeps } from '../sync/deps.ts';
import { createCollector } from './collect.ts';
import { databaseMetrics } from './database-metrics.ts';
import { createFleet, type Fleet } from './fleet.ts';

export type Insight = {
  synced: Fleet['synced'];
  syncedAgain: Fleet['syncedAgain'];
  counts(): FleetCounts;
  databases(): Promise<string>;
};

type InsightDeps = Pick<SyncDeps, 'clock' | 'openCloud' | 'defaultCredentials' | 'readCredentials' | 'log'>;

export function createInsight(deps: InsightDeps): Insight {
  const fleet = createFleet(deps);
  const collector = createCollector({ ...deps, fleet });
  const { clock } = deps;
  return {
    synced: fleet.synced,
    syncedAgain: fleet.syncedAgain,
    counts() {
      const known = fleet.known();
      const alive = known
        .flatMap(({ jobCredentials }) => jobCredentials)
        .filter((credential) => credentialEndsAt(credential) > clock.now());
      return {
        rds: known.length,
        pending: known.flatMap(({ impacts }) => impacts),
        jobCredentials: alive.map(({ form }) => form),
      };
    },
    async databases() {
      await collector.refresh();
      const told = fleet.known().map((rds) => ({ rds, sample: collector.sampleOf(rds.uid) }));
      return databaseMetrics(told, clock.now());
    },
  };
}
