// From a cheap look: is there anything that only the journal and fresh values can settle?

import type { Autopilot } from '../../../rds/autopilot.ts';
import { hash32 } from '../../../rds/hash.ts';
import { ANNOTATIONS, SCALED_TAG } from '../../../rds/names.ts';
import { orderValue } from '../../../rds/object.ts';
import type { Reason } from '../../../rds/reasons.ts';
import { flavorOfTag } from '../../../rds/scale.ts';
import type { Case } from '../changes/wish.ts';
import type { WatchView } from '../observed.ts';
import { remembered } from '../remembered.ts';
import { hasAllAlarms, keptIds } from './alarms.ts';
import { autopilotProblems } from './bounds.ts';
import { judge } from './judge.ts';
import { isMarkWrong } from './mark.ts';
import { openCapacity } from './open-capacity.ts';
import { BY_VALUES, saidBefore } from './report.ts';
import { UNREAD } from './situation.ts';

export function needsLook(one: Case, autopilot: Autopilot): boolean {
  const { o, instance, details } = one;
  const before = saidBefore(o)?.reason as Reason | undefined;
  if (isMarkWrong(one)) return true;
  if (autopilot.mode === 'Off') return before !== undefined && before !== 'AutopilotOff';
  const isInvalid = autopilotProblems(autopilot, instance, details.flavors).length > 0;
  if (isInvalid !== (before === 'AutopilotInvalid')) return true;
  if (isInvalid) return false;
  const { watch } = details;
  if (instance.status === 'STORAGE FULL' && mayHaveToDecide(one, autopilot, watch ?? UNREAD)) return true;
  if (!watch || watch.failure) return false;
  if (orderValue(o.rds, ANNOTATIONS.alarm) !== remembered(o).handled[ANNOTATIONS.alarm] && isPushed(one))
    return true;
  if (before === 'Scaling') return openCapacity(one).length === 0;
  if (!hasAllAlarms(watch) || isMistold(one, watch)) return true;
  return mustSubscribeAgain(one, watch) || mayHaveToDecide(one, autopilot, watch);
}

/** A status that was lost or went back is filled again from the journal. */
function isMistold({ o, instance }: Case, watch: WatchView): boolean {
  const { alarms = [], scaling } = o.rds.status ?? {};
  const isScaled = flavorOfTag(instance.tags[SCALED_TAG], o.spec.flavorref) !== undefined;
  return keptIds(watch).join() !== alarms.join() || (isScaled && scaling?.flavor === undefined);
}

const isPushed = ({ o }: Case): boolean => orderValue(o.rds, ANNOTATIONS.alarm) !== undefined;

const HOUR_MS = 3_600_000;
/** Longer than the pace of a settled Rds: once an hour a call falls into it. */
const TURN_MS = 75_000;

function mustSubscribeAgain({ o }: Case, { subscription }: WatchView): boolean {
  if (subscription === 'missing') return true;
  // Only the journal knows when it was last asked; spread over the hour, since a look is not cheap.
  const turn = (o.nowMs + hash32(o.rds.metadata.uid)) % HOUR_MS;
  if (subscription === 'unconfirmed' && turn < TURN_MS) return true;
  const isToldUnconfirmed = saidBefore(o)?.reason === 'PushUnconfirmed';
  return (
    (subscription === 'unconfirmed' && !isToldUnconfirmed) ||
    (subscription === 'confirmed' && isToldUnconfirmed)
  );
}

/** What is told already needs no second look while the alarm lasts. */
function mayHaveToDecide(one: Case, autopilot: Autopilot, watch: WatchView): boolean {
  const { o, instance } = one;
  const before = saidBefore(o);
  const isOver = instance.status === 'STORAGE FULL' || watch.alarms.some(({ state }) => state === 'alarm');
  const isTold = before !== undefined && BY_VALUES.includes(before.reason as Reason);
  const isSame = before?.observedGeneration === o.rds.metadata.generation;
  const hasReason = () => judge({ one, autopilot, watch, at: watch.at, scale: {} }).decision !== undefined;
  if (isTold) return !isSame || !(isOver || hasReason());
  const [last] = o.rds.status?.scaling?.history ?? [];
  const isResting = last !== undefined && o.nowMs < Date.parse(last.at) + autopilot.cooldownMs;
  if (isResting) return false;
  return isOver || hasReason();
}
