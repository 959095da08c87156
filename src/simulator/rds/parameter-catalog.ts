// The parameters each engine knows: few, but of every type, and some that need a restart or cannot be changed.
import type { Engine } from './types.ts';

export type Parameter = {
  name: string;
  default: string;
  needsRestart: boolean;
  isReadonly: boolean;
  range: string;
  type: 'integer' | 'string' | 'boolean' | 'list' | 'float';
};

type Row = [name: string, value: string, type: Parameter['type'], range: string, traits?: string];

const rows: Record<Engine, Row[]> = {
  MySQL: [
    ['max_connections', '800', 'integer', '10-100000'],
    ['wait_timeout', '28800', 'integer', '1-31536000'],
    ['innodb_buffer_pool_size', '1073741824', 'integer', '134217728-137438953472', 'restart'],
    ['innodb_flush_log_at_trx_commit', '1', 'list', '0|1|2'],
    ['binlog_format', 'ROW', 'list', 'ROW|STATEMENT|MIXED', 'restart'],
    ['long_query_time', '1', 'float', '0.03-3600'],
    ['character_set_server', 'utf8', 'list', 'utf8|utf8mb4|latin1|gbk', 'restart'],
    ['sql_mode', '', 'string', ''],
    ['time_zone', 'UTC', 'string', ''],
    ['event_scheduler', 'OFF', 'boolean', 'ON|OFF'],
    ['lower_case_table_names', '1', 'list', '0|1', 'readonly restart'],
    ['innodb_page_size', '16384', 'integer', '4096-65536', 'readonly restart'],
  ],
  PostgreSQL: [
    ['max_connections', '500', 'integer', '14-10000', 'restart'],
    ['shared_buffers', '131072', 'integer', '16-1073741823', 'restart'],
    ['max_prepared_transactions', '0', 'integer', '0-262143', 'restart'],
    ['effective_cache_size', '393216', 'integer', '1-2147483647'],
    ['maintenance_work_mem', '65536', 'integer', '1024-2147483647'],
    ['max_wal_size', '1024', 'integer', '2-2147483647'],
    ['work_mem', '4096', 'integer', '64-2147483647'],
    ['log_min_duration_statement', '-1', 'integer', '-1-2147483647'],
    ['random_page_cost', '4', 'float', '0-1000'],
    ['autovacuum', 'on', 'boolean', 'on|off'],
    ['wal_level', 'logical', 'list', 'replica|logical', 'restart'],
    ['timezone', 'UTC', 'string', ''],
    ['data_directory', '/var/lib/rds', 'string', '', 'readonly'],
  ],
  SQLServer: [
    ['max server memory (MB)', '2147483647', 'integer', '128-2147483647'],
    ['max degree of parallelism', '0', 'integer', '0-32767'],
    ['cost threshold for parallelism', '5', 'integer', '0-32767'],
    ['remote access', '1', 'boolean', '0|1', 'restart'],
    ['user connections', '0', 'integer', '0-32767', 'restart'],
    ['clr enabled', '0', 'boolean', '0|1'],
  ],
};

const toParameter = ([name, value, type, range, traits = '']: Row): Parameter => ({
  name,
  default: value,
  type,
  range,
  needsRestart: traits.includes('restart'),
  isReadonly: traits.includes('readonly'),
});

const catalog: Record<Engine, Parameter[]> = {
  MySQL: rows.MySQL.map(toParameter),
  PostgreSQL: rows.PostgreSQL.map(toParameter),
  SQLServer: rows.SQLServer.map(toParameter),
};

export const parametersOf = (engine: Engine): readonly Parameter[] => catalog[engine];

export const findParameter = (engine: Engine, name: string): Parameter | undefined =>
  catalog[engine].find((parameter) => parameter.name === name);

export function isInRange({ type, range }: Parameter, value: string): boolean {
  if (range === '') return true;
  if (type === 'integer' || type === 'float') {
    const bounds = /^(-?[\d.]+)-([\d.]+)$/.exec(range);
    const isNumber = type === 'integer' ? /^-?\d+$/.test(value) : /^-?\d+(\.\d+)?$/.test(value);
    return isNumber && Number(value) >= Number(bounds?.[1]) && Number(value) <= Number(bounds?.[2]);
  }
  return range.split('|').includes(value);
}
