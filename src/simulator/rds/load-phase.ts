// How hard a database works at any moment, past or present. A phase lasts until the machine, its disk or the ordered
// load changes; within it everything is a function of time, so history costs nothing until somebody asks for it.

export type LoadPhase = {
  since: number;
  /** A database that is down reports nothing. */
  isUp: boolean;
  vcpus: number;
  ramGb: number;
  volumeGb: number;
  /** Percent of this machine as ordered; null = the curve. Above 100 it wants more than there is. */
  cpu: number | null;
  mem: number | null;
  disk: number | null;
  curve: Curve;
};

/** Work as it comes over a day, measured on the machine that the instance began with. */
export type Curve = {
  vcpus: number;
  ramGb: number;
  scale: number;
  dayMs: number;
  disk: { since: number; fromGb: number; gbPerDay: number };
};

export type Load = { cpu: number; mem: number; disk: number; usedGb: number; phase: LoadPhase };

const DAYS_OF_WEEK = 7;
/** 1970 began on a Thursday. */
const EPOCH_WEEKDAY = 4;

export function phaseAt(phases: readonly LoadPhase[], at: number): LoadPhase | undefined {
  let low = 0;
  let high = phases.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((phases[middle]?.since ?? 0) <= at) low = middle + 1;
    else high = middle;
  }
  return phases[low - 1];
}

/** In percent of what there is, at most 100; nothing while the database is down. */
export function loadAt(phases: readonly LoadPhase[], at: number): Load | undefined {
  const phase = phaseAt(phases, at);
  if (!phase?.isUp) return undefined;
  const { curve } = phase;
  const busy = curve.scale * busyAt(curve, at);
  const ripple = 1 + 0.04 * rippleAt(at);
  const cpu = phase.cpu ?? ((12 * curve.scale + 38 * busy) * ripple * curve.vcpus) / phase.vcpus;
  const mem = phase.mem ?? ((35 * curve.scale + 10 * busy) * curve.ramGb) / phase.ramGb;
  const usedGb = Math.min(usedAt(phase, at), phase.volumeGb);
  return {
    cpu: Math.min(100, cpu),
    mem: Math.min(100, mem),
    disk: (usedGb / phase.volumeGb) * 100,
    usedGb,
    phase,
  };
}

export function usedAt({ disk, volumeGb, curve }: LoadPhase, at: number): number {
  if (disk !== null) return (disk * volumeGb) / 100;
  const { since, fromGb, gbPerDay } = curve.disk;
  return fromGb + (gbPerDay * Math.max(0, at - since)) / curve.dayMs;
}

/** 0 at night, 1 in the early afternoon, about half of it at weekends. */
function busyAt({ dayMs }: Curve, at: number): number {
  const hour = ((at % dayMs) / dayMs) * 24;
  const day = (Math.floor(at / dayMs) + EPOCH_WEEKDAY) % DAYS_OF_WEEK;
  const height = day === 0 || day === 6 ? 0.5 : 1;
  return hour < 6 || hour > 20 ? 0 : height * Math.sin((Math.PI * (hour - 6)) / 14);
}

/** -1 to 1, jumping from second to second, the same in every run. */
function rippleAt(at: number): number {
  const mixed = Math.imul(Math.floor(at / 1000) ^ 0x9e3779b9, 0x85ebca6b);
  return ((mixed >>> 16) / 0xffff) * 2 - 1;
}
