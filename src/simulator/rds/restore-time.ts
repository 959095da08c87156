// The span of time an instance can be restored to: from its oldest full backup to some minutes ago.
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField } from '../refusal.ts';
import { instanceOf } from './guards.ts';
import type { Instance } from './types.ts';

const LOG_LAG_MS = 5 * 60_000;
const DAY_MS = 24 * 3_600_000;

type RestoreWindow = { start_time: number; end_time: number };

export function restoreWindows(call: Call, instance: Instance): RestoreWindow[] {
  if (instance.backupKeepDays === 0) return [];
  const ends = Object.values(call.world.backups)
    .filter((backup) => backup.instanceId === instance.id && backup.status === 'COMPLETED')
    .map((backup) => backup.endAt ?? Number.POSITIVE_INFINITY);
  const start = Math.min(...ends);
  const end = call.now - LOG_LAG_MS;
  return start < end ? [{ start_time: start, end_time: end }] : [];
}

export function listRestoreTimes(call: Call): Answer {
  const instance = instanceOf(call);
  const date = call.query.get('date');
  if (!date) return json(200, { restore_time: restoreWindows(call, instance) });
  const from = Date.parse(`${date}T00:00:00Z`);
  if (!/^\d{4}-\d{2}-\d{2}$/.test(date) || Number.isNaN(from))
    throw new BadField('date', 'it must be yyyy-mm-dd');
  const clipped = restoreWindows(call, instance)
    .map((window) => ({
      start_time: Math.max(window.start_time, from),
      end_time: Math.min(window.end_time, from + DAY_MS - 1),
    }))
    .filter((window) => window.start_time < window.end_time);
  return json(200, { restore_time: clipped });
}
