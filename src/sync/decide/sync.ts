// What to do about a living Rds: an ordered chain of checks, the first that has something to say wins.
// The order is the protocol: what is uncertain is settled before anything new is started.

import type { Instance } from '../../otc/cloud.ts';
import type { Journal } from '../../rds/journal.ts';
import { ANNOTATIONS, nameKind, UID_TAG } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { afterActing } from './after-acting.ts';
import { cloudFailed, invalidSpec, journalUnavailable, paused } from './cannot-act.ts';
import { creation } from './creation.ts';
import { turnsLogins } from './databases-logins.ts';
import { sqlEngine } from './databases-wish.ts';
import { describe } from './describe.ts';
import { withDrill } from './drill/drill.ts';
import { manage } from './manage.ts';
import { missing } from './missing.ts';
import type { Observed } from './observed.ts';
import { moveBooleanOrders } from './orders.ts';
import { passwordState } from './password.ts';
import { PACE, type Verdict } from './plan.ts';
import { afterRelease } from './release.ts';
import { remembered } from './remembered.ts';
import { hasUnsureLogin, rotationCopies } from './rotating.ts';
import { ready } from './words.ts';

/** An Observed whose journal has been read. */
type WithJournal = Observed & { journal: Journal };

export function decideSync(o: Observed): Verdict {
  return withDrill(o, decideOwn);
}

/** About the database itself. */
function decideOwn(o: Observed): Verdict {
  const unable = journalUnavailable(o);
  if (unable) return unable;
  if (isRead(o) && o.journal.closed) {
    // Finalize closed this UID for good, so a living parent can only be a picture from the past.
    return stale('the journal of this Rds is closed');
  }
  if (o.acted) return afterActing(o, o.acted);
  const ordered =
    o.journal === 'unread' ? undefined : moveBooleanOrders(o, isRead(o) ? o.journal : undefined);
  if (ordered) return ordered;
  if (o.cloud.kind === 'failed') return cloudFailed(o, o.cloud.failure);
  const instance = knownInstance(o);
  if (o.problems.length > 0) return invalidSpec(o, instance);
  if (o.spec.paused || annotation(o.rds, ANNOTATIONS.dryRun) === 'true') return paused(o, instance);
  if (!isRead(o)) return glance(o, instance);
  if (o.journal.letGo) return afterRelease(o, o.journal, instance);
  if (o.journal.id !== undefined) return instance ? manage(o, instance) : missing(o);
  return creation(o);
}

function isRead(o: Observed): o is WithJournal {
  return typeof o.journal === 'object' && !('unavailable' in o.journal);
}

/** The instance of this Rds, if this view shows it. */
function knownInstance(o: Observed): Instance | undefined {
  if (o.cloud.kind === 'glance') {
    return o.cloud.instance && isVisiblyOurs(o, o.cloud.instance) ? o.cloud.instance : undefined;
  }
  if (o.cloud.kind !== 'fresh') return undefined;
  const id = isRead(o) ? o.journal.id : undefined;
  if (id === undefined) return undefined;
  return o.cloud.instance?.id === id ? o.cloud.instance : o.cloud.namesakes.find((one) => one.id === id);
}

/**
 * Without the journal nothing is written. A settled or building instance needs no more than a report;
 * whatever would need a write asks for a closer look.
 */
function glance(o: Observed, instance: Instance | undefined): Verdict {
  const closer: Verdict = {
    action: { kind: 'lookCloser' },
    phase: o.rds.status?.phase ?? 'Pending',
    conditions: [],
    resyncAfterSeconds: PACE.soon,
  };
  if (o.journal === 'none') return creation(o);
  // Only the journal knows who stopped an instance.
  if (!instance || instance.status === 'SHUTDOWN') return closer;
  const withEmptyJournal = { ...o, journal: fromStatus(o, instance) };
  // One that is being built can neither be logged in to nor be given another password.
  if (!isBeingBuilt(instance) && hasUnsurePassword(o, withEmptyJournal)) return closer;
  const told = describe(o, instance);
  const wanted = manage(withEmptyJournal, instance, told);
  // A Job that makes or closes logins is started on what the journal says, never on a copy of it.
  if (wanted.action.kind !== 'none' || turnsLogins(wanted.databases?.start?.wish)) return closer;
  return told;
}

function hasUnsurePassword(o: Observed, withEmptyJournal: WithJournal): boolean {
  const engine = sqlEngine(o);
  return passwordState(o) === 'unsure' || (engine !== undefined && hasUnsureLogin(withEmptyJournal, engine));
}

function isBeingBuilt({ status, ip }: Instance): boolean {
  return status === 'BUILD' && ip === undefined;
}

/** The copies that status has of what the journal knows. */
function fromStatus(o: Observed, { id }: Instance): Journal {
  const { handled, pendingRestart, tags, replicas, scale } = remembered(o);
  const made = Object.entries(replicas).map(([name, replica]) => [name, { id: replica, at: 0 }] as const);
  return {
    id,
    handled: { ...handled },
    pendingRestart: [...pendingRestart],
    tags: [...tags],
    replicas: Object.fromEntries(made),
    scale,
    ...rotationCopies(o),
  };
}

/** status.id may have been written by anybody: without the journal only the tag, or our name, is believed. */
function isVisiblyOurs(o: Observed, instance: Instance): boolean {
  const { namespace, name, uid } = o.rds.metadata;
  const owner = instance.tags[UID_TAG];
  return owner === undefined ? nameKind(instance.name, namespace, name, uid) === 'ours' : owner === uid;
}

function stale(because: string): Verdict {
  return {
    action: { kind: 'stale', because },
    phase: 'Pending',
    conditions: [ready('Unknown', 'Busy', because)],
    resyncAfterSeconds: PACE.soon,
  };
}
