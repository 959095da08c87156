// The metrics of SYS.RDS per engine, and what each makes of the load of one node.
import type { Load } from '../rds/load-phase.ts';
import type { Engine } from '../rds/types.ts';

type Usage = Load & {
  isPrimary: boolean;
  /** Cores that are busy: work that does not depend on the size of the machine. */
  cores: number;
};

export type MetricKind = { name: string; unit: string; of(usage: Usage): number };

const kind = (name: string, unit: string, of: MetricKind['of']): MetricKind => ({ name, unit, of });

const QUERIES_PER_CORE = 400;
const CONNECTIONS_PER_CORE = 25;
const CONNECTIONS_PER_GB = 100;
const MAX_TRANSACTION_IDS = 200_000_000;

const connections = ({ cores }: Usage) => Math.round(4 + CONNECTIONS_PER_CORE * cores);
const active = ({ cores }: Usage) => Math.round(cores * 4);
const limitOf = ({ phase }: Usage) => CONNECTIONS_PER_GB * phase.ramGb;
const queries = (factor: number) => (usage: Usage) => usage.cores * QUERIES_PER_CORE * factor;
const nothing = () => 0;
/** A standby falls behind when the machine is at its limit. */
const lagSeconds = ({ isPrimary, cpu }: Usage) => (isPrimary ? 0 : 0.1 + Math.max(0, cpu - 90) * 3);
const diskBusy = ({ cpu }: Usage) => Math.min(100, cpu * 0.6);
const waiting = ({ cpu }: Usage) => Math.max(0, Math.round((cpu - 85) / 3));

const common: MetricKind[] = [
  kind('rds001_cpu_util', '%', ({ cpu }) => cpu),
  kind('rds002_mem_util', '%', ({ mem }) => mem),
  kind('rds003_iops', 'count/s', ({ cores }) => 8 + cores * 220),
  kind('rds004_bytes_in', 'byte/s', ({ cores }) => 2_000 + cores * 180_000),
  kind('rds005_bytes_out', 'byte/s', ({ cores }) => 3_000 + cores * 640_000),
  kind('rds039_disk_util', '%', ({ disk }) => disk),
  kind('rds047_disk_total_size', 'GB', ({ phase }) => phase.volumeGb),
  kind('rds048_disk_used_size', 'GB', ({ usedGb }) => usedGb),
  kind('rds049_disk_read_throughput', 'byte/s', ({ cores }) => cores * 1_500_000),
  kind('rds050_disk_write_throughput', 'byte/s', ({ cores }) => 20_000 + cores * 900_000),
  kind('rds053_avg_disk_queue_length', 'count', ({ cpu }) => cpu / 50),
];

const mysql: MetricKind[] = [
  kind('rds006_conn_count', 'count', connections),
  kind('rds007_conn_active_count', 'count', active),
  kind('rds008_qps', 'count/s', queries(1)),
  kind('rds009_tps', 'count/s', queries(0.2)),
  kind('rds010_innodb_buf_usage', 'ratio', ({ mem }) => mem / 100),
  kind('rds011_innodb_buf_hit', 'ratio', ({ mem }) => 1 - mem / 2_000),
  kind('rds012_innodb_buf_dirty', 'ratio', ({ cpu }) => cpu / 500),
  kind('rds013_innodb_reads', 'byte/s', ({ cores }) => cores * 1_200_000),
  kind('rds014_innodb_writes', 'byte/s', ({ cores }) => cores * 700_000),
  kind('rds028_comdml_del_count', 'count/s', queries(0.02)),
  kind('rds029_comdml_ins_count', 'count/s', queries(0.1)),
  kind('rds033_comdml_sel_count', 'count/s', queries(0.75)),
  kind('rds034_comdml_upd_count', 'count/s', queries(0.08)),
  kind('rds038_innodb_upd_row_count', 'count/s', queries(0.1)),
  kind('rds072_conn_usage', '%', (usage) => (connections(usage) / limitOf(usage)) * 100),
  kind('rds073_replication_delay', 's', lagSeconds),
  kind('rds074_slow_queries', 'count/min', waiting),
  kind('rds081_vm_ioutils', '%', diskBusy),
  kind('rds_conn_active_usage', '%', (usage) => (active(usage) / limitOf(usage)) * 100),
  kind('rds_long_transaction', 's', waiting),
];

