// What a drill orders of the cloud: the newest backup, or the newest moment, into a single instance beside the primary.
// Stock, quota and source are looked up before anything is claimed; what is missing is the result of the drill.

import { RetryableError, TerminalError, UserError } from '../../errors.ts';
import type { Cloud, Instance, NewInstance, RestorePoint } from '../../otc/cloud.ts';
import { isoTime } from '../../rds/conditions.ts';
import type { DrillRun } from '../../rds/drill.ts';
import { drillName } from '../../rds/names.ts';
import { secretValue } from '../credentials.ts';
import { unfit } from '../decide/changes/capacity.ts';
import { flavorFor } from '../decide/changes/wanted-capacity.ts';
import { wantedDrill } from '../decide/drill/wanted.ts';
import type { Observed } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { checkQuota } from './prepare-create.ts';

/** `source` tells people what is restored. */
export type DrillOrder = { order: NewInstance; source: string };

export async function drillOrder(
  deps: SyncDeps,
  cloud: Cloud,
  o: Observed,
  run: DrillRun,
): Promise<DrillOrder> {
  if (deps.memorySince !== undefined)
    throw new TerminalError('a process without a journal in the cluster makes no drills', {
      code: 'MEMORY_JOURNAL',
      outcome: 'refused',
    });
  const name = drillName(o.rds.metadata.uid, run.slot);
  const primary = o.cloud.kind === 'fresh' ? o.cloud.instance : undefined;
  const secret = o.children.find(({ kind, metadata }) => kind === 'Secret' && metadata.name === name);
  const password = secret && secretValue(secret, 'password');
  if (!primary || !password)
    throw new RetryableError('the Secret of the drill is not there yet', {
      code: 'PASSWORD',
      outcome: 'refused',
    });
  const zone = primary.nodes.find(({ role }) => role === 'master')?.availabilityZone ?? '';
  const flavor = await chosenFlavor(cloud, o, primary, zone);
  await checkQuota(cloud);
  const { restore, source } = await newestPoint(cloud, o, primary);
  const { engine, version, volumeType, volumeGb, vpcId, subnetId, securityGroupId, port } = primary;
  return {
    source,
    order: {
      ...{ name, engine, version, flavor, volumeType, volumeGb, vpcId, subnetId, securityGroupId, port },
      replicationMode: undefined,
      region: cloud.region,
      availabilityZone: zone,
      password,
      backupStartTime: primary.backupStartTime || o.spec.backupstarttime,
      backupKeepDays: 1,
      restore,
    },
  };
}

async function chosenFlavor(cloud: Cloud, o: Observed, primary: Instance, zone: string): Promise<string> {
  const flavor = wantedDrill(o)?.flavor ?? flavorFor(primary.flavor, 'Single');
  const problem = unfit(await cloud.flavors(primary.engine, primary.version), flavor, [zone], 'single');
  if (problem === undefined) return flavor;
  throw refusal('flavor', problem);
}

function refusal(field: string, message: string): UserError {
  return new UserError(message, { code: 'DRILL', outcome: 'refused', field: `spec.backup.drill.${field}` });
}

async function newestPoint(
  cloud: Cloud,
  o: Observed,
  { id }: Instance,
): Promise<{ restore: RestorePoint; source: string }> {
  if (wantedDrill(o)?.source === 'PointInTime') {
    const ranges = (await cloud.restoreRanges(id)) ?? [];
    const time = Math.max(...ranges.map(({ to }) => to));
    if (ranges.length === 0)
      throw refusal('source', 'no moment can be restored: there is no complete backup');
    return { restore: { instanceId: id, time }, source: `The state of ${isoTime(time)}` };
  }
  const { value: backups } = await cloud.backups(id);
  const [newest] = backups
    .filter(({ status }) => status === 'COMPLETED')
    .sort((a, b) => b.beginAt - a.beginAt);
  if (!newest) throw refusal('source', 'there is no complete backup of this instance');
  return {
    restore: { instanceId: id, backupId: newest.id },
    source: `Backup ${newest.id} of ${isoTime(newest.beginAt)}`,
  };
}
