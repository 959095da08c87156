// RDS on the wire and in our words. Wire names end here.

import type {
  Backup,
  Engine,
  Flavor,
  Instance,
  InstanceNode,
  Job,
  NewInstance,
  NewReplica,
  Parameter,
  RestorePoint,
  Task,
} from './cloud.ts';
import {
  type Json,
  need,
  numberOf,
  objectOf,
  objectsOf,
  textOf,
  textsOf,
  timeOf,
  Unreadable,
} from './json.ts';

/** `instance` is missing for an engine that we never create: the row still counts in a list. */
export type InstanceRow = { id: string; instance: Instance | undefined };

const engines: Record<string, Engine> = { mysql: 'MySQL', postgresql: 'PostgreSQL', sqlserver: 'SQLServer' };

export function readInstanceRow(row: Json): InstanceRow {
  const id = need(textOf(row, 'id'), 'instance id');
  const datastore = objectOf(row, 'datastore');
  const engine = engines[need(textOf(datastore, 'type'), 'instance datastore.type').toLowerCase()];
  return { id, instance: engine && readInstance(id, engine, row) };
}

function readInstance(id: string, engine: Engine, row: Json): Instance {
  const datastore = objectOf(row, 'datastore');
  const volume = objectOf(row, 'volume');
  const strategy = objectOf(row, 'backup_strategy');
  const related = objectsOf(row, 'related_instance');
  return {
    id,
    name: need(textOf(row, 'name'), 'instance name'),
    status: need(textOf(row, 'status'), 'instance status'),
    type: oneOf(['Ha', 'Replica'] as const, textOf(row, 'type')) ?? 'Single',
    engine,
    version: textOf(datastore, 'version') ?? '',
    completeVersion: textOf(datastore, 'complete_version'),
    port: numberOf(row, 'port') ?? 0,
    flavor: textOf(row, 'flavor_ref') ?? '',
    volumeType: textOf(volume, 'type') ?? '',
    volumeGb: numberOf(volume, 'size') ?? 0,
    ip: textsOf(row, 'private_ips')[0],
    user: textOf(row, 'db_user_name') ?? '',
    vpcId: textOf(row, 'vpc_id') ?? '',
    subnetId: textOf(row, 'subnet_id') ?? '',
    securityGroupId: textOf(row, 'security_group_id') ?? '',
    replicationMode: textOf(objectOf(row, 'ha'), 'replication_mode'),
    failoverStrategy: textOf(row, 'switch_strategy'),
    backupStartTime: textOf(strategy, 'start_time') ?? '',
    backupKeepDays: numberOf(strategy, 'keep_days') ?? 0,
    maintenanceWindow: textOf(row, 'maintenance_window'),
    ssl: row.enable_ssl === true,
    tags: readTags(row),
    nodes: objectsOf(row, 'nodes').flatMap((node) => readNode(node) ?? []),
    replicaOf: related.filter((other) => other.type === 'replica_of').map((other) => textOf(other, 'id'))[0],
    replicaIds: related
      .filter((other) => other.type === 'replica')
      .flatMap((other) => textOf(other, 'id') ?? []),
    createdAt: textOf(row, 'created'),
  };
}

function readNode(node: Json): InstanceNode | undefined {
  const id = textOf(node, 'id');
  const role = oneOf(['master', 'slave', 'readreplica'] as const, textOf(node, 'role'));
  if (id === undefined || role === undefined) return undefined;
  return {
    id,
    role,
    status: textOf(node, 'status') ?? '',
    availabilityZone: textOf(node, 'availability_zone') ?? '',
  };
}

export function readTags(from: Json): Record<string, string> {
  const pairs = objectsOf(from, 'tags').map(
    (tag) => [textOf(tag, 'key') ?? '', textOf(tag, 'value') ?? ''] as const,
  );
  return Object.fromEntries(pairs.filter(([key]) => key !== ''));
}

export function writeNewInstance(wanted: NewInstance): Json {
  const { replicationMode, restore } = wanted;
  return {
    name: wanted.name,
    // Engine and version of restored data are those of its source.
    ...(restore
      ? { restore_point: writeRestorePoint(restore) }
      : { datastore: { type: wanted.engine, version: wanted.version } }),
    ...(replicationMode === undefined ? {} : { ha: { mode: 'Ha', replication_mode: replicationMode } }),
    flavor_ref: wanted.flavor,
    volume: { type: wanted.volumeType, size: wanted.volumeGb },
    region: wanted.region,
    availability_zone: wanted.availabilityZone,
    vpc_id: wanted.vpcId,
    subnet_id: wanted.subnetId,
    security_group_id: wanted.securityGroupId,
    password: wanted.password,
    port: String(wanted.port),
    backup_strategy: { start_time: wanted.backupStartTime, keep_days: wanted.backupKeepDays },
  };
}

