// The load of each database: ordered from outside, or a curve of its own with a disk that grows. It fills disks, and
// lets disks grow that may grow by themselves.
import type { Scene } from '../protocol.ts';
import { schedule } from '../world.ts';
import { enlargement } from './actions.ts';
import { findFlavor } from './flavors.ts';
import { type Curve, type LoadPhase, usedAt } from './load-phase.ts';
import { begin } from './operations.ts';
import { quietGb, restingStatus, turningPointsGb, wantedGrowth } from './storage-pressure.ts';
import type { Instance } from './types.ts';

export type LoadOrder = Partial<Instance['load']> & {
  /** Multiplies the curve of cpu and memory. */
  scale?: number;
  growthGbPerDay?: number;
};

const DAY_MS = 24 * 3_600_000;
/** Nobody asks for metrics that are older. */
const KEPT_MS = 100 * DAY_MS;
/** Of the first disk: from almost empty to full in about three months. */
const GROWTH_PERCENT_PER_DAY = 1;

const DOWN = ['BUILD', 'CREATE FAIL', 'FAILED', 'SHUTDOWN', 'FROZEN'];

export function setLoad(scene: Scene, instance: Instance, order: LoadOrder): void {
  const { scale, growthGbPerDay, ...load } = order;
  Object.assign(instance.load, load);
  recordLoad(scene, instance, { scale, growthGbPerDay });
  feelPressure(scene, instance);
}

/** To be called whenever the instance may have changed: keeps the past as it was. */
export function recordLoad(
  scene: Scene,
  instance: Instance,
  order: Pick<LoadOrder, 'scale' | 'growthGbPerDay'> = {},
): void {
  const phases = instance.phases ?? [];
  const last = phases.at(-1);
  const isUp = instance.builtAt !== undefined && !DOWN.includes(instance.status);
  if (!last && !isUp) return;
  const flavor = findFlavor(instance.flavor);
  const machine = { vcpus: flavor?.vcpus ?? 1, ramGb: flavor?.ramGb ?? 1 };
  if (last) keepWork(instance, last, machine);
  const phase: LoadPhase = {
    since: scene.now,
    isUp,
    ...machine,
    volumeGb: instance.volumeGb,
    ...instance.load,
    curve: nextCurve(scene, instance, last, { ...machine, ...order }),
  };
  if (last && JSON.stringify({ ...phase, since: last.since }) === JSON.stringify(last)) return;
  instance.phases = [...phases.filter(isRecent(scene.now)), phase];
  watchDisk(scene, instance, phase);
}

const isRecent = (now: number) => (_phase: LoadPhase, index: number, all: LoadPhase[]) =>
  (all[index + 1]?.since ?? now) > now - KEPT_MS;

/** The same work is a smaller part of a bigger machine. (An enlarged disk does the like in effects.ts.) */
function keepWork({ load }: Instance, last: LoadPhase, machine: { vcpus: number; ramGb: number }): void {
  if (load.cpu !== null && load.cpu === last.cpu) load.cpu = (load.cpu * last.vcpus) / machine.vcpus;
  if (load.mem !== null && load.mem === last.mem) load.mem = (load.mem * last.ramGb) / machine.ramGb;
}

function nextCurve(
  { now, settings }: Scene,
  instance: Instance,
  last: LoadPhase | undefined,
  wanted: { vcpus: number; ramGb: number } & Pick<LoadOrder, 'scale' | 'growthGbPerDay'>,
): Curve {
  const curve: Curve = last?.curve ?? {
    vcpus: wanted.vcpus,
    ramGb: wanted.ramGb,
    scale: 1,
    dayMs: DAY_MS / settings.speed,
    disk: {
      since: now,
      fromGb: quietGb(instance),
      gbPerDay: (instance.volumeGb * GROWTH_PERCENT_PER_DAY) / 100,
    },
  };
  const { scale = curve.scale, growthGbPerDay } = wanted;
  if (growthGbPerDay === undefined || !last) return { ...curve, scale };
  const fromGb = usedAt({ ...last, disk: null }, now);
  return { ...curve, scale, disk: { since: now, fromGb, gbPerDay: growthGbPerDay } };
}

/** A disk that grows by the curve needs somebody to notice when it is full. */
function watchDisk({ world, now }: Scene, instance: Instance, phase: LoadPhase): void {
  if ((instance.phases?.length ?? 0) > 1)
    world.pending = world.pending.filter(
      (item) => item.kind !== 'disk-filled' || item.instanceId !== instance.id,
    );
  const { gbPerDay } = phase.curve.disk;
  if (!phase.isUp || phase.disk !== null || gbPerDay <= 0) return;
  const usedGb = usedAt(phase, now);
  const next = turningPointsGb(instance).find((gb) => gb > usedGb);
  if (next === undefined) return;
  const at = now + Math.max(1, Math.ceil(((next - usedGb) / gbPerDay) * phase.curve.dayMs));
  schedule(world, { at, kind: 'disk-filled', instanceId: instance.id });
}

export function diskFilled(scene: Scene, instanceId: string): void {
  const instance = scene.world.instances[instanceId];
  const phase = instance?.phases?.at(-1);
  if (!instance || !phase) return;
  feelPressure(scene, instance);
  watchDisk(scene, instance, phase);
}

/** What a full disk means for an instance that does nothing else. */
export function feelPressure(scene: Scene, instance: Instance): void {
  if (instance.operation || !['ACTIVE', 'STORAGE FULL'].includes(instance.status)) return;
  instance.status = restingStatus(instance, scene.now);
  const sizeGb = wantedGrowth(instance, scene.now);
  if (sizeGb) begin(scene, instance, enlargement(scene, instance, sizeGb));
}