const postgresql: MetricKind[] = [
  kind('rds040_transaction_logs_usage', 'MB', ({ cores }) => 64 + cores * 160),
  kind('rds041_replication_slot_usage', 'MB', nothing),
  kind('rds042_database_connections', 'count', connections),
  kind('rds043_maximum_used_transaction_ids', 'count', ({ usedGb }) => (usedGb * 1e6) % MAX_TRANSACTION_IDS),
  kind('rds044_transaction_logs_generations', 'MB/s', ({ cores }) => cores * 0.8),
  kind('rds045_oldest_replication_slot_lag', 'MB', nothing),
  kind('rds046_replication_lag', 'ms', (usage) => lagSeconds(usage) * 1_000),
  kind('rds081_qps', 'count/s', queries(1)),
  kind('rds082_tps', 'count/s', queries(0.25)),
  kind('rds083_conn_usage', '%', (usage) => (connections(usage) / limitOf(usage)) * 100),
  kind('active_connections', 'count', active),
  kind('idle_transaction_connections', 'count', nothing),
  kind('oldest_transaction_duration', 'ms', (usage) => waiting(usage) * 1_000),
  kind('lock_waiting_sessions', 'count', waiting),
  kind('slow_sql_one_second', 'count', waiting),
  kind('slow_sql_three_second', 'count', (usage) => Math.floor(waiting(usage) / 2)),
  kind('slow_sql_five_second', 'count', (usage) => Math.floor(waiting(usage) / 4)),
  kind('db_max_age', 'count', ({ usedGb }) => (usedGb * 1e6) % MAX_TRANSACTION_IDS),
  kind('disk_io_usage', '%', diskBusy),
  kind('io_read_delay', 'ms', ({ cpu }) => 1 + cpu / 20),
  kind('io_write_delay', 'ms', ({ cpu }) => 1 + cpu / 15),
  kind('swap_usage', '%', ({ mem }) => Math.max(0, mem - 95)),
  kind('slave_replication_status', '', ({ isPrimary }) => (isPrimary ? 2 : 1)),
];

const sqlserver: MetricKind[] = [
  kind('rds054_db_connections_in_use', 'count', connections),
  kind('rds055_transactions_per_sec', 'count/s', queries(0.25)),
  kind('rds056_batch_per_sec', 'count/s', queries(0.5)),
  kind('rds059_cache_hit_ratio', '%', ({ mem }) => 100 - mem / 20),
  kind('rds065_lock_waits_per_sec', 'count/s', waiting),
  kind('rds069_deadlocks_per_sec', 'count/s', nothing),
  kind('rds077_replication_delay', 's', lagSeconds),
  kind('mssql_page_life_expectancy', 's', ({ mem }) => 3_000 - mem * 20),
  kind('mssql_mem_grant_pending', 'count', ({ mem }) => (mem >= 100 ? 1 : 0)),
];

export const metricKinds: Record<Engine, readonly MetricKind[]> = {
  MySQL: [...common, ...mysql],
  PostgreSQL: [...common, ...postgresql],
  SQLServer: [...common, ...sqlserver],
};

/** Dimension of the whole instance, and of one node. */
export const dimensionNames: Record<Engine, { instance: string; node: string }> = {
  MySQL: { instance: 'rds_cluster_id', node: 'rds_instance_id' },
  PostgreSQL: { instance: 'postgresql_cluster_id', node: 'postgresql_instance_id' },
  SQLServer: { instance: 'rds_cluster_sqlserver_id', node: 'rds_instance_sqlserver_id' },
};

/** A standby only follows. */
const FOLLOWER_SHARE = 0.3;

export function usageOf(load: Load, role: string): Usage {
  const isPrimary = role !== 'slave' && role !== 'readreplica';
  const cpu = role === 'slave' ? load.cpu * FOLLOWER_SHARE : load.cpu;
  return { ...load, cpu, isPrimary, cores: (cpu * load.phase.vcpus) / 100 };
}
