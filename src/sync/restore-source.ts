// Where the data of a new instance comes from: what spec.restoreFrom names, followed to ids of the cloud.

import { parsedTime } from '../rds/time.ts';
import type { ChildObject, RestoreSource } from './decide/observed.ts';
import type { View } from './request.ts';

export function restoreSource({ rds, related }: Pick<View, 'rds' | 'related'>): RestoreSource | undefined {
  const from = rds.spec.restoreFrom;
  if (!from) return undefined;
  const named = (kind: string, name: string) =>
    related.find((object) => object.kind === kind && object.metadata.name === name);
  if (from.backup !== undefined) return fromBackup(from.backup, named('RdsBackup', from.backup));
  if (from.backupId !== undefined) return { instanceId: from.instanceId ?? '', backupId: from.backupId };
  const time = parsedTime(from.pointInTime ?? '');
  if (time === undefined) {
    return {
      missing: `spec.restoreFrom.pointInTime ${from.pointInTime}: it must be a time with offset, such as 2026-11-16T08:00:00Z`,
    };
  }
  if (from.instanceId !== undefined) return { instanceId: from.instanceId, time };
  const source = named('Rds', from.rds ?? '');
  const instanceId = (source?.status as { id?: string } | undefined)?.id;
  if (instanceId === undefined) return { missing: `Rds ${from.rds} of spec.restoreFrom.rds has no instance` };
  return { instanceId, time };
}

function fromBackup(name: string, backup: ChildObject | undefined): RestoreSource {
  const { id, instanceId, phase } = (backup?.status ?? {}) as Record<string, string | undefined>;
  if (!backup) return { missing: `RdsBackup ${name} of spec.restoreFrom.backup does not exist` };
  if (phase !== 'Completed' || id === undefined || instanceId === undefined)
    return { missing: `RdsBackup ${name} of spec.restoreFrom.backup is not complete (${phase ?? 'new'})` };
  return { instanceId, backupId: id };
}
