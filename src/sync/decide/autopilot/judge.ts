// From measured values to at most one decision: an absolute target, and the metric that caused it. Disk first, since a
// full one stops everything.

import { type Meter, thresholdOf } from '../../../rds/autopilot.ts';
import type { Point } from '../observed.ts';
import { grownSize } from './disk.ts';
import { newest, slope, sustained } from './evidence.ts';
import { type Fleet, largerFlavor, sizeOf } from './machine.ts';
import { quietDecision } from './quiet.ts';
import { type Judgement, mayDecide, type Situation } from './situation.ts';

const NOTHING: Judgement = { decision: undefined, bounds: [] };

/** From a decision until it can have an effect: the cloud enlarges in minutes, and values come late. */
const LEAD_MS = 30 * 60_000;

const percent = (value: number): string => `${Math.round(value * 10) / 10} %`;

export function judge(situation: Situation): Judgement {
  const judged = [diskJudgement(situation), machineJudgement(situation)];
  const bounds = judged.flatMap((one) => one.bounds);
  if (!mayDecide(situation)) return { decision: undefined, bounds };
  const decision = judged.find((one) => one.decision)?.decision ?? quietDecision(situation);
  return { decision, bounds };
}

export function diskJudgement({ one, autopilot, watch, at, scale }: Situation): Judgement {
  const { instance } = one;
  const { thresholdPercent, stepGb, maxGb } = autopilot.storage;
  const isFull = instance.status === 'STORAGE FULL';
  const points = watch.readings?.disk ?? [];
  const threshold = (instance.volumeGb * thresholdPercent) / 100;
  const over = sustained(points, { threshold, sinceMs: scale.settledAt ?? 0, nowMs: at });
  if (!isFull && !over) return NOTHING;
  const usedGb = isFull ? instance.volumeGb : (over?.at(-1)?.value ?? 0);
  const because = isFull
    ? `the disk of ${instance.volumeGb} GB is full (STORAGE FULL)`
    : `disk ${percent((usedGb / instance.volumeGb) * 100)} of ${instance.volumeGb} GB in use for 15 minutes, threshold ${thresholdPercent} %`;
  const gbPerMs = slope(over ?? newest(points));
  const leadMs = autopilot.cooldownMs + LEAD_MS;
  const presentGb = instance.volumeGb;
  const toGb = grownSize({ presentGb, usedGb, gbPerMs, thresholdPercent, stepGb, maxGb, leadMs });
  if (toGb === undefined)
    return {
      decision: undefined,
      bounds: [`${because}; spec.autopilot.storage.maxGb allows no more than ${maxGb} GB`],
    };
  const what = `disk ${presentGb} -> ${toGb} GB`;
  return { decision: { meter: 'disk', what, because, volumeGb: toGb }, bounds: [] };
}

function machineJudgement(situation: Situation): Judgement {
  const { one, autopilot, watch } = situation;
  const { flavors } = one.details;
  if (!flavors || !watch.readings || one.instance.status !== 'ACTIVE') return NOTHING;
  const { maxFlavor, thresholdPercent } = autopilot.compute;
  const fleet: Fleet = { instance: one.instance, flavors, replicas: one.details.replicas ?? [] };
  const bounds: string[] = [];
  for (const meter of ['cpu', 'memory'] as const) {
    const over = overThreshold(situation, meter, watch.readings[meter]);
    if (!over) continue;
    const because = `${meter} ${percent(mean(over))} for 15 minutes, threshold ${thresholdPercent} %`;
    const max = maxFlavor === undefined ? undefined : sizeOf(flavors, maxFlavor);
    const larger = largerFlavor(fleet, meter, max);
    if (larger) {
      const what = `machine ${one.instance.flavor} -> ${larger.code}`;
      return { decision: { meter, what, because, flavor: larger.code }, bounds };
    }
    const bound = maxFlavor === undefined ? '' : ` up to spec.autopilot.compute.maxFlavor ${maxFlavor}`;
    bounds.push(`${because}; no larger machine than ${one.instance.flavor} is to be had${bound}`);
  }
  return { decision: undefined, bounds };
}

function overThreshold({ autopilot, at, scale }: Situation, meter: Meter, points: readonly Point[]) {
  const threshold = thresholdOf(autopilot, meter);
  return sustained(points, { threshold, sinceMs: scale.settledAt ?? 0, nowMs: at });
}

const mean = (points: readonly Point[]): number =>
  points.reduce((sum, { value }) => sum + value, 0) / Math.max(1, points.length);
