// The tag that tells the machine which was decided on, should the journal be lost.

import { SCALED_TAG } from '../../../rds/names.ts';
import { flavorOfTag, scaledTag } from '../../../rds/scale.ts';
import type { Case } from '../changes/wish.ts';
import type { Action } from '../plan.ts';
import { remembered } from '../remembered.ts';

/** The cloud takes this many. */
const MAX_TAGS = 20;

/** What the tag should say; 'any': nothing is known that it could contradict. */
function wantedMark({ o, instance }: Case): string | undefined | 'any' {
  const { flavorref } = o.spec;
  const present = instance.tags[SCALED_TAG];
  const record = remembered(o).scale.flavor;
  if (record?.over === flavorref) return record.to === record.over ? undefined : scaledTag(record);
  if (record) return undefined;
  // Without a record the tag is all that is left of one.
  return flavorOfTag(present, flavorref) === undefined ? undefined : 'any';
}

export function isMarkWrong(one: Case): boolean {
  const { tags } = one.instance;
  const wanted = wantedMark(one);
  if (wanted === 'any' || tags[SCALED_TAG] === wanted) return false;
  return wanted === undefined || SCALED_TAG in tags || Object.keys(tags).length < MAX_TAGS;
}

export function mark(one: Case): Action | undefined {
  if (!isMarkWrong(one)) return undefined;
  const value = wantedMark(one);
  return { kind: 'mark', instanceId: one.instance.id, value };
}
