// Read replicas: made, grown with their primary, removed. Each is an instance of its own whose name carries our
// UID, and the journal says which ones we made: no other is ever touched.

import type { Instance } from '../../../otc/cloud.ts';
import { replicaName } from '../../../rds/names.ts';
import type { RdsSpec } from '../../../rds/spec.ts';
import type { RdsStatus } from '../../../rds/status.ts';
import { stateOf } from '../instance-state.ts';
import { remembered } from '../remembered.ts';
import { unfit } from './capacity.ts';
import { flavorFor, SCALED_FLAVOR, wantedFlavor, wantedVolume } from './wanted-capacity.ts';
import { atReplica, type Case, isSet, orderOf, type Wish } from './wish.ts';

type WantedReplica = NonNullable<RdsSpec['readReplicas']>[number];

const fieldOf = (name: string) => `spec.readReplicas[${name}]`;

function wantedReplicas(one: Case): readonly WantedReplica[] {
  return isSet(one, 'readReplicas') ? (one.o.spec.readReplicas ?? []) : [];
}

/** The instance behind a replica of the spec, if this view shows it. */
export function findReplica({ o, instance, details }: Case, name: string): Instance | undefined {
  const { uid } = o.rds.metadata;
  const id = remembered(o).replicas[name];
  const isOurs = (one: Instance) => one.type === 'Replica' && one.replicaOf === instance.id;
  return details.replicas?.find(
    (one) => isOurs(one) && (id === undefined ? one.name === replicaName(uid, name) : one.id === id),
  );
}

/** As large as the primary is to be, unless the spec says more: a replica may not be smaller. */
function flavorOf(one: Case, wanted: WantedReplica): string {
  const target = wantedFlavor(one);
  const follows = `${flavorFor(target?.to ?? one.instance.flavor, 'Single')}.rr`;
  const own = wanted.flavorref;
  if (own === undefined) return follows;
  const vcpus = (code: string) => one.details.flavors?.find((flavor) => flavor.code === code)?.vcpus ?? 0;
  // A primary that the autopilot made larger takes its replicas along.
  return target?.field === SCALED_FLAVOR && vcpus(own) < vcpus(follows) ? follows : own;
}

export function newReplicas(one: Case): Wish[] {
  const { o, instance, details } = one;
  if (!details.replicas) return [];
  const known = remembered(o).replicas;
  return wantedReplicas(one)
    .filter(({ name }) => !findReplica(one, name))
    .map((wanted) => {
      const zone = wanted.availabilityzone ?? instance.nodes[0]?.availabilityZone ?? '';
      const flavor = `${flavorFor(instance.flavor, 'Single')}.rr`;
      const first = wanted.flavorref ?? flavor;
      const wish: Wish = {
        field: fieldOf(wanted.name),
        from: 'none',
        to: `${first} in ${zone}`,
        impact: 'none',
      };
      if (known[wanted.name] !== undefined) return { ...wish, later: 'ordered; not listed by the cloud' };
      if (instance.engine === 'SQLServer') {
        return { ...wish, impact: 'impossible', refused: 'the cloud has no read replicas for SQL Server' };
      }
      const refused = unfit(details.flavors, first, [zone], 'replica');
      if (refused) return { ...wish, impact: 'impossible', refused };
      const order = {
        op: { kind: 'replica' as const, key: wanted.name },
        write: {
          do: 'replica' as const,
          wanted: {
            name: replicaName(o.rds.metadata.uid, wanted.name),
            primaryId: instance.id,
            flavor: first,
            volumeType: instance.volumeType,
            volumeGb: instance.volumeGb,
            availabilityZone: zone,
          },
        },
      };
      return { ...wish, order };
    });
}

/** Before their primary grows: neither machine nor disk of a replica may be smaller. */
export function grownReplicas(one: Case): Wish[] {
  return wantedReplicas(one).flatMap((wanted) => {
    const replica = findReplica(one, wanted.name);
    if (!replica || stateOf(replica).transitional) return [];
    const sizeGb = Math.max(wantedVolume(one)?.to ?? 0, one.instance.volumeGb);
    const disk = { kind: 'enlarge', sizeGb } as const;
    return replica.volumeGb >= sizeGb
      ? machineOf(one, wanted, replica, 'larger')
      : [
          {
            field: fieldOf(wanted.name),
            from: `${replica.volumeGb} GB`,
            to: `${sizeGb} GB`,
            impact: 'none' as const,
            order: orderOf(replica.id, disk, atReplica(`${sizeGb}`, wanted.name)),
          },
          ...machineOf(one, wanted, replica, 'larger'),
        ];
  });
}

/** After their primary: a smaller machine is possible only then. */
export function shrunkReplicas(one: Case): Wish[] {
  return wantedReplicas(one).flatMap((wanted) => {
    const replica = findReplica(one, wanted.name);
    return replica && !stateOf(replica).transitional ? machineOf(one, wanted, replica, 'smaller') : [];
  });
}

function machineOf(one: Case, wanted: WantedReplica, replica: Instance, which: 'larger' | 'smaller'): Wish[] {
  const flavor = flavorOf(one, wanted);
  if (flavor === replica.flavor) return [];
  const { flavors } = one.details;
  const vcpus = (code: string) => flavors?.find((candidate) => candidate.code === code)?.vcpus ?? 0;
  const grows = vcpus(flavor) >= vcpus(replica.flavor);
  if (grows !== (which === 'larger')) return [];
  const wish: Wish = { field: fieldOf(wanted.name), from: replica.flavor, to: flavor, impact: 'disconnect' };
  const zones = replica.nodes.map(({ availabilityZone }) => availabilityZone);
  const refused = unfit(flavors, flavor, zones, 'replica');
  if (refused) return [{ ...wish, impact: 'impossible', refused }];
  return [
    { ...wish, order: orderOf(replica.id, { kind: 'resize', flavor }, atReplica(flavor, wanted.name)) },
  ];
}

export function removedReplicas(one: Case): Wish[] {
  const wanted = new Set(wantedReplicas(one).map(({ name }) => name));
  return Object.keys(remembered(one.o).replicas)
    .filter((name) => !wanted.has(name))
    .flatMap((name) => {
      const replica = findReplica(one, name);
      if (!replica || stateOf(replica).transitional) return [];
      return [
        {
          field: fieldOf(name),
          from: replica.flavor,
          to: 'none',
          impact: 'disconnect' as const,
          order: {
            op: { kind: 'removeReplica' as const, key: name },
            write: { do: 'removeReplica' as const, instanceId: replica.id },
          },
        },
      ];
    });
}

/** What status tells; where they were not looked at the last report stands. */
export function reportedReplicas(one: Case): Pick<RdsStatus, 'replicas'> {
  const ids = remembered(one.o).replicas;
  const wanted = wantedReplicas(one).map(({ name }) => name);
  const names = [...new Set([...wanted, ...Object.keys(ids)])].sort();
  if (names.length === 0) return one.o.rds.status?.replicas ? { replicas: [] } : {};
  if (!one.details.replicas) return {};
  const replicas = names.map((name) => {
    const replica = findReplica(one, name);
    const id = replica?.id ?? ids[name];
    return {
      name,
      ...(id === undefined ? {} : { id }),
      ...(replica ? { status: replica.status } : {}),
      ...(replica?.ip === undefined ? {} : { ip: replica.ip }),
    };
  });
  return { replicas: replicas.slice(0, 10) };
}
