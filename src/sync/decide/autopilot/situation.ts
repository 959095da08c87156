// What a judgement is made from, and what it may come to.

import type { Autopilot, Meter } from '../../../rds/autopilot.ts';
import type { Scale } from '../../../rds/scale.ts';
import type { Case } from '../changes/wish.ts';
import type { WatchView } from '../observed.ts';

export type Decision = {
  meter: Meter;
  what: string;
  because: string;
} & ({ volumeGb: number } | { flavor: string });

/** `bounds`: what would have to be decided, and cannot. */
export type Judgement = { decision: Decision | undefined; bounds: string[] };

export type Situation = {
  one: Case;
  autopilot: Autopilot;
  watch: WatchView;
  /** The cloud's clock. */
  at: number;
  scale: Scale;
};

/** A disk that is full needs no further proof. */
export const UNREAD: WatchView = { at: 0, alarms: [] };

/** Nothing new before the last one is seen complete and has rested. */
export function mayDecide({ scale, autopilot, at }: Situation): boolean {
  if (scale.isMoving) return false;
  return scale.decidedAt === undefined || at >= scale.decidedAt + autopilot.cooldownMs;
}
