// The autopilot's turn in a call, after orders and changes of the spec: it notes what is complete, decides, and keeps
// its alarms as they should be. Without the journal and a fresh view it only asks for a closer look.

import { type Autopilot, autopilotOf } from '../../../rds/autopilot.ts';
import type { Journal } from '../../../rds/journal.ts';
import { ANNOTATIONS, SCALED_TAG } from '../../../rds/names.ts';
import { orderValue } from '../../../rds/object.ts';
import { flavorOfTag, type Scale } from '../../../rds/scale.ts';
import { pendingChanges } from '../changes/pending.ts';
import { SCALED_FLAVOR } from '../changes/wanted-capacity.ts';
import type { Case } from '../changes/wish.ts';
import { stateOf } from '../instance-state.ts';
import { type Action, PACE, type Verdict } from '../plan.ts';
import { hasAllAlarms, watchWork } from './alarms.ts';
import { autopilotProblems } from './bounds.ts';
import { scaleAction, withPush } from './decision.ts';
import { judge } from './judge.ts';
import { mark } from './mark.ts';
import { needsLook } from './needs-look.ts';
import { openCapacity } from './open-capacity.ts';
import { scaling } from './report.ts';
import { UNREAD } from './situation.ts';
import { unwatch } from './unwatch.ts';

type Fresh = { one: Case; autopilot: Autopilot; journal: Journal; at: number };

export function autopilotStep(one: Case, journal: Journal, told: Verdict): Verdict | undefined {
  const { o, instance, details } = one;
  const autopilot = autopilotOf(o.spec);
  if (stateOf(instance).transitional) return undefined;
  if (o.cloud.kind !== 'fresh') {
    return needsLook(one, autopilot) ? { ...told, action: { kind: 'lookCloser' } } : undefined;
  }
  const fresh: Fresh = { one, autopilot, journal, at: o.cloud.at };
  const settled = lostRecord(fresh) ?? seenComplete(fresh) ?? newerSpec(fresh) ?? mark(one);
  if (settled) return soon(told, settled);
  if (autopilot.mode === 'Off') return whenOff(one, journal, told);
  if (autopilotProblems(autopilot, instance, details.flavors).length > 0) return undefined;
  const action = decided(fresh) ?? kept(fresh) ?? pushed(fresh);
  if (action) return soon(told, action);
  // What was just made is not in the shared list yet.
  return details.watch && !hasAllAlarms(details.watch)
    ? { ...told, resyncAfterSeconds: LISTED_SECONDS }
    : undefined;
}

/** Longer than the list of alarms is shared before a write. */
const LISTED_SECONDS = 12;

function soon(told: Verdict, action: Action): Verdict {
  const [step] = action.kind === 'scale' && action.decided ? (action.journal.scale?.history ?? []) : [];
  const conditions = step ? [...told.conditions, scaling(step)] : told.conditions;
  return { ...told, action, conditions, resyncAfterSeconds: PACE.soon };
}

function whenOff(one: Case, journal: Journal, told: Verdict): Verdict | undefined {
  const left = unwatch(one.o, journal);
  if (!left) return undefined;
  return 'wait' in left ? { ...told, resyncAfterSeconds: PACE.waiting } : { ...told, action: left };
}

/** A journal that was lost gets back what the instance itself tells. */
function lostRecord({ one, journal }: Fresh): Action | undefined {
  const { flavorref } = one.o.spec;
  const to = flavorOfTag(one.instance.tags[SCALED_TAG], flavorref);
  if (to === undefined || journal.scale?.flavor) return undefined;
  const scale: Scale = { ...journal.scale, flavor: { to, over: flavorref } };
  return { kind: 'scale', journal: { ...journal, scale } };
}

function seenComplete({ one, journal, at }: Fresh): Action | undefined {
  const { scale } = journal;
  if (!scale?.isMoving || openCapacity(one).length > 0) return undefined;
  const { isMoving: _over, ...rest } = scale;
  return { kind: 'swapJournal', journal: { ...journal, scale: { ...possible(one, rest), settledAt: at } } };
}

/** A machine that is no longer to be had is given up, so that another can be chosen. */
function possible({ o, instance }: Case, scale: Scale): Scale {
  const isRefused = pendingChanges(o, instance).some(
    ({ field, impact }) => field === SCALED_FLAVOR && impact === 'impossible',
  );
  if (!isRefused) return scale;
  const { flavor: _over, ...rest } = scale;
  return rest;
}

/** A later word of the user wins: what was decided over another one is forgotten. */
function newerSpec({ one, journal }: Fresh): Action | undefined {
  const { scale } = journal;
  const { flavorref, volumesize } = one.o.spec;
  const isOld = {
    flavor: scale?.flavor !== undefined && scale.flavor.over !== flavorref,
    volumeGb: scale?.volumeGb !== undefined && scale.volumeGb.over !== volumesize,
  };
  if (!scale || (!isOld.flavor && !isOld.volumeGb)) return undefined;
  const { flavor, volumeGb, ...rest } = scale;
  const next: Scale = {
    ...rest,
    ...(flavor && !isOld.flavor ? { flavor } : {}),
    ...(volumeGb && !isOld.volumeGb ? { volumeGb } : {}),
  };
  return { kind: 'scale', journal: { ...journal, scale: next } };
}

function decided({ one, autopilot, journal, at }: Fresh): Action | undefined {
  if (autopilot.mode !== 'Act') return undefined;
  const watch = one.details.watch ?? UNREAD;
  const { decision } = judge({ one, autopilot, watch, at, scale: journal.scale ?? {} });
  return decision && scaleAction(one, journal, decision, at);
}

function kept({ one, autopilot, journal }: Fresh): Action | undefined {
  const { watch } = one.details;
  if (!watch || watch.at === 0) return undefined;
  const { timing } = one.o;
  const work = watchWork({ autopilot, watch, record: journal.watch, timing });
  return work && { kind: 'watch', at: watch.at, work };
}

function pushed({ one, journal }: Fresh): Action | undefined {
  const value = orderValue(one.o.rds, ANNOTATIONS.alarm);
  if (value === undefined || journal.handled?.[ANNOTATIONS.alarm] === value) return undefined;
  // Values that could not be read are asked for again.
  if (!one.details.watch?.readings) return undefined;
  return { kind: 'swapJournal', journal: withPush(one.o.rds, journal) };
}
