// Letting an instance go while its Rds stays: our marks come off, and nothing is made in its place until the
// annotation is taken away.

import type { Instance } from '../../otc/cloud.ts';
import type { Journal } from '../../rds/journal.ts';
import { ANNOTATIONS, UID_TAG } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { unwatch } from './autopilot/unwatch.ts';
import type { Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { readJournal } from './remembered.ts';
import { idle, ready, synced } from './words.ts';

export const wantsRelease = (o: Pick<Observed, 'rds'>): boolean =>
  annotation(o.rds, ANNOTATIONS.release) === 'true';

export function release(o: Observed, instance: Instance): Verdict | undefined {
  if (!wantsRelease(o)) return undefined;
  if (o.cloud.kind !== 'fresh' || !readJournal(o)) return told(o, { kind: 'lookCloser' }, instance.id);
  const left = unwatch(o, readJournal(o) ?? {});
  if (left && 'wait' in left)
    return { ...told(o, NOTHING, instance.id, left.wait), resyncAfterSeconds: PACE.waiting };
  if (left) return { ...told(o, left, instance.id), resyncAfterSeconds: PACE.soon };
  const untag = instance.tags[UID_TAG] === o.rds.metadata.uid;
  return told(o, { kind: 'letGo', instanceId: instance.id, keeps: true, untag }, instance.id);
}

/** An instance that was let go: nothing is done, or it is taken back when the annotation is gone. */
export function afterRelease(o: Observed, journal: Journal, instance: Instance | undefined): Verdict {
  const id = journal.id ?? '';
  if (wantsRelease(o)) return told(o, leftovers(o, instance), id);
  const message = `Taking instance ${id} back.`;
  return {
    action: instance ? { kind: 'adopt', instanceId: id } : NOTHING,
    phase: 'Pending',
    conditions: [
      ready('Unknown', 'Preparing', instance ? message : `Instance ${id} is not listed.`),
      synced('False', 'Preparing', message),
    ],
    resyncAfterSeconds: instance ? PACE.soon : PACE.settled,
  };
}

/** The first try may have died before the tag was off. */
function leftovers(o: Observed, instance: Instance | undefined): Action {
  return instance?.tags[UID_TAG] === o.rds.metadata.uid
    ? { kind: 'letGo', instanceId: instance.id, keeps: true, untag: true }
    : NOTHING;
}

function told(_o: Observed, action: Action, id: string, waits = ''): Verdict {
  const message =
    waits ||
    `Instance ${id} was let go as the annotation ${ANNOTATIONS.release} asks. It stays in the cloud; take the annotation away to manage it again.`;
  return {
    action,
    phase: 'Released',
    conditions: [ready('Unknown', 'Released', message), synced('Unknown', 'Released', message), idle()],
    status: {
      id: undefined,
      plan: [],
      planHash: undefined,
      operation: undefined,
      alarms: undefined,
    } as Verdict['status'],
    resyncAfterSeconds: PACE.slow,
  };
}
