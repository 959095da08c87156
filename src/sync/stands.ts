// Whether an answer stands: the same request would get it again, today and in ten minutes, as long as the cloud's shared
// lists say the same. A decision is pure, so it can be asked about later.

import type { Still } from '../otc/cloud.ts';
import { buildAnswer, type HookAnswer } from './answer.ts';
import { heldByTokens } from './decide/finalize.ts';
import { logsNeedLook } from './decide/logs.ts';
import type { Observed } from './decide/observed.ts';
import { decideSync } from './decide/sync.ts';

/** Whatever becomes due stays due for much longer (a window is open for hours), so it is seen by who looks ahead this far. */
const AHEAD_MS = 10 * 60_000;

export type Stands = {
  uid: string;
  /** By the clock that the decision was made with. */
  fromMs: number;
  untilMs: number;
  still: readonly Still[];
};

/** `noted`: everything that was read for it. */
export function standing(
  observed: Observed,
  answer: HookAnswer,
  noted: readonly Still[],
): Stands | undefined {
  const { cloud, nowMs, rds } = observed;
  if (cloud.kind !== 'glance' || cloud.at === undefined) return undefined;
  // The autopilot weighs values against the clock, and some of its reasons last for a minute only.
  if (cloud.details.watch) return undefined;
  if (noted.length === 0 || !noted.every((still) => still())) return undefined;
  const later: Observed = {
    ...observed,
    nowMs: nowMs + AHEAD_MS,
    cloud: { ...cloud, at: cloud.at + AHEAD_MS },
  };
  if (logsNeedLook(later)) return undefined;
  const verdict = decideSync(later);
  if (verdict.action.kind !== 'none') return undefined;
  const then = buildAnswer(later, heldByTokens(later, verdict));
  if (JSON.stringify(then) !== JSON.stringify(answer)) return undefined;
  return { uid: rds.metadata.uid, fromMs: nowMs, untilMs: nowMs + AHEAD_MS, still: noted };
}
