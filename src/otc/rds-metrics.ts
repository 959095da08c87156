// Which metrics of Cloud Eye tell how a database is, per engine, in units that fit all engines. Wire names end here.

import { instanceDimension } from './ces-wire.ts';
import type { Engine } from './cloud.ts';
import type { Dimension, MetricId } from './monitoring.ts';

export const MEASURES = [
  'cpuRatio',
  'memoryRatio',
  'diskRatio',
  'iops',
  'connections',
  'connectionsRatio',
  'queriesPerSecond',
  'transactionsPerSecond',
] as const;

export type Measure = (typeof MEASURES)[number];

/** `factor`: from the unit of the cloud to ours. */
type Source = { metric: string; factor: number };

const percent = (metric: string): Source => ({ metric, factor: 0.01 });
const plain = (metric: string): Source => ({ metric, factor: 1 });
const milli = (metric: string): Source => ({ metric, factor: 0.001 });

const common = {
  cpuRatio: percent('rds001_cpu_util'),
  memoryRatio: percent('rds002_mem_util'),
  diskRatio: percent('rds039_disk_util'),
  iops: plain('rds003_iops'),
};

const sources: Record<Engine, Partial<Record<Measure, Source>>> = {
  MySQL: {
    ...common,
    connections: plain('rds006_conn_count'),
    connectionsRatio: percent('rds072_conn_usage'),
    queriesPerSecond: plain('rds008_qps'),
    transactionsPerSecond: plain('rds009_tps'),
  },
  PostgreSQL: {
    ...common,
    connections: plain('rds042_database_connections'),
    connectionsRatio: percent('rds083_conn_usage'),
    queriesPerSecond: plain('rds081_qps'),
    transactionsPerSecond: plain('rds082_tps'),
  },
  // It does not tell how many connections there may be.
  SQLServer: {
    ...common,
    connections: plain('rds054_db_connections_in_use'),
    queriesPerSecond: plain('rds056_batch_per_sec'),
    transactionsPerSecond: plain('rds055_transactions_per_sec'),
  },
};

const delays: Record<Engine, Source> = {
  MySQL: plain('rds073_replication_delay'),
  PostgreSQL: milli('rds046_replication_lag'),
  SQLServer: plain('rds077_replication_delay'),
};

const nodeDimensions: Record<Engine, string> = {
  MySQL: 'rds_instance_id',
  PostgreSQL: 'postgresql_instance_id',
  SQLServer: 'rds_instance_sqlserver_id',
};

/** Data on disk in GB: unlike a percentage it does not jump when the disk is enlarged. */
export function usedDiskReading(instance: { engine: Engine; id: string }): MetricId {
  return { metric: 'rds048_disk_used_size', dimension: instanceDimension(instance) };
}

export type Reading = { id: MetricId; factor: number };

export function measureReading(
  instance: { engine: Engine; id: string },
  measure: Measure,
): Reading | undefined {
  const source = sources[instance.engine][measure];
  return source && readingAt(source, instanceDimension(instance));
}

/** In seconds. A standby is a node of its instance; a read replica is an instance of its own. */
export function delayReading(engine: Engine, follower: { nodeId: string } | { instanceId: string }): Reading {
  const dimension =
    'nodeId' in follower
      ? { name: nodeDimensions[engine], value: follower.nodeId }
      : instanceDimension({ engine, id: follower.instanceId });
  return readingAt(delays[engine], dimension);
}

const readingAt = ({ metric, factor }: Source, dimension: Dimension): Reading => ({
  id: { metric, dimension },
  factor,
});
