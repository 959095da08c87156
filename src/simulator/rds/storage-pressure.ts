// A disk that fills up: STORAGE FULL until it is enlarged, or growth by itself where that is switched on.
import type { Instance } from './types.ts';

const FULL_PERCENT = 97;

const QUIET_DISK_PERCENT = 5;

export const usedGb = (instance: Instance): number =>
  Math.round(instance.volumeGb * (instance.load.disk ?? QUIET_DISK_PERCENT)) / 100;

export function restingStatus(instance: Instance): string {
  if (instance.stoppedAt !== undefined) return 'SHUTDOWN';
  return (instance.load.disk ?? 0) >= FULL_PERCENT ? 'STORAGE FULL' : 'ACTIVE';
}

/** The size it should grow to by itself now, if any. */
export function wantedGrowth(instance: Instance): number | undefined {
  const { isOn, limitGb, triggerPercent } = instance.autoExpansion;
  if (!isOn || instance.load.disk === null || instance.operation) return undefined;
  const freePercent = 100 - instance.load.disk;
  const freeGb = (instance.volumeGb * freePercent) / 100;
  if (freePercent > triggerPercent && freeGb > 10) return undefined;
  const grown = Math.min(limitGb, Math.ceil((instance.volumeGb * 1.15) / 10) * 10);
  return grown > instance.volumeGb ? grown : undefined;
}
