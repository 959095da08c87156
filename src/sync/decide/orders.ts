// Orders to restart: by annotation, where any new value is a new order, or in the old style by writing
// status.reboot: true. Each is carried out once, whatever old pictures of the parent come along.

import type { Instance } from '../../otc/cloud.ts';
import type { ConditionWish } from '../../rds/conditions.ts';
import type { Journal } from '../../rds/journal.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { orderValue } from '../../rds/object.ts';
import { copyOf, withBooleanOrders } from './boolean-orders.ts';
import type { Observed } from './observed.ts';
import { PACE, type Verdict } from './plan.ts';
import { readJournal, remembered } from './remembered.ts';
import { progressing } from './words.ts';

/** The op key of a restart ordered by status.reboot; no annotation value can be mistaken for it. */
export const BOOLEAN_ORDER = 'status.reboot=true';

/** Before anything else: what was ordered by a boolean goes into the journal. */
export function moveBooleanOrders(o: Observed, journal: Journal | undefined): Verdict | undefined {
  const next = withBooleanOrders(o.rds, journal);
  if (!next) return undefined;
  const message = 'A restart was ordered by status.reboot.';
  return {
    action: { kind: 'takeBooleans', journal: next },
    phase: o.rds.status?.phase ?? 'Pending',
    conditions: o.rds.status?.reboot === true ? [progressing('True', 'Restarting', message)] : [],
    resyncAfterSeconds: PACE.soon,
  };
}

/** Once carried out, the boolean counts again only after a live read has shown `false`. */
export function forgetBooleanOrder(o: Observed, journal: Journal, told: Verdict): Verdict | undefined {
  if (o.cloud.kind !== 'fresh') {
    return o.rds.status?.handled?.[copyOf('reboot')] === undefined
      ? undefined
      : { ...told, action: { kind: 'lookCloser' } };
  }
  return journal.reboot === 'done' && o.rds.status?.reboot !== true
    ? { ...told, action: { kind: 'forgetReboot' } }
    : undefined;
}

export function restartOrder(
  o: Observed,
  journal: Journal,
  instance: Instance,
  told: Verdict,
): Verdict | undefined {
  const value = orderValue(o.rds, ANNOTATIONS.restart);
  const byAnnotation = value !== undefined && journal.handled?.[ANNOTATIONS.restart] !== value;
  const key = byAnnotation ? value : journal.reboot === 'ordered' ? BOOLEAN_ORDER : undefined;
  // The cloud restarts only what runs: the order waits, and the words of a stopped instance say so.
  if (key === undefined || instance.status === 'SHUTDOWN') return undefined;
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  return {
    ...told,
    action: {
      kind: 'claim',
      op: { kind: 'restart', key, at: o.cloud.at },
      write: { do: 'restart', instanceId: instance.id, annotated: byAnnotation ? value : undefined },
    },
  };
}

/** Told as long as a restart that was ordered waits for an instance that somebody stopped. */
export function waitingRestart(o: Observed, instance: Instance): ConditionWish | undefined {
  const value = orderValue(o.rds, ANNOTATIONS.restart);
  const isOrdered = value !== undefined && remembered(o).handled[ANNOTATIONS.restart] !== value;
  const isWaiting = isOrdered || readJournal(o)?.reboot === 'ordered';
  if (instance.status !== 'SHUTDOWN' || !isWaiting) return undefined;
  const message = 'The restart that was ordered comes when the instance is started again.';
  return progressing('False', 'Stopped', message);
}

/** An order to look at everything again: the look of this very call was a full one, and counters start over. */
export function reconcileOrder(o: Observed, journal: Journal, told: Verdict): Verdict | undefined {
  const value = orderValue(o.rds, ANNOTATIONS.reconcile);
  if (value === undefined || journal.handled?.[ANNOTATIONS.reconcile] === value) return undefined;
  const { repeats: _over, ...rest } = journal;
  const handled = { ...rest.handled, [ANNOTATIONS.reconcile]: value };
  return {
    ...told,
    action: { kind: 'swapJournal', journal: { ...rest, handled } },
    resyncAfterSeconds: PACE.soon,
  };
}
