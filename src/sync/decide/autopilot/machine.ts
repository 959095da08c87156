// Which machine comes next. Only the same engine, series and mode; numbers are compared as numbers, and what is not in
// stock in every zone of the instance and of its read replicas is passed over.

import type { Flavor, Instance } from '../../../otc/cloud.ts';
import type { Meter } from '../../../rds/autopilot.ts';

export type Fleet = { instance: Instance; flavors: readonly Flavor[]; replicas: readonly Instance[] };

export type Size = Pick<Flavor, 'vcpus' | 'ramGb'>;

/** `rds.mysql.n1` */
const seriesOf = (code: string): string => code.split('.').slice(0, 3).join('.');

/** Without the suffix of its mode: bounds may be written either way. */
const plain = (code: string): string => code.replace(/\.(ha|rr)$/, '');

const sizes = new WeakMap<readonly Flavor[], Map<string, Size>>();

/** A list is shared for minutes: it is sorted out once. Of several modes the first counts. */
export function sizeOf(flavors: readonly Flavor[], code: string): Size | undefined {
  const known = sizes.get(flavors) ?? new Map(flavors.toReversed().map((one) => [plain(one.code), one]));
  sizes.set(flavors, known);
  return known.get(plain(code));
}

const isWithin = (one: Size, other: Size): boolean => one.vcpus <= other.vcpus && one.ramGb <= other.ramGb;

const bySize = (a: Flavor, b: Flavor): number =>
  a.vcpus - b.vcpus || a.ramGb - b.ramGb || a.code.localeCompare(b.code);

function isInStock({ instance, flavors, replicas }: Fleet, flavor: Flavor): boolean {
  const zonesOf = ({ nodes }: Instance) => nodes.map(({ availabilityZone }) => availabilityZone);
  const isHad = (stock: Flavor['stock'] | undefined, zones: readonly string[]) =>
    zones.every((zone) => stock?.[zone] === 'normal');
  const follower = flavors.find(({ code }) => code === `${plain(flavor.code)}.rr`);
  return (
    isHad(flavor.stock, zonesOf(instance)) &&
    replicas.every((replica) => isHad(follower?.stock, zonesOf(replica)))
  );
}

function candidates(fleet: Fleet): Flavor[] {
  const { instance, flavors } = fleet;
  const mode = instance.type === 'Ha' ? 'ha' : 'single';
  return flavors
    .filter((flavor) => flavor.mode === mode && seriesOf(flavor.code) === seriesOf(instance.flavor))
    .filter((flavor) => isInStock(fleet, flavor))
    .sort(bySize);
}

/** The next machine with more of what is short. */
export function largerFlavor(fleet: Fleet, meter: Meter, max: Size | undefined): Flavor | undefined {
  const present = sizeOf(fleet.flavors, fleet.instance.flavor);
  if (!present) return undefined;
  const hasMore = (one: Size) => (meter === 'memory' ? one.ramGb > present.ramGb : one.vcpus > present.vcpus);
  return candidates(fleet).find(
    (flavor) => isWithin(present, flavor) && hasMore(flavor) && (!max || isWithin(flavor, max)),
  );
}

/** The next one down to the bound, of the same proportions where there is one. */
export function smallerFlavor(fleet: Fleet, min: Size): Flavor | undefined {
  const present = sizeOf(fleet.flavors, fleet.instance.flavor);
  if (!present) return undefined;
  const isSmaller = (one: Size) => isWithin(one, present) && !isWithin(present, one);
  const keepsProportions = (one: Size) => one.ramGb * present.vcpus === present.ramGb * one.vcpus;
  const smaller = candidates(fleet).filter((flavor) => isSmaller(flavor) && isWithin(min, flavor));
  return smaller.filter(keepsProportions).at(-1) ?? smaller.at(-1);
}
