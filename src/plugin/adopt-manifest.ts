// An instance that no Rds manages -> a manifest that takes it over without changing anything about it.

import type { Instance } from '../otc/cloud.ts';
import { ANNOTATIONS, UID_TAG, uidDigits } from '../rds/names.ts';
import { NAME_PATTERN } from '../rds/rules.ts';
import type { RdsSpec } from '../rds/spec.ts';
import { API_VERSION, type RdsObject } from './cluster.ts';
import type { Manifest } from './restore-manifest.ts';

export type Unmanaged = {
  instance: Instance;
  /** Why it cannot be taken over as it is. */
  hindrance?: string;
};

/** Read replicas belong to their primary. What carries the digits of a living UID is on its way to its tag. */
export function unmanaged(instances: readonly Instance[], rdss: readonly RdsObject[]): Unmanaged[] {
  const ids = new Set(rdss.flatMap(({ status }) => status?.id ?? []));
  const uids = new Set(rdss.map(({ metadata }) => metadata.uid));
  const digits = [...uids].map(uidDigits);
  const isOurs = ({ id, name, tags }: Instance) =>
    ids.has(id) || uids.has(tags[UID_TAG] ?? '') || digits.some((part) => name.includes(part));
  return instances
    .filter((instance) => instance.type !== 'Replica' && !isOurs(instance))
    .map((instance) => {
      const owner = instance.tags[UID_TAG];
      const hindrance =
        owner === undefined
          ? undefined
          : `it is tagged ${UID_TAG}=${owner}: an Rds of another cluster may own it; remove the tag when that is gone`;
      return { instance, ...(hindrance ? { hindrance } : {}) };
    });
}

const LONGEST_NAME = 52;

/** `team-a_shop`, as both operators name instances, else a name that Kubernetes takes. */
function placeOf(instanceName: string, fallback: string): { namespace: string; name: string } {
  const [, namespace, name] =
    /^([a-z0-9][a-z0-9-]*)_([a-z][a-z0-9-]*?)(?:_[0-9a-f]{12})?$/.exec(instanceName) ?? [];
  if (namespace && name && new RegExp(NAME_PATTERN).test(name) && name.length <= LONGEST_NAME)
    return { namespace, name };
  const slug = instanceName
    .toLowerCase()
    .replace(/[^a-z0-9]+/g, '-')
    .replace(/^[^a-z]+/, '')
    .slice(0, LONGEST_NAME)
    .replace(/-+$/, '');
  return { namespace: fallback, name: slug || 'database' };
}

export function adoptManifest(instance: Instance, region: string, fallback: string): Manifest {
  const zones = instance.nodes
    .filter(({ role }) => role !== 'readreplica')
    .sort((a, b) => (a.role === b.role ? 0 : a.role === 'master' ? -1 : 1))
    .map(({ availabilityZone }) => availabilityZone);
  const isHa = instance.type === 'Ha';
  const spec: RdsSpec = {
    datastoretype: instance.engine,
    datastoreversion: instance.version,
    flavorref: instance.flavor,
    volumetype: instance.volumeType as NonNullable<RdsSpec['volumetype']>,
    volumesize: instance.volumeGb,
    port: `${instance.port}`,
    region,
    ...(zones.length > 0 ? { availabilityzone: zones.join(',') } : {}),
    ...(isHa ? { hamode: 'Ha' as const } : {}),
    ...(isHa && instance.replicationMode
      ? { hareplicationmode: instance.replicationMode as NonNullable<RdsSpec['hareplicationmode']> }
      : {}),
    vpc: instance.vpcId,
    subnet: instance.subnetId,
    securitygroup: instance.securityGroupId,
    ...(instance.backupKeepDays > 0 ? { backupstarttime: instance.backupStartTime } : {}),
    backupkeepdays: instance.backupKeepDays,
    deletionPolicy: 'Retain',
  };
  return {
    apiVersion: API_VERSION,
    kind: 'Rds',
    metadata: { ...placeOf(instance.name, fallback), annotations: { [ANNOTATIONS.adopt]: instance.id } },
    spec,
  };
}
