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

const automated = (backups: readonly Backup[]) =>
  backups.filter(({ type }) => type === 'auto').sort((a, b) => b.beginAt - a.beginAt);

/** Nothing is said where nothing was looked at. */
export function backupCondition(o: Observed, instance: Instance): ConditionWish[] {
  if (instance.type === 'Replica' || instance.ip === undefined) return [];
  if (instance.backupKeepDays === 0) {
    const message =
      'Automated backups are off (backupkeepdays: 0): only RdsBackup objects and the final backup exist.';
    return [wish('False', 'BackupsOff', message)];
  }
  const backups = detailsOf(o)?.backups;
  if (!backups) return [];
  const latest = automated(backups)[0];
  const good = automated(backups).find(({ status }) => status === 'COMPLETED');
  const since = good?.endAt ?? Date.parse(instance.createdAt ?? '');
  const age = `the last good one ${good ? `ended ${isoTime(good.endAt ?? good.beginAt)}` : 'does not exist'}`;
  if (latest?.status === 'FAILED')
    return [
      wish('False', 'BackupFailed', `The automated backup of ${isoTime(latest.beginAt)} failed; ${age}.`),
    ];
  if (o.nowMs - since > TOO_OLD_MS)
    return [wish('False', 'BackupTooOld', `There was no automated backup for more than 30 hours; ${age}.`)];
  if (!good) return [wish('Unknown', 'BackupPending', 'The first automated backup is still to come.')];
  return [wish('True', 'BackupsFresh', 'Automated backups are made.')];
}

function detailsOf(o: Observed) {
  return o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details : undefined;
}

export function reportedBackups(o: Observed): Pick<RdsStatus, 'backup'> {
  const fresh = o.cloud.kind === 'fresh' ? o.cloud.backups : undefined;
  const backups = fresh ?? detailsOf(o)?.backups ?? [];
  const last = automated(backups).find(({ status }) => status !== 'BUILDING');
  const before = backups
    .filter(({ name, status }) => status === 'COMPLETED' && name.startsWith(safetyPrefix(o.rds.metadata.uid)))
    .sort((a, b) => b.beginAt - a.beginAt)[0];
  if (!last && !before) return {};
  return {
    backup: {
      ...o.rds.status?.backup,
      ...(last ? { lastAutomated: automatedReport(last) } : {}),
      ...(before ? { beforeRestore: safetyReport(before) } : {}),
    },
  };
}

function automatedReport({ id, status, beginAt, endAt, sizeKb }: Backup) {
  const end = endAt === undefined ? {} : { endTime: isoTime(endAt) };
  return { id, status, beginTime: isoTime(beginAt), ...end, sizeKb };
}

/** The way back from a restore that went to the wrong day. */
function safetyReport({ id, name, instanceId }: Backup) {
  return { id, name, restoreFrom: restoreRecipe({ id, instanceId }) };
}
