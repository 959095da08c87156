// Disk, machine and standby, as the spec or a decision of the autopilot wants them.

import type { Flavor } from '../../../otc/cloud.ts';
import { stateOf } from '../instance-state.ts';
import { wantedFlavor, wantedVolume } from './wanted-capacity.ts';
import { type Case, isSet, orderOf, type Wish } from './wish.ts';

/** No replica may be smaller than its primary, so the primary follows when they are through; a full disk never waits. */
function afterReplicas({ instance, details }: Case): Pick<Wish, 'later'> {
  const busy = details.replicas?.some((replica) => stateOf(replica).transitional) ?? false;
  return busy && instance.status !== 'STORAGE FULL' ? { later: 'when the read replicas are ready' } : {};
}

export function storage(one: Case): Wish[] {
  const { instance } = one;
  const wanted = wantedVolume(one);
  // A larger disk in the cloud is not drift.
  if (!wanted || wanted.to <= instance.volumeGb) return [];
  return [
    {
      field: wanted.field,
      from: `${instance.volumeGb}`,
      to: `${wanted.to}`,
      impact: 'none',
      ...afterReplicas(one),
      order: orderOf(instance.id, { kind: 'enlarge', sizeGb: wanted.to }, `${wanted.to}`),
    },
  ];
}

export function machine(one: Case): Wish[] {
  const { instance, details } = one;
  const { field, to: wanted } = wantedFlavor(one) ?? { field: '', to: instance.flavor };
  if (wanted === instance.flavor) return [];
  const wish: Wish = { field, from: instance.flavor, to: wanted, impact: 'restart' };
  const zones = instance.nodes.map(({ availabilityZone }) => availabilityZone);
  const refused = unfit(details.flavors, wanted, zones, instance.type === 'Ha' ? 'ha' : 'single');
  if (refused) return [{ ...wish, impact: 'impossible', refused }];
  const order = orderOf(instance.id, { kind: 'resize', flavor: wanted }, wanted);
  return [{ ...wish, order, ...afterReplicas(one) }];
}

/** Why this flavor cannot be had there; undefined when it can, or when the list is not known. */
export function unfit(
  flavors: readonly Flavor[] | undefined,
  code: string,
  zones: readonly string[],
  mode: Flavor['mode'],
): string | undefined {
  if (!flavors) return undefined;
  const flavor = flavors.find((candidate) => candidate.code === code);
  const inStock = (candidate: Flavor) => zones.every((zone) => candidate.stock[zone] === 'normal');
  if (flavor?.mode === mode && inStock(flavor)) return undefined;
  const fits = flavors
    .filter((candidate) => candidate.mode === mode && inStock(candidate))
    .sort((a, b) => a.vcpus - b.vcpus || a.ramGb - b.ramGb || a.code.localeCompare(b.code))
    .slice(0, 5)
    .map((candidate) => candidate.code);
  const instead = fits.length > 0 ? `possible are ${fits.join(', ')}` : 'no flavor is in stock there';
  if (!flavor) return `flavor ${code} does not exist for this engine and version; ${instead}`;
  if (flavor.mode !== mode) return `flavor ${code} is not for this kind of instance; ${instead}`;
  const soldOut = zones.filter((zone) => flavor.stock[zone] !== 'normal');
  return `flavor ${code} is not in stock in ${soldOut.join(', ')}; ${instead}`;
}

export function standby(one: Case): Wish[] {
  const { o, instance } = one;
  if (!isSet(one, 'hamode') || o.spec.hamode === undefined || instance.type !== 'Single') return [];
  const here = instance.nodes[0]?.availabilityZone;
  const zones = o.spec.availabilityzone.split(',').map((zone) => zone.trim());
  const zone = zones.find((candidate) => candidate !== here) ?? zones[0] ?? '';
  const wish: Wish = { field: 'spec.hamode', from: 'Single', to: 'Ha', impact: 'none' };
  const needsPassword = instance.engine === 'SQLServer';
  if (needsPassword && o.password.value === undefined) {
    return [{ ...wish, impact: 'impossible', refused: 'SQL Server needs the root password for this' }];
  }
  // The value is looked up when it is sent: a plan holds no secret.
  return [{ ...wish, order: orderOf(instance.id, { kind: 'addStandby', zone, password: undefined }, zone) }];
}
