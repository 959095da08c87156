// Backups by the cloud itself: a first one when the instance is built, then one a day in its window.
import type { Random } from '../random.ts';
import { bareTime } from '../time.ts';
import { note, schedule, type World } from '../world.ts';
import { factsOf } from './engines.ts';
import { usedGb } from './storage-pressure.ts';
import type { Backup, Effect, Instance } from './types.ts';

export type BackupClock = { now: number; random: Random; backupMs: number; isAutomatic: boolean };

const DAY_MS = 24 * 3_600_000;
const RETRY_MS = 15 * 60_000;
const KB_PER_GB = 1024 * 1024;

export function newBackup(random: Random, instance: Instance, at: number): Backup {
  return {
    id: `${random.hex(32)}br${factsOf(instance.engine).idSuffix}`,
    projectId: instance.projectId,
    instanceId: instance.id,
    name: `${factsOf(instance.engine).codeName}-${instance.name}-${bareTime(at).replace(/\D/g, '')}`,
    description: '',
    type: 'auto',
    status: 'BUILDING',
    sizeKb: 0,
    beginAt: at,
    endAt: undefined,
    databases: undefined,
    ...(instance.isReal && { isReal: true }),
    source: {
      engine: instance.engine,
      version: instance.version,
      volumeGb: instance.volumeGb,
      volumeType: instance.volumeType,
      instanceName: instance.name,
    },
  };
}

const backupSizeKb = (instance: Instance, at: number): number => Math.round(usedGb(instance, at) * KB_PER_GB);

export function takeFirstBackup(world: World, instance: Instance, clock: BackupClock): void {
  if (!clock.isAutomatic || instance.type === 'Replica') return;
  scheduleNext(world, instance, clock.now);
  if (instance.backupKeepDays === 0) return;
  const backup = newBackup(clock.random, instance, clock.now);
  world.backups[backup.id] = {
    ...backup,
    status: 'COMPLETED',
    endAt: clock.now,
    sizeKb: backupSizeKb(instance, clock.now),
  };
}

export function startAutomatedBackup(world: World, instance: Instance, clock: BackupClock): void {
  if (instance.operation) {
    schedule(world, {
      at: clock.now + RETRY_MS,
      kind: 'effect',
      instanceId: instance.id,
      effect: { do: 'automated-backup' },
    });
    return;
  }
  scheduleNext(world, instance, clock.now);
  if (instance.status !== 'ACTIVE' || !isBackupDay(instance, clock.now)) return;
  const backup = newBackup(clock.random, instance, clock.now);
  world.backups[backup.id] = backup;
  instance.status = 'BACKING UP';
  instance.operation = { kind: 'backup', jobId: '', since: clock.now };
  const effect: Effect = { do: 'backed-up', backupId: backup.id, isFailed: false };
  schedule(world, { at: clock.now + clock.backupMs, kind: 'effect', instanceId: instance.id, effect });
}

/** After a change of the policy. */
export function rescheduleBackups(world: World, instance: Instance, now: number): void {
  const isDaily = (item: World['pending'][number]) =>
    item.kind === 'effect' && item.instanceId === instance.id && item.effect.do === 'automated-backup';
  if (!world.pending.some(isDaily)) return;
  world.pending = world.pending.filter((item) => !isDaily(item));
  scheduleNext(world, instance, now);
}

function scheduleNext(world: World, instance: Instance, now: number): void {
  const [hour = 0, minute = 0] = instance.backupWindow.split(/[:-]/).map(Number);
  const today = new Date(now).setUTCHours(hour, minute, 0, 0);
  const at = today > now ? today : today + DAY_MS;
  schedule(world, { at, kind: 'effect', instanceId: instance.id, effect: { do: 'automated-backup' } });
}

/** 1 is Monday, 7 is Sunday. */
function isBackupDay(instance: Instance, now: number): boolean {
  const day = new Date(now).getUTCDay() || 7;
  return instance.backupKeepDays > 0 && instance.backupPeriod.split(',').includes(String(day));
}

export function endBackup(world: World, effect: { backupId: string; isFailed: boolean }, now: number): void {
  const backup = world.backups[effect.backupId];
  const instance = world.instances[backup?.instanceId ?? ''];
  if (!backup || !instance) return;
  backup.status = effect.isFailed ? 'FAILED' : 'COMPLETED';
  backup.endAt = now;
  backup.sizeKb = effect.isFailed ? 0 : backupSizeKb(instance, now);
}

export function removeBackup(world: World, backupId: string, at: number): void {
  const backup = world.backups[backupId];
  if (!backup) return;
  delete world.backups[backupId];
  note(world, { at, kind: 'backup-removed', instanceId: backup.instanceId, name: backup.name });
}
