// Orders in the old style: `true` written into status. A boolean cannot carry an order number, so it is moved into the
// journal before it is answered `false`, and counts again only after a live read has shown `false` (protocol C9).

import type { Journal } from '../../rds/journal.ts';
import type { Rds } from '../../rds/object.ts';
import type { Observed } from './observed.ts';

type BooleanField = 'reboot' | 'logs';

const KEPT = { reboot: 'reboot', logs: 'logsOrdered' } as const satisfies Record<BooleanField, keyof Journal>;
const FIELDS = Object.keys(KEPT) as BooleanField[];

/** Where status shows that the journal holds such an order, so that a cheap look knows to look closer. */
export const copyOf = (field: BooleanField): string => `status.${field}`;

export function orderedByBoolean({ status }: Pick<Rds, 'status'>): BooleanField[] {
  return FIELDS.filter((field) => status?.[field] === true);
}

function notKept(rds: Rds, journal: Journal | undefined): BooleanField[] {
  return orderedByBoolean(rds).filter((field) => journal?.[KEPT[field]] === undefined);
}

/** The journal with every order that it lacks; undefined when it has them all. */
export function withBooleanOrders(rds: Rds, journal: Journal | undefined): Journal | undefined {
  const lacking = notKept(rds, journal);
  if (lacking.length === 0) return undefined;
  return { ...journal, ...Object.fromEntries(lacking.map((field) => [KEPT[field], 'ordered'])) };
}

/** An answer says `false`: before the journal has the order that would lose it. */
export function losesBooleanOrder({ rds, journal }: Observed): boolean {
  if (rds.metadata.deletionTimestamp !== undefined) return false;
  const known = typeof journal === 'object' && !('unavailable' in journal) ? journal : undefined;
  return notKept(rds, known).length > 0;
}

export function booleanCopies(journal: Journal): Record<string, string> {
  const kept = FIELDS.map((field) => [copyOf(field), journal[KEPT[field]]] as const);
  return Object.fromEntries(kept.filter(([, state]) => state !== undefined)) as Record<string, string>;
}
