// What the journal keeps of the autopilot: targets that were decided, and what was made in the cloud to watch an
// instance. The machine that was decided on is also written into a tag of the instance: should the journal be lost,
// a scaled machine must not look like drift.

import type { Meter } from './autopilot.ts';
import { hashHex } from './hash.ts';

/** `over`: what the spec said when it was decided; a spec that says something else is newer, and wins. */
export type Target<T> = { to: T; over: T };

export type ScaleStep = { at: number; what: string; because: string };

export type Scale = {
  volumeGb?: Target<number>;
  flavor?: Target<string>;
  /** The last decision: the next one waits for the cooldown. */
  decidedAt?: number;
  /** Disk or machine are to change or do so, by whomever; nothing is decided meanwhile. */
  isMoving?: true;
  /** When the last such change was seen complete: only what was measured later counts. */
  settledAt?: number;
  /** Newest first. */
  history?: readonly ScaleStep[];
};

const MAX_HISTORY = 10;

export function withStep(scale: Scale, step: ScaleStep): Scale {
  return {
    ...scale,
    decidedAt: step.at,
    isMoving: true,
    history: [step, ...(scale.history ?? [])].slice(0, MAX_HISTORY),
  };
}

export type Watch = {
  /** When a create was last sent: it may take effect until the settle time is over. */
  alarms: Partial<Record<Meter, number>>;
  topic?: TopicRecord;
};

export type TopicRecord = {
  /** When it was last asked for. */
  at: number;
  /** Unknown while the answer is. */
  urn?: string;
  /** Who was subscribed to it, and when it was last asked to confirm. */
  endpoint?: string;
  askedAt?: number;
  /** It is gone, unless a create of before has yet to take effect. */
  isRemoved?: true;
};

/** When the last thing was sent that may still show up. */
export function watchedSince({ alarms, topic }: Watch): number {
  return Math.max(0, ...Object.values(alarms), topic?.at ?? 0);
}

/** Tags take no dots. */
const encoded = (flavor: string): string => flavor.replaceAll('.', '_');

export function scaledTag({ to, over }: Target<string>): string {
  return `${hashHex(over, 6)}@${encoded(to)}`;
}

/** The machine that a tag tells, if it was decided over this spec. */
export function flavorOfTag(tag: string | undefined, specFlavor: string): string | undefined {
  const [over, to] = tag?.split('@') ?? [];
  return to !== undefined && over === hashHex(specFlavor, 6) ? to.replaceAll('_', '.') : undefined;
}
