// A judgement becomes an entry of the journal: an absolute target, swapped in once (protocol C11). A disk that is full
// does not even wait for an operation of unknown outcome.

import { autopilotOf } from '../../../rds/autopilot.ts';
import type { Journal } from '../../../rds/journal.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import { orderValue } from '../../../rds/object.ts';
import { type Scale, withStep } from '../../../rds/scale.ts';
import { pendingChanges } from '../changes/pending.ts';
import type { Case } from '../changes/wish.ts';
import { type Action, PACE, type Verdict } from '../plan.ts';
import { autopilotProblems } from './bounds.ts';
import { diskJudgement } from './judge.ts';
import { type Decision, mayDecide, UNREAD } from './situation.ts';

export function scaleAction({ o }: Case, journal: Journal, decision: Decision, at: number): Action {
  const { what, because, meter } = decision;
  const target: Pick<Scale, 'volumeGb' | 'flavor'> =
    'volumeGb' in decision
      ? { volumeGb: { to: decision.volumeGb, over: o.spec.volumesize } }
      : { flavor: { to: decision.flavor, over: o.spec.flavorref } };
  const scale = withStep({ ...journal.scale, ...target }, { at, what, because });
  return { kind: 'scale', journal: withPush(o.rds, { ...journal, scale }), decided: meter };
}

/** A push that was looked after: the same one means nothing more. */
export function withPush(rds: Case['o']['rds'], journal: Journal): Journal {
  const value = orderValue(rds, ANNOTATIONS.alarm);
  if (value === undefined) return journal;
  return { ...journal, handled: { ...journal.handled, [ANNOTATIONS.alarm]: value } };
}

/**
 * A disk that is full waits for no other operation of unknown outcome (design section 5): the spec's own wish to enlarge
 * it, or a decision.
 */
export function growFullDisk(one: Case, journal: Journal, told: Verdict): Verdict | undefined {
  const { o, instance, details } = one;
  if (instance.status !== 'STORAGE FULL' || journal.op?.kind === 'enlarge' || journal.aside) return undefined;
  if (o.cloud.kind !== 'fresh') return undefined;
  const { at } = o.cloud;
  const wanted = pendingChanges(o, instance).find(({ order }) => order?.op.kind === 'enlarge')?.order;
  if (wanted) return { ...told, action: { kind: 'claim', op: { ...wanted.op, at }, write: wanted.write } };
  const autopilot = autopilotOf(o.spec);
  if (autopilot.mode !== 'Act' || autopilotProblems(autopilot, instance, details.flavors).length > 0)
    return undefined;
  const watch = details.watch ?? UNREAD;
  const situation = { one, autopilot, watch, at, scale: journal.scale ?? {} };
  const { decision } = diskJudgement(situation);
  return decision && mayDecide(situation)
    ? { ...told, action: scaleAction(one, journal, decision, at), resyncAfterSeconds: PACE.soon }
    : undefined;
}
