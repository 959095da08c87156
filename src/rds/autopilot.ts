// What the spec asks of the autopilot, with every default filled in: one place that says how far it may go.

import type { FullSpec } from './defaults.ts';

/** What is watched, each by an alarm of its own. */
export const METERS = ['disk', 'cpu', 'memory'] as const;
export type Meter = (typeof METERS)[number];

export type Autopilot = {
  mode: 'Off' | 'Recommend' | 'Act';
  endpoint: string | undefined;
  storage: { thresholdPercent: number; stepGb: number; maxGb: number };
  compute: {
    thresholdPercent: number;
    maxFlavor: string | undefined;
    minFlavor: string | undefined;
    scaleDown: { belowPercent: number; forMs: number } | undefined;
  };
  cooldownMs: number;
  heals: boolean;
};

const MINUTE_MS = 60_000;

/** As the old operator had it: 90 %, 10 GB at a time. The cloud has no larger disk. */
const DEFAULTS = { thresholdPercent: 90, stepGb: 10, maxGb: 4_000, cooldownMinutes: 15 } as const;

export function autopilotOf(spec: Pick<FullSpec, 'autopilot' | 'endpoint'>): Autopilot {
  const { autopilot = {}, endpoint } = spec;
  const { storage = {}, compute = {}, cooldownMinutes = DEFAULTS.cooldownMinutes, heal = false } = autopilot;
  const { scaleDown } = compute;
  return {
    mode: modeOf(spec),
    endpoint,
    storage: {
      thresholdPercent: storage.thresholdPercent ?? DEFAULTS.thresholdPercent,
      stepGb: storage.stepGb ?? DEFAULTS.stepGb,
      maxGb: storage.maxGb ?? DEFAULTS.maxGb,
    },
    compute: {
      thresholdPercent: compute.thresholdPercent ?? DEFAULTS.thresholdPercent,
      maxFlavor: compute.maxFlavor,
      minFlavor: compute.minFlavor,
      scaleDown: scaleDown && {
        belowPercent: scaleDown.belowPercent,
        forMs: scaleDown.forMinutes * MINUTE_MS,
      },
    },
    cooldownMs: cooldownMinutes * MINUTE_MS,
    heals: heal,
  };
}

/** Without a word about the autopilot, the address alone switches it on, as it always did. */
function modeOf({ autopilot, endpoint }: Pick<FullSpec, 'autopilot' | 'endpoint'>): Autopilot['mode'] {
  if (autopilot) return autopilot.mode ?? 'Off';
  return endpoint === undefined ? 'Off' : 'Act';
}

export function thresholdOf({ storage, compute }: Autopilot, meter: Meter): number {
  return meter === 'disk' ? storage.thresholdPercent : compute.thresholdPercent;
}

/** Why alarms cannot be pushed there; undefined when they can. */
export function endpointProblem(endpoint: string | undefined): string | undefined {
  if (endpoint === undefined) return undefined;
  if (!/^https:\/\/[^\s/@]+(\/\S*)?$/.test(endpoint) || !URL.canParse(endpoint))
    return 'must be a public address that begins with https://, such as https://alarms.example.com/';
  return undefined;
}