export function writeRestorePoint(point: RestorePoint): Json {
  return 'backupId' in point
    ? { instance_id: point.instanceId, type: 'backup', backup_id: point.backupId }
    : { instance_id: point.instanceId, type: 'timestamp', restore_time: point.time };
}

/** Engine, network and size come from the primary; the cloud wants a size all the same. */
export function writeNewReplica(wanted: NewReplica): Json {
  return {
    name: wanted.name,
    replica_of_id: wanted.primaryId,
    flavor_ref: wanted.flavor,
    volume: { type: wanted.volumeType, size: wanted.volumeGb },
    availability_zone: wanted.availabilityZone,
  };
}

export function readParameter(row: Json): Parameter {
  return {
    name: need(textOf(row, 'name'), 'parameter name'),
    value: textOf(row, 'value') ?? '',
    restartRequired: row.restart_required === true,
    readonly: row.readonly === true,
    range: textOf(row, 'value_range') ?? '',
    type: textOf(row, 'type') ?? 'string',
  };
}

export function readJobId(body: Json): { jobId: string | undefined } {
  return { jobId: textOf(body, 'job_id') ?? textOf(body, 'workflowId') };
}

export function readBackup(row: Json): Backup {
  return {
    id: need(textOf(row, 'id'), 'backup id'),
    name: textOf(row, 'name') ?? '',
    instanceId: textOf(row, 'instance_id') ?? '',
    type: textOf(row, 'type') ?? '',
    status: needOneOf(
      ['BUILDING', 'COMPLETED', 'FAILED', 'DELETING'] as const,
      textOf(row, 'status'),
      'backup status',
    ),
    sizeKb: numberOf(row, 'size') ?? 0,
    beginAt: need(timeOf(row, 'begin_time'), 'backup begin_time'),
    endAt: timeOf(row, 'end_time'),
    engine: engines[(textOf(objectOf(row, 'datastore'), 'type') ?? '').toLowerCase()],
    version: textOf(objectOf(row, 'datastore'), 'version'),
  };
}

export function readFlavor(row: Json): Flavor {
  const stock = Object.entries(objectOf(row, 'az_status')).filter(
    (entry): entry is [string, string] => typeof entry[1] === 'string',
  );
  return {
    code: need(textOf(row, 'spec_code'), 'flavor spec_code'),
    vcpus: need(numberOf(row, 'vcpus'), 'flavor vcpus'),
    ramGb: need(numberOf(row, 'ram'), 'flavor ram'),
    versions: textsOf(row, 'version_name'),
    mode: needOneOf(
      ['single', 'ha', 'replica'] as const,
      textOf(row, 'instance_mode'),
      'flavor instance_mode',
    ),
    stock: Object.fromEntries(stock),
  };
}

export function readJob(job: Json): Job {
  const progress = Number.parseInt(textOf(job, 'process') ?? '', 10);
  return {
    id: need(textOf(job, 'id'), 'job id'),
    name: textOf(job, 'name') ?? '',
    status: needOneOf(['Running', 'Completed', 'Failed'] as const, textOf(job, 'status'), 'job status'),
    progressPercent: Number.isNaN(progress) ? undefined : progress,
    failReason: textOf(job, 'fail_reason'),
  };
}

export function readTask(row: Json): Task {
  return {
    id: need(textOf(row, 'id'), 'task id'),
    name: textOf(row, 'name') ?? '',
    instanceId: textOf(row, 'instance_id') ?? '',
    status: textOf(row, 'status') ?? '',
    createdAt: need(numberOf(row, 'create_time') ?? timeOf(row, 'create_time'), 'task create_time'),
  };
}

function oneOf<const T extends string>(allowed: readonly T[], value: string | undefined): T | undefined {
  return allowed.find((candidate) => candidate === value);
}

function needOneOf<const T extends string>(
  allowed: readonly T[],
  value: string | undefined,
  name: string,
): T {
  const found = oneOf(allowed, value);
  if (found === undefined) throw new Unreadable(`the answer has an unknown ${name}`);
  return found;
}
