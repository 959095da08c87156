// Load set from outside: it fills disks, and lets disks grow that may grow by themselves.
import type { Scene } from '../protocol.ts';
import { enlargement } from './actions.ts';
import { begin } from './operations.ts';
import { restingStatus, wantedGrowth } from './storage-pressure.ts';
import type { Instance } from './types.ts';

export function setLoad(scene: Scene, instance: Instance, load: Partial<Instance['load']>): void {
  Object.assign(instance.load, load);
  if (instance.operation || !['ACTIVE', 'STORAGE FULL'].includes(instance.status)) return;
  instance.status = restingStatus(instance);
  const sizeGb = wantedGrowth(instance);
  if (sizeGb) begin(scene, instance, enlargement(scene, instance, sizeGb));
}
