// How RDS shows what it keeps: the one place with its field names.
import { rdsTime } from '../time.ts';
import { factsOf } from './engines.ts';
import { findFlavor } from './flavors.ts';
import { usedGb } from './storage-pressure.ts';
import type { Backup, Instance, Job } from './types.ts';

const datastore = (of: Instance) => ({
  type: of.engine,
  version: of.version,
  complete_version: of.builtAt === undefined ? undefined : of.completeVersion,
});

const haShape = (of: Instance) => (of.type === 'Ha' ? { replication_mode: of.replicationMode } : undefined);

/** An instance in a list; JSON leaves out what is undefined. `isAlone`: asked for by id, which shows more. */
export function instanceShape(of: Instance, replicas: readonly Instance[], isAlone: boolean, now: number) {
  const isBuilt = of.builtAt !== undefined;
  const flavor = findFlavor(of.flavor);
  const related = of.replicaOf
    ? [{ id: of.replicaOf, type: 'replica_of' }]
    : replicas.map(({ id }) => ({ id, type: 'replica' }));
  return {
    id: of.id,
    name: of.name,
    status: of.status,
    alias: of.alias,
    private_ips: isBuilt ? [of.ip] : [],
    private_dns_names: of.dnsName ? [of.dnsName] : [],
    public_ips: of.publicIp ? [of.publicIp] : [],
    public_dns_names: [],
    port: of.port,
    type: of.type,
    ha: haShape(of),
    region: of.region,
    datastore: datastore(of),
    created: isBuilt ? rdsTime(of.createdAt) : '',
    updated: isBuilt ? rdsTime(of.updatedAt) : '',
    db_user_name: factsOf(of.engine).user,
    vpc_id: of.vpcId,
    subnet_id: of.subnetId,
    security_group_id: of.securityGroupId,
    cpu: String(flavor?.vcpus ?? ''),
    mem: String(flavor?.ramGb ?? ''),
    flavor_ref: of.flavor,
    volume: { type: of.volumeType, size: of.volumeGb },
    switch_strategy: of.strategy,
    backup_strategy: { start_time: of.backupWindow, keep_days: of.backupKeepDays },
    maintenance_window: of.maintenanceWindow,
    nodes: of.nodes.map((node) => ({
      id: node.id,
      name: node.name,
      role: node.role,
      status: nodeStatus(of),
      availability_zone: node.zone,
    })),
    related_instance: related,
    disk_encryption_id: of.diskEncryptionId,
    time_zone: of.timeZone,
    collation: of.collation,
    enterprise_project_id: '0',
    order_id: '',
    charge_info: { charge_mode: 'postPaid' },
    tags: of.tags,
    associated_with_ddm: false,
    enable_ssl: of.ssl,
    read_only_by_user: of.engine === 'MySQL' ? false : undefined,
    ...(isAlone && of.engine !== 'MySQL'
      ? { backup_used_space: 0, storage_used_space: usedGb(of, now) }
      : undefined),
  };
}

const nodeStatus = (of: Instance): string => {
  if (of.status === 'BUILD' || of.status === 'SHUTDOWN') return of.status;
  return of.status === 'CREATE FAIL' ? 'FAILED' : 'ACTIVE';
};

/** The answer to a create: the port is a string here, an integer in lists. */
export function createdShape(of: Instance, sent: { zone: string; configurationId: string | undefined }) {
  return {
    id: of.id,
    name: of.name,
    status: of.status,
    datastore: { type: of.engine, version: of.version },
    ...(of.type === 'Ha' && { ha: { mode: 'Ha', replication_mode: of.replicationMode } }),
    flavor_ref: of.flavor,
    volume: { type: of.volumeType, size: of.volumeGb },
    region: of.region,
    availability_zone: sent.zone,
    vpc_id: of.vpcId,
    subnet_id: of.subnetId,
    security_group_id: of.securityGroupId,
    port: String(of.port),
    backup_strategy: { start_time: of.backupWindow, keep_days: of.backupKeepDays },
    ...(sent.configurationId && { configuration_id: sent.configurationId }),
    ...(of.diskEncryptionId && { disk_encryption_id: of.diskEncryptionId }),
    charge_info: { charge_mode: 'postPaid' },
  };
}

export const backupShape = (of: Backup) => ({
  id: of.id,
  instance_id: of.instanceId,
  name: of.name,
  description: of.description,
  type: of.type,
  size: of.sizeKb,
  status: of.status,
  begin_time: rdsTime(of.beginAt),
  end_time: of.endAt === undefined ? '' : rdsTime(of.endAt),
  datastore: { type: of.source.engine, version: of.source.version },
  ...(of.databases && { databases: of.databases.map((name) => ({ name })) }),
});

export function jobStatus(of: Job, now: number): 'Running' | 'Completed' | 'Failed' {
  if (now < of.endsAt) return 'Running';
  return of.failReason ? 'Failed' : 'Completed';
}

function progress(of: Job, now: number): string {
  if (now >= of.endsAt || !Number.isFinite(of.endsAt)) return '';
  return `${Math.floor((100 * (now - of.startedAt)) / (of.endsAt - of.startedAt))}%`;
}

export const jobShape = (of: Job, now: number) => ({
  id: of.id,
  name: of.name,
  status: jobStatus(of, now),
  created: rdsTime(of.startedAt),
  ...(now >= of.endsAt && { ended: rdsTime(of.endsAt) }),
  process: progress(of, now),
  instance: { id: of.instanceId, name: of.instanceName },
  entities: of.entities,
  ...(now >= of.endsAt && of.failReason && { fail_reason: of.failReason }),
});

export const taskShape = (of: Job, instanceStatus: string, now: number) => ({
  id: of.id,
  name: of.name,
  instance_id: of.instanceId,
  instance_name: of.instanceName,
  instance_status: instanceStatus,
  process: progress(of, now),
  create_time: of.startedAt,
  ...(now >= of.endsAt && { end_time: of.endsAt }),
  status: jobStatus(of, now),
  fail_reason: now >= of.endsAt ? (of.failReason ?? '') : '',
});
