// The one step that a rotation takes next. Every step is a swap of the journal, so whatever fails and however many
// replicas look, a period has one rotation, and the login that is published is never the one that is made or closed.

import { graceMs, hoursMs, nextSlot, ROOT_ACCOUNT, type Rotation, slotOf } from '../../rds/rotation.ts';
import { drawingToProve, isPublished, provenDrawing, type Rotating } from './rotating.ts';

export type Seen = {
  /** The cloud's clock. */
  at: number;
  settleMs: number;
  hourMs: number | undefined;
  grace: string | undefined;
  /** Databases, users and rights are as declared. */
  isApplied: boolean;
  /** The Job of the present wish has done its part for this account. */
  isDone(account: string): boolean;
  /** The password of root was replaced in this closing. */
  isRootReplaced(since: number): boolean;
};

/** `draws`: the answer of this very call carries the drawing that `rotation.next` names. */
export type RotationStep = { rotation: Rotation; draws?: boolean };

export function rotationStep(one: Rotating, seen: Seen): RotationStep | undefined {
  const { rotation } = one;
  if (!rotation) return firstSight(one, seen);
  const missed = missing(one, rotation, seen);
  if (missed) return missed;
  switch (rotation.state) {
    case 'Idle':
      return begin(one, rotation, seen);
    case 'Making':
      return prove(one, rotation, seen);
    case 'Publishing':
      return publish(one, rotation, seen);
    case 'Overlap':
      return isPublished(one) && seen.at >= (rotation.endsAt ?? seen.at)
        ? { rotation: { ...rotation, state: 'Closing', at: seen.at } }
        : undefined;
    case 'Closing':
      return close(one, rotation, seen);
  }
}

/** A view may lack a Secret that is there; whether it is gone shows only after a while. */
function missing(one: Rotating, rotation: Rotation, { at }: Seen): RotationStep | undefined {
  const isMissing = one.account !== ROOT_ACCOUNT && !one.kept.published && !provenDrawing(one);
  if (isMissing === (rotation.missingAt !== undefined)) return undefined;
  const { missingAt: _seenAgain, ...rest } = rotation;
  return { rotation: isMissing ? { ...rest, missingAt: at } : rest };
}

/** The first period begins when rotation is first asked for. */
function firstSight(one: Rotating, { at, isApplied }: Seen): RotationStep | undefined {
  const { published } = one.kept;
  if (!isApplied || !published || !isPublished(one)) return undefined;
  const current = slotOf(one.logins, published.username) ?? 'first';
  const drawing = published.mark === '' ? {} : { mark: published.mark, origin: published.mark };
  return { rotation: { number: 0, current, since: at, state: 'Idle', at, ...drawing } };
}

function begin(one: Rotating, rotation: Rotation, seen: Seen): RotationStep | undefined {
  const { at } = seen;
  const isDue = one.every !== undefined && at >= rotation.since + hoursMs(one.every, seen.hourMs);
  // A Job that closes a login may still be on its way for a while; it must not meet a new one under that name.
  const isQuiet = rotation.number === 0 || at >= rotation.at + 2 * seen.settleMs;
  if (!isDue || !isQuiet || !seen.isApplied || !isPublished(one)) return undefined;
  return drawn(one, { ...rotation, number: rotation.number + 1 }, at);
}

function drawn(one: Rotating, rotation: Rotation, at: number): RotationStep | undefined {
  if (!one.kept.spare) return undefined;
  return { rotation: { ...rotation, state: 'Making', at, next: one.kept.spare.mark }, draws: true };
}

function prove(one: Rotating, rotation: Rotation, seen: Seen): RotationStep | undefined {
  if (one.every === undefined) {
    // Wanted no more: what was begun is closed again.
    const { next: _unused, ...rest } = rotation;
    const previous = nextSlot(rotation.current);
    return { rotation: { ...rest, previous, state: 'Closing', at: seen.at } };
  }
  if (!drawingToProve(one)) {
    // The answer that carried it may have been lost.
    return seen.at >= rotation.at + seen.settleMs ? drawn(one, rotation, seen.at) : undefined;
  }
  if (!seen.isDone(one.account)) return undefined;
  const { next, ...rest } = rotation;
  return {
    rotation: {
      ...rest,
      current: nextSlot(rotation.current),
      previous: rotation.current,
      since: seen.at,
      state: 'Publishing',
      at: seen.at,
      ...(next === undefined ? {} : { mark: next }),
    },
  };
}

/** The time of grace begins when the Secret is seen with the new login. */
function publish(one: Rotating, rotation: Rotation, seen: Seen): RotationStep | undefined {
  if (isPublished(one)) {
    const endsAt = seen.at + graceMs(seen.grace, seen.hourMs);
    return { rotation: { ...rotation, state: 'Overlap', at: seen.at, endsAt } };
  }
  if (provenDrawing(one) || seen.at < rotation.at + seen.settleMs) return undefined;
  // Proven and then lost: nobody has this password, so the same login is made again.
  const { previous = rotation.current, mark: _lost, ...rest } = rotation;
  return drawn(one, { ...rest, current: previous }, seen.at);
}

function close(one: Rotating, rotation: Rotation, seen: Seen): RotationStep | undefined {
  const replacesRoot = one.account === ROOT_ACCOUNT && rotation.current !== 'root';
  if (replacesRoot && !seen.isRootReplaced(rotation.at)) return undefined;
  if (rotation.previous !== 'root' && !seen.isDone(one.account)) return undefined;
  const { previous: _closed, endsAt: _over, ...rest } = rotation;
  return { rotation: { ...rest, state: 'Idle', at: seen.at } };
}
