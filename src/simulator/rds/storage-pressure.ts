// A disk that fills up: STORAGE FULL until it is enlarged, or growth by itself where that is switched on.
import { phaseAt, usedAt } from './load-phase.ts';
import type { Instance } from './types.ts';

const FULL_PERCENT = 97;

const QUIET_DISK_PERCENT = 5;

export const quietGb = ({ volumeGb }: Instance): number => (volumeGb * QUIET_DISK_PERCENT) / 100;

function dataGb(instance: Instance, at: number): number {
  if (instance.load.disk !== null) return (instance.load.disk * instance.volumeGb) / 100;
  const phase = phaseAt(instance.phases ?? [], at);
  return phase ? usedAt({ ...phase, disk: null }, at) : quietGb(instance);
}

const usedPercent = (instance: Instance, at: number): number =>
  (dataGb(instance, at) / instance.volumeGb) * 100;

export const usedGb = (instance: Instance, at: number): number =>
  Math.round(Math.min(dataGb(instance, at), instance.volumeGb) * 100) / 100;

export function restingStatus(instance: Instance, at: number): string {
  if (instance.stoppedAt !== undefined) return 'SHUTDOWN';
  return usedPercent(instance, at) >= FULL_PERCENT ? 'STORAGE FULL' : 'ACTIVE';
}

/** The size it should grow to by itself now, if any. */
export function wantedGrowth(instance: Instance, at: number): number | undefined {
  const { isOn, limitGb, triggerPercent } = instance.autoExpansion;
  if (!isOn || instance.operation) return undefined;
  const freePercent = 100 - usedPercent(instance, at);
  const freeGb = (instance.volumeGb * freePercent) / 100;
  if (freePercent > triggerPercent && freeGb > 10) return undefined;
  const grown = Math.min(limitGb, Math.ceil((instance.volumeGb * 1.15) / 10) * 10);
  return grown > instance.volumeGb ? grown : undefined;
}

/** Fillings in GB at which something may happen: growth by itself (a fixed rest, or 20, 15, 10 %), or full. */
export const turningPointsGb = ({ volumeGb }: Instance): number[] =>
  [volumeGb - 10, ...[80, 85, 90, FULL_PERCENT].map((percent) => (volumeGb * percent) / 100)].sort(
    (a, b) => a - b,
  );
