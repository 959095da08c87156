// The last check of a restore before it is claimed: the data must be there and fit, or the user is told what would.

import { UserError } from '../../errors.ts';
import type { Backup, Cloud, RestorePoint } from '../../otc/cloud.ts';
import { isoTime } from '../../rds/conditions.ts';
import type { Observed, RestoreSource } from '../decide/observed.ts';
import { rangesText } from '../decide/restorable.ts';

function refusal(field: string, message: string): UserError {
  return new UserError(message, { code: 'RESTORE', outcome: 'refused', field: `spec.${field}` });
}

export async function restorePoint(
  cloud: Cloud,
  o: Observed,
  source: Exclude<RestoreSource, { missing: string }>,
): Promise<RestorePoint> {
  if ('backupId' in source) await checkBackup(cloud, o, source);
  else await checkTime(cloud, o, source);
  await checkSource(cloud, o, source.instanceId);
  return source;
}

async function checkBackup(
  cloud: Cloud,
  { spec }: Observed,
  { instanceId, backupId }: { instanceId: string; backupId: string },
): Promise<void> {
  const { value: backups } = await cloud.backups(instanceId);
  const backup = backups.find(({ id }) => id === backupId);
  const field = spec.restoreFrom?.backup === undefined ? 'restoreFrom.backupId' : 'restoreFrom.backup';
  if (!backup || backup.status !== 'COMPLETED') {
    const what = backup ? `is ${backup.status}` : `is no backup of instance ${instanceId} in this project`;
    throw refusal(field, `${backupId} ${what}; ${choices(backups)}`);
  }
  const { engine, version } = backup;
  if (engine !== undefined && engine !== spec.datastoretype)
    throw refusal('datastoretype', `backup ${backupId} is of ${engine}, not of ${spec.datastoretype}`);
  if (version !== undefined && version !== spec.datastoreversion)
    throw refusal('datastoreversion', `backup ${backupId} is of version ${version}; a restore keeps it`);
}

function choices(backups: readonly Backup[]): string {
  const complete = backups
    .filter(({ status }) => status === 'COMPLETED')
    .sort((a, b) => b.beginAt - a.beginAt)
    .slice(0, 5)
    .map(({ id, beginAt }) => `${id} (${isoTime(beginAt)})`);
  return complete.length > 0 ? `possible are ${complete.join(', ')}` : 'it has no complete backup';
}

async function checkTime(
  cloud: Cloud,
  o: Observed,
  { instanceId, time }: { instanceId: string; time: number },
): Promise<void> {
  const ranges = await cloud.restoreRanges(instanceId);
  // Of an instance that is gone the cloud tells no range; it judges by itself.
  if (!ranges || ranges.some(({ from, to }) => time >= from && time <= to)) return;
  const at = o.cloud.kind === 'fresh' ? o.cloud.at : o.nowMs;
  throw refusal('restoreFrom.pointInTime', `${isoTime(time)} cannot be restored; ${rangesText(ranges, at)}`);
}

/** Rules that the cloud checks only after the order; the source may be gone, then it is left to them. */
async function checkSource(cloud: Cloud, { spec }: Observed, instanceId: string): Promise<void> {
  const { value: source } = await cloud.findInstanceById(instanceId);
  if (!source) return;
  if (source.engine !== spec.datastoretype)
    throw refusal('datastoretype', `the source is ${source.engine}; a restore keeps the engine`);
  if (source.version !== spec.datastoreversion)
    throw refusal('datastoreversion', `the source has version ${source.version}; a restore keeps it`);
  if (source.volumeGb > spec.volumesize)
    throw refusal('volumesize', `the source has ${source.volumeGb} GB; the new disk must not be smaller`);
}
