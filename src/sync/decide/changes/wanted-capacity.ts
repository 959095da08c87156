// How large disk and machine should be: what the autopilot decided, unless the spec was changed since (protocol C11).

import { SCALED_TAG } from '../../../rds/names.ts';
import { flavorOfTag } from '../../../rds/scale.ts';
import { remembered } from '../remembered.ts';
import { type Case, isSet } from './wish.ts';

/** `field`: who wants it, as the plan names it. */
export type Wanted<T> = { to: T; field: string };

export const SCALED_FLAVOR = 'autopilot.flavor';
export const SCALED_VOLUME = 'autopilot.volumeGb';

/** A standby comes after the machine, so a single instance takes the single form of the wanted flavor first. */
export function flavorFor(wanted: string, type: string): string {
  return type === 'Single' ? wanted.replace(/\.ha$/, '') : wanted;
}

/** undefined: nobody has said anything, so it is good as it is. */
export function wantedFlavor(one: Case): Wanted<string> | undefined {
  const { o, instance } = one;
  const { flavorref } = o.spec;
  const scaled = scaledFlavor(one);
  if (scaled !== undefined) return { to: flavorFor(scaled, instance.type), field: SCALED_FLAVOR };
  if (!isSet(one, 'flavorref')) return undefined;
  return { to: flavorFor(flavorref, instance.type), field: 'spec.flavorref' };
}

/** The record, or what the instance itself tells where the record was lost. */
function scaledFlavor({ o, instance }: Case): string | undefined {
  const { flavorref } = o.spec;
  const record = remembered(o).scale.flavor;
  if (record) return record.over === flavorref ? record.to : undefined;
  return flavorOfTag(instance.tags[SCALED_TAG], flavorref);
}

export function wantedVolume(one: Case): Wanted<number> | undefined {
  const { volumesize } = one.o.spec;
  const record = remembered(one.o).scale.volumeGb;
  const scaled = record?.over === volumesize ? record.to : 0;
  const declared = isSet(one, 'volumesize') ? volumesize : 0;
  if (scaled > declared) return { to: scaled, field: SCALED_VOLUME };
  return declared > 0 ? { to: declared, field: 'spec.volumesize' } : undefined;
}
