// Orders to restart: by annotation, where any new value is a new order, or in the old style by writing
// status.reboot: true. Each is carried out once, whatever old pictures of the parent come along.

import type { Instance } from '../../otc/cloud.ts';
import type { Journal } from '../../rds/journal.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import type { Observed } from './observed.ts';
import { PACE, type Verdict } from './plan.ts';
import { progressing } from './words.ts';

/** The op key of a restart ordered by status.reboot; no annotation value can be mistaken for it. */
const BOOLEAN_ORDER = 'status.reboot=true';

/** Where status shows that the journal holds such an order, so that a cheap look knows to look closer. */
export const REBOOT_COPY = 'status.reboot';

/**
 * A boolean cannot carry an order number, so it is moved into the journal before anything else and answered
 * `false` after that (protocol C9).
 */
export function moveBooleanOrder(o: Observed, journal: Journal | undefined): Verdict | undefined {
  if (o.rds.status?.reboot !== true || journal?.reboot !== undefined) return undefined;
  const next: Journal = { ...journal, reboot: 'ordered' };
  return {
    action: { kind: 'takeReboot', journal: next },
    phase: o.rds.status.phase ?? 'Pending',
    conditions: [progressing('True', 'Restarting', 'A restart was ordered by status.reboot.')],
    resyncAfterSeconds: PACE.soon,
  };
}

/** Once carried out, the boolean counts again only after a live read has shown `false`. */
export function forgetBooleanOrder(o: Observed, journal: Journal, told: Verdict): Verdict | undefined {
  if (o.cloud.kind !== 'fresh') {
    return o.rds.status?.handled?.[REBOOT_COPY] === undefined
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
  const value = annotation(o.rds, ANNOTATIONS.restart);
  const byAnnotation = value !== undefined && journal.handled?.[ANNOTATIONS.restart] !== value;
  const key = byAnnotation ? value : journal.reboot === 'ordered' ? BOOLEAN_ORDER : undefined;
  if (key === undefined) return undefined;
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

export function restartCarriedOut(journal: Journal, key: string): Journal {
  if (key === BOOLEAN_ORDER) return { ...journal, reboot: 'done' };
  return { ...journal, handled: { ...journal.handled, [ANNOTATIONS.restart]: key } };
}
