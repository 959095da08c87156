// Any status, put upon an instance from outside: what runs is dropped, and nothing moves until the next order.
import type { Scene } from '../protocol.ts';
import { BadField } from '../refusal.ts';
import { note } from '../world.ts';
import type { Instance, OperationKind } from './types.ts';

const STABLE = ['ACTIVE', 'FAILED', 'CREATE FAIL', 'SHUTDOWN', 'STORAGE FULL', 'FROZEN'];

/** In these something runs, so that other calls are refused as busy; it never ends by itself. */
const transitional: Record<string, OperationKind> = {
  BUILD: 'create',
  MODIFYING: 'resize',
  REBOOTING: 'restart',
  RESTORING: 'restore',
  'MODIFYING INSTANCE TYPE': 'single-to-ha',
  SWITCHOVER: 'failover',
  MIGRATING: 'migrate',
  'BACKING UP': 'backup',
  'MODIFYING DATABASE PORT': 'port',
};

/** Work that has nothing to do with the operation that is being dropped. */
const LASTING_EFFECTS = ['automated-backup', 'backup-removed', 'ssl-changed', 'started-by-itself'];

export function setStatus({ world, now }: Scene, instance: Instance, status: string): void {
  const kind = Object.hasOwn(transitional, status) ? transitional[status] : undefined;
  if (!kind && !STABLE.includes(status))
    throw new BadField('status', `known are ${[...STABLE, ...Object.keys(transitional)].join(', ')}`);
  dropOperation({ world, now }, instance);
  instance.operation = kind && { kind, jobId: '', since: now };
  instance.status = status;
  instance.stoppedAt = status === 'SHUTDOWN' ? now : undefined;
  if (!kind && status !== 'CREATE FAIL') instance.builtAt ??= now;
  instance.updatedAt = now;
  note(world, { at: now, kind: 'status-set', instanceId: instance.id, name: instance.name });
}

function dropOperation({ world, now }: Pick<Scene, 'world' | 'now'>, instance: Instance): void {
  world.pending = world.pending.filter(
    (item) =>
      item.kind !== 'effect' || item.instanceId !== instance.id || LASTING_EFFECTS.includes(item.effect.do),
  );
  const job = world.jobs[instance.operation?.jobId ?? ''];
  if (job) {
    job.endsAt = now;
    job.failReason = 'The operation was dropped from outside.';
  }
  for (const backup of Object.values(world.backups))
    if (backup.instanceId === instance.id && backup.status === 'BUILDING') {
      backup.status = 'FAILED';
      backup.endAt = now;
    }
}
