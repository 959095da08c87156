// The maintenance window of the spec: four hours that open on some days, in UTC.

import type { RdsSpec } from '../../../rds/spec.ts';

type Window = NonNullable<RdsSpec['maintenanceWindow']>;

const DAY_MS = 24 * 3_600_000;
const LASTS_MS = 4 * 3_600_000;
/** What is started must have time to end inside. */
const LAST_START_MS = LASTS_MS - 30 * 60_000;
const DAYS = ['Sun', 'Mon', 'Tue', 'Wed', 'Thu', 'Fri', 'Sat'] as const;

/** The opening that is of interest now: the present one while something may still start in it, else the next. */
export function opening(window: Window, nowMs: number): { at: number; isOpen: boolean } {
  const [hours = 0, minutes = 0] = window.start.split(':').map(Number);
  const midnight = Math.floor(nowMs / DAY_MS) * DAY_MS;
  const days: readonly string[] = window.days && window.days.length > 0 ? window.days : DAYS;
  for (let day = -1; day <= 8; day++) {
    const at = midnight + day * DAY_MS + (hours * 60 + minutes) * 60_000;
    if (!days.includes(DAYS[new Date(at).getUTCDay()] ?? '')) continue;
    if (nowMs < at + LAST_START_MS) return { at, isOpen: nowMs >= at };
  }
  return { at: nowMs + DAY_MS, isOpen: false };
}
