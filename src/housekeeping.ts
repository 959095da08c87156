// Once an hour, beside the hooks: sweep journals of Rds that are long gone, and tell about instances that look
// like ours and have no Rds. Every replica may do it; nothing depends on it.

import type { Logger } from 'pino';
import { type KubeCall, listObjects } from './kube/api.ts';
import { sweepJournals } from './kube/sweep.ts';
import type { Metrics } from './metrics.ts';
import type { Cloud } from './otc/cloud.ts';
import { API_VERSION } from './rds/crd.ts';
import { unownedInstances } from './sync/unowned.ts';

const EVERY_MS = 3_600_000;
const SNAPSHOT_SECONDS = 60;

export type HousekeepingOptions = {
  call: KubeCall;
  namespace: string;
  /** The default project; undefined when every tenant brings credentials. */
  cloud: Cloud | undefined;
  metrics: Metrics;
  now: () => number;
  log: Logger;
};

export async function keepHouse({
  call,
  namespace,
  cloud,
  metrics,
  now,
  log,
}: HousekeepingOptions): Promise<void> {
  const swept = await sweepJournals(call, namespace, now());
  if (swept > 0) log.info({ swept }, 'closed journals swept');
  if (!cloud) return;
  const rdss = await listObjects(call, `/apis/${API_VERSION}/rdss`);
  const { byId } = await cloud.snapshot(SNAPSHOT_SECONDS);
  const unowned = unownedInstances(
    byId.values(),
    rdss.map(({ metadata }) => metadata.uid ?? ''),
  );
  metrics.unowned(unowned.length);
  for (const { id, name } of unowned)
    log.warn({ id, name }, 'this instance looks like ours and has no Rds; it is left alone');
}

/** Returns how to stop. */
export function startHousekeeping(options: HousekeepingOptions): () => void {
  const run = () =>
    keepHouse(options).catch((error: unknown) => options.log.warn({ err: error }, 'housekeeping failed'));
  const timer = setInterval(() => void run(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
