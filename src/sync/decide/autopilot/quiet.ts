// A smaller machine after a quiet time: inside the window where there is one, never below the bound, and only when the
// same work would not be too much for it.

import type { Flavor, Instance } from '../../../otc/cloud.ts';
import type { Autopilot } from '../../../rds/autopilot.ts';
import type { FullSpec } from '../../../rds/defaults.ts';
import { opening } from '../changes/window.ts';
import { quietPeak } from './evidence.ts';
import { type Fleet, type Size, sizeOf, smallerFlavor } from './machine.ts';
import type { Decision, Situation } from './situation.ts';

/** Of the threshold: what stays below comes back no sooner than the load does. */
const ROOM = 0.85;

type Asked = { spec: FullSpec; userSet: ReadonlySet<string>; nowMs: number };

/** Down to here; undefined: nobody has said how small it may become. */
function lowerBound({ compute }: Autopilot, { spec, userSet }: Asked, flavors: readonly Flavor[]) {
  const code = compute.minFlavor ?? (userSet.has('flavorref') ? spec.flavorref : undefined);
  return code === undefined ? undefined : sizeOf(flavors, code);
}

/** Whether it is worth looking: a smaller machine is allowed, there is one, and it could be taken now. */
export function nextSmaller(
  autopilot: Autopilot,
  asked: Asked,
  fleet: Pick<Fleet, 'instance' | 'flavors'> & { replicas?: readonly Instance[] },
): Flavor | undefined {
  if (!autopilot.compute.scaleDown || fleet.instance.status !== 'ACTIVE') return undefined;
  const { maintenanceWindow } = asked.spec;
  if (maintenanceWindow && !opening(maintenanceWindow, asked.nowMs).isOpen) return undefined;
  const min = lowerBound(autopilot, asked, fleet.flavors);
  return min && smallerFlavor({ ...fleet, replicas: fleet.replicas ?? [] }, min);
}

export function quietDecision({ one, autopilot, watch, at, scale }: Situation): Decision | undefined {
  const { scaleDown, thresholdPercent } = autopilot.compute;
  const { flavors, replicas = [] } = one.details;
  if (!scaleDown || !flavors || !watch.quiet) return undefined;
  const smaller = nextSmaller(autopilot, one.o, { instance: one.instance, flavors, replicas });
  const present = sizeOf(flavors, one.instance.flavor);
  const fromMs = at - scaleDown.forMs;
  // The quiet of another machine proves nothing about this one.
  if (!smaller || !present || fromMs < (scale.settledAt ?? 0)) return undefined;
  const below = scaleDown.belowPercent;
  const cpu = quietPeak(watch.quiet.cpu, { below, fromMs, nowMs: at });
  const memory = quietPeak(watch.quiet.memory, { below, fromMs, nowMs: at });
  if (cpu === undefined || memory === undefined) return undefined;
  if (!fits({ cpu, memory }, present, smaller, thresholdPercent * ROOM)) return undefined;
  const minutes = Math.round(scaleDown.forMs / 60_000);
  return {
    meter: 'cpu',
    what: `machine ${one.instance.flavor} -> ${smaller.code}`,
    because: `cpu and memory below ${below} % for ${minutes} minutes (at most ${Math.round(cpu)} and ${Math.round(memory)} %)`,
    flavor: smaller.code,
  };
}

function fits(peak: { cpu: number; memory: number }, present: Size, next: Size, limit: number): boolean {
  return (
    (peak.cpu * present.vcpus) / next.vcpus <= limit && (peak.memory * present.ramGb) / next.ramGb <= limit
  );
}
