// A difference between spec and instance, before it is known when it may be carried out.

import type { Engine, Instance } from '../../../otc/cloud.ts';
import type { Op } from '../../../rds/journal.ts';
import type { PlannedChange } from '../../../rds/status.ts';
import type { Details, Observed } from '../observed.ts';
import type { Claimed } from '../plan.ts';

export type Wish = Pick<PlannedChange, 'field' | 'from' | 'to' | 'impact'> & {
  /** Absent for what is only shown. */
  order?: { op: Pick<Op, 'kind' | 'key'>; write: Claimed };
  /** Why it cannot be carried out, with what would work instead. */
  refused?: string;
  /** What it waits for, besides window and consent: shown, and not sent yet. */
  later?: string | undefined;
  /** Clients notice the write itself; by default as the impact says. */
  disrupts?: boolean;
  /** Carried out only in a window or with consent, never just so. */
  needsConsent?: boolean;
  /** More about the time, for people. */
  note?: string;
};

/** What wishes are made from. */
export type Case = { o: Observed; instance: Instance; details: Details };

export const isSet = ({ o }: Case, field: string): boolean => o.userSet.has(field);

/** An order for the instance itself; its key is the target, and seeing the target proves it. */
export function orderOf(
  instanceId: string,
  change: Extract<Claimed, { do: 'change' }>['change'],
  key: string,
): NonNullable<Wish['order']> {
  return { op: { kind: change.kind, key }, write: { do: 'change', instanceId, change } };
}

/** Keys of changes to a read replica name it: `rds.mysql.n1.large.2.rr@reports`. */
export const atReplica = (target: string, replica: string): string => `${target}@${replica}`;

export const engineWords = (engine: Engine, version: string): string => `${engine} ${version}`;
