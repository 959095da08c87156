// Forgets what the cloud forgets: old jobs, automated backups beyond their days, the recycle bin. Once an hour will do.
import type { World } from '../world.ts';

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;
const JOBS_KEPT_MS = 30 * DAY_MS;

export const isRetained = (world: World, deleted: { deletedAt: number }, now: number): boolean =>
  deleted.deletedAt + world.recycleDays * DAY_MS >= now;

export function sweep(world: World, now: number): void {
  if (now < world.sweptAt + HOUR_MS) return;
  world.sweptAt = now;
  for (const job of Object.values(world.jobs))
    if (job.startedAt + JOBS_KEPT_MS < now) delete world.jobs[job.id];
  for (const deleted of Object.values(world.deleted))
    if (!isRetained(world, deleted, now)) delete world.deleted[deleted.id];
  for (const backup of Object.values(world.backups)) {
    const keepDays = world.instances[backup.instanceId]?.backupKeepDays ?? 0;
    if (backup.type === 'auto' && backup.beginAt + keepDays * DAY_MS < now) delete world.backups[backup.id];
  }
}
