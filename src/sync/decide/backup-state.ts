// Whether the automated backups can be relied on: off, failing and too old are told before somebody needs one.

import type { Backup, Instance } from '../../otc/cloud.ts';
import { restoreRecipe } from '../../rds/backup.ts';
import { type ConditionWish, isoTime } from '../../rds/conditions.ts';
import { safetyPrefix } from '../../rds/names.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Observed } from './observed.ts';

/** A day, the window of an hour, and time to make it. */
const TOO_OLD_MS = 30 * 3_600_000;

const wish = (
  status: ConditionWish['status'],
  reason: ConditionWish['reason'],
  message: string,
): ConditionWish => ({ type: 'BackupsReady', status, reason, message });

const sorted = new WeakMap<readonly Backup[], readonly Backup[]>();

/** Newest first. A list is shared for hours: it is sorted once. */
function automated(backups: readonly Backup[]): readonly Backup[] {
  const known = sorted.get(backups);
  if (known) return known;
  const newest = backups.filter(({ type }) => type === 'auto').sort((a, b) => b.beginAt - a.beginAt);
  sorted.set(backups, newest);
  return newest;
}

/** Nothing is said where nothing was looked at. */
export function backupCondition(o: Observed, instance: Instance): ConditionWish[] {
  if (instance.type === 'Replica' || instance.ip === undefined) return [];
  if (instance.backupKeepDays === 0) {
    const message =
      'Automated backups are off (backupkeepdays: 0): only RdsBackup objects and the final backup exist.';
    return [wish('False', 'BackupsOff', message)];
  }
  const backups = detailsOf(o)?.backups;
  if (!backups || isBehind(o, backups)) return [];
  const latest = automated(backups)[0];
  const good = automated(backups).find(({ status }) => status === 'COMPLETED');
  const since = good?.endAt ?? Date.parse(instance.createdAt ?? '');
  if (latest?.status === 'FAILED')
    return [
      wish(
        'False',
        'BackupFailed',
        `The automated backup of ${isoTime(latest.beginAt)} failed; ${lastGood(good)}.`,
      ),
    ];
  if (o.nowMs - since > TOO_OLD_MS) {
    const message = `There was no automated backup for more than 30 hours; ${lastGood(good)}.`;
    return [wish('False', 'BackupTooOld', message)];
  }
  if (!good) return [wish('Unknown', 'BackupPending', 'The first automated backup is still to come.')];
  return [wish('True', 'BackupsFresh', 'Automated backups are made.')];
}

const lastEnded = (backups: readonly Backup[]): Backup | undefined =>
  automated(backups).find(({ status }) => status !== 'BUILDING');

/** Every replica keeps its list for hours. One that is behind what was told says nothing, or both would tell in turns. */
function isBehind({ rds }: Observed, backups: readonly Backup[]): boolean {
  const told = rds.status?.backup?.lastAutomated;
  if (!told) return false;
  const last = lastEnded(backups);
  return last === undefined || automatedReport(last).beginTime < told.beginTime;
}

function lastGood(good: Backup | undefined): string {
  return `the last good one ${good ? `ended ${isoTime(good.endAt ?? good.beginAt)}` : 'does not exist'}`;
}

function detailsOf(o: Observed) {
  return o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details : undefined;
}

export function reportedBackups(o: Observed): Pick<RdsStatus, 'backup'> {
  const fresh = o.cloud.kind === 'fresh' ? o.cloud.backups : undefined;
  const backups = fresh ?? detailsOf(o)?.backups ?? [];
  const last = isBehind(o, backups) ? undefined : lastEnded(backups);
  const prefix = safetyPrefix(o.rds.metadata.uid);
  const complete = backups
    .filter(({ name, status }) => status === 'COMPLETED' && name.startsWith(prefix))
    .sort((a, b) => b.beginAt - a.beginAt);
  const [before] = complete;
  if (!last && !before) return {};
  const told = o.rds.status?.backup?.beforeRestore;
  // A list from when that one was still being made is behind, too.
  const isKept = told !== undefined && !fresh && !complete.some(({ id }) => id === told.id);
  return {
    backup: {
      ...o.rds.status?.backup,
      ...(last ? { lastAutomated: automatedReport(last) } : {}),
      ...(before && !isKept ? { beforeRestore: safetyReport(before) } : {}),
    },
  };
}

type AutomatedReport = NonNullable<NonNullable<RdsStatus['backup']>['lastAutomated']>;

const reports = new WeakMap<Backup, AutomatedReport>();

function automatedReport(backup: Backup): AutomatedReport {
  const known = reports.get(backup);
  if (known) return known;
  const { id, status, beginAt, endAt, sizeKb } = backup;
  const end = endAt === undefined ? {} : { endTime: isoTime(endAt) };
  const report = { id, status, beginTime: isoTime(beginAt), ...end, sizeKb };
  reports.set(backup, report);
  return report;
}

/** The way back from a restore that went to the wrong day. */
function safetyReport({ id, name, instanceId }: Backup) {
  return { id, name, restoreFrom: restoreRecipe({ id, instanceId }) };
}
