// Users of the old operator emptied status.id to let an instance go. That cannot be told from a lost status, so the id
// is put back, and a condition says how an instance is really let go.

import type { ConditionWish } from '../../rds/conditions.ts';
import type { Observed } from './observed.ts';
import { readJournal } from './remembered.ts';

/** Never told without an id by our own answers, nor by one from the past. */
const TOLD_WITH_ID: ReadonlySet<string> = new Set(['Ready', 'Changing', 'Restoring', 'Stopped']);

export function idFoundAgain(o: Observed): ConditionWish[] {
  const { id, phase } = o.rds.status ?? {};
  const known = readJournal(o)?.id;
  if (id || !known || !TOLD_WITH_ID.has(phase ?? '')) return [];
  const message =
    `status.id was emptied; it is ${known} again, and the instance is managed on. ` +
    'To let it go set the annotation otc.mcsps.de/release: "true", or delete the Rds with deletionPolicy: Retain.';
  return [{ type: 'InstanceKept', status: 'True', reason: 'IdFoundAgain', message }];
}
