// spec.backuprestoretime: the data of the instance goes back to a point in time, once per value. A second restore
// would lose what was written after the first, so the value is journaled, and a backup of the present state comes first.

import type { Backup, Instance } from '../../otc/cloud.ts';
import { hashHex } from '../../rds/hash.ts';
import type { Journal } from '../../rds/journal.ts';
import { safetyPrefix } from '../../rds/names.ts';
import type { Reason } from '../../rds/reasons.ts';
import { parsedTime } from '../../rds/time.ts';
import type { Observed } from './observed.ts';
import { type Action, NOTHING, PACE, type Verdict } from './plan.ts';
import { remembered } from './remembered.ts';
import { rangesText } from './restorable.ts';
import { progressing, synced } from './words.ts';

export const RESTORE_MARK = 'spec.backuprestoretime';

/** The value that is still to be carried out. */
export function wantedRestore(o: Observed): string | undefined {
  const value = o.spec.backuprestoretime;
  if (!value || !o.userSet.has('backuprestoretime')) return undefined;
  return remembered(o).handled[RESTORE_MARK] === value ? undefined : value;
}

/** `before-4bc725aba311-3f2a1c08-` */
function prefixFor(o: Observed, value: string): string {
  return `${safetyPrefix(o.rds.metadata.uid)}${hashHex(value, 8)}-`;
}

export function restoreInPlace(
  o: Observed,
  journal: Journal,
  instance: Instance,
  told: Verdict,
): Verdict | undefined {
  const value = wantedRestore(o);
  if (value === undefined) return undefined;
  const refused = (message: string): Verdict => ({
    ...told,
    conditions: [
      ...told.conditions,
      synced(
        'False',
        'RestoreRefused',
        `spec.backuprestoretime ${value}: ${message}. The database is untouched.`,
      ),
    ],
    resyncAfterSeconds: PACE.slow,
  });
  // The ranges are not part of a cheap look, and what was refused must not be told in turns.
  if (o.cloud.kind !== 'fresh') return { ...told, action: { kind: 'lookCloser' } };
  const time = parsedTime(value);
  if (time === undefined) return refused('it must be a time with offset, such as 2026-11-16T08:00:00Z');
  if (instance.engine === 'PostgreSQL') {
    return refused(
      'the cloud cannot restore PostgreSQL onto itself; make a new Rds with spec.restoreFrom {rds, pointInTime} instead',
    );
  }
  const { restoreRanges: ranges, backups, at } = o.cloud;
  if (!ranges || !backups) return told;
  const createdAt = Date.parse(instance.createdAt ?? '');
  if (time < createdAt) return refused(`the instance did not exist then; ${rangesText(ranges, at)}`);
  if (!ranges.some(({ from, to }) => time >= from && time <= to)) return refused(rangesText(ranges, at));
  return withSafetyBackup(o, journal, instance, told, { value, time, backups });
}

const SAFE_FOR_MS = 3_600_000;

type Wanted = { value: string; time: number; backups: readonly Backup[] };

function withSafetyBackup(
  o: Observed,
  journal: Journal,
  instance: Instance,
  told: Verdict,
  { value, time, backups }: Wanted,
): Verdict | undefined {
  const at = o.cloud.kind === 'fresh' ? o.cloud.at : 0;
  const prefix = prefixFor(o, value);
  const made = backups.filter(({ name }) => name.startsWith(prefix)).sort((a, b) => a.beginAt - b.beginAt);
  const latest = made.at(-1);
  const say = (action: Action, reason: Reason, message: string): Verdict => ({
    ...told,
    action,
    phase: 'Restoring',
    conditions: [...told.conditions, progressing('True', reason, message)],
    resyncAfterSeconds: PACE.transition,
  });
  if (latest?.status === 'BUILDING')
    return say(NOTHING, 'Restoring', `Backup ${latest.name} is being made before the restore to ${value}.`);
  if (latest?.status === 'COMPLETED' && at - latest.beginAt <= SAFE_FOR_MS) {
    const op = { kind: 'restore' as const, key: value, at };
    return say(
      { kind: 'claim', op, write: { do: 'restore', instanceId: instance.id, time } },
      'Restoring',
      `The data goes back to ${value}; backup ${latest.id} keeps the state before.`,
    );
  }
  // Ordered a moment ago and not listed yet.
  const { last } = journal;
  const isOnTheWay =
    last?.kind === 'safetyBackup' &&
    last.key.startsWith(prefix) &&
    !made.some(({ name }) => name === last.key);
  if (isOnTheWay && at < last.at + o.timing.settleMs)
    return say(NOTHING, 'Restoring', `Backup ${last.key} was ordered before the restore to ${value}.`);
  const name = `${prefix}${made.length + 1}`;
  return say(
    {
      kind: 'claim',
      op: { kind: 'safetyBackup', key: name, at },
      write: { do: 'safetyBackup', instanceId: instance.id, name },
    },
    'Restoring',
    `A backup is made before the restore to ${value}.`,
  );
}

/** A value that an earlier life of this instance may have carried out: never again without a new one. */
export function knownRestores(o: Observed, journal: Journal): Pick<Journal, 'handled'> {
  const value = o.spec.backuprestoretime;
  return value ? { handled: { ...journal.handled, [RESTORE_MARK]: value } } : {};
}
