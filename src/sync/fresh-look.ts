// A look for a decision that may write: the instance by id and by name, and whatever the decision may need about it.

import type { Cloud, Instance } from '../otc/cloud.ts';
import type { Journal } from '../rds/journal.ts';
import { ANNOTATIONS, instanceName, instanceNameBase } from '../rds/names.ts';
import { annotation, type Rds } from '../rds/object.ts';
import { effectivePolicy } from './decide/deletion-policy.ts';
import type { CloudView, Details, Unseen } from './decide/observed.ts';
import { wantsRelease } from './decide/release.ts';
import { remembered } from './decide/remembered.ts';
import { wantedRestore } from './decide/restore-in-place.ts';
import { readDetails } from './details.ts';
import { lookForThrowaway } from './drill-look.ts';
import { readLeftAlarms } from './watch-look.ts';

type FreshView = Extract<CloudView, { kind: 'fresh' }>;

export async function lookFresh(
  cloud: Cloud,
  unseen: Unseen,
  journal: Journal | undefined,
): Promise<CloudView> {
  const { rds } = unseen;
  // A deletion must not reach for an instance that was only ever wished for.
  const consent =
    rds.metadata.deletionTimestamp === undefined ? annotation(rds, ANNOTATIONS.adopt) : undefined;
  const id = journal?.id ?? consent ?? rds.status?.id;
  const byId = id === undefined ? undefined : await cloud.findInstanceById(id);
  const instance = byId?.value;
  const { namespace, name, uid } = rds.metadata;
  // Only our own id spares the look-up by name: that of an annotation or of status may be somebody else's.
  const isOwn = instance !== undefined && instance.id === journal?.id;
  const byName = isOwn ? undefined : await cloud.findInstancesByName(instanceName(namespace, name, uid));
  const namesakes = [...(byName?.value ?? [])];
  // Before the first create: whose database might this Rds be meant to have?
  if (byName && namesakes.length === 0 && isUntouched(rds, journal)) {
    namesakes.push(...(await cloud.findInstancesByNamePart(instanceNameBase(namespace, name))).value);
  }
  const at = byId?.at ?? byName?.at ?? 0;
  const more = instance ? await inspect(cloud, unseen, journal, instance, at) : NOTHING_MORE;
  const throwaway = await lookForThrowaway(cloud, uid, journal?.drill?.run);
  return {
    kind: 'fresh',
    at,
    instance,
    namesakes,
    ...more,
    ...throwaway,
    details: await withLeft(cloud, unseen, journal, more),
  };
}

/** On the way out of our hands, what the autopilot made is all that is of interest. */
async function withLeft(
  cloud: Cloud,
  unseen: Unseen,
  journal: Journal | undefined,
  { details }: More,
): Promise<Details> {
  if (!isLeaving(unseen) || !journal?.watch) return details;
  return { ...details, watch: await readLeftAlarms(cloud, unseen) };
}

const isLeaving = (unseen: Unseen): boolean =>
  unseen.rds.metadata.deletionTimestamp !== undefined || wantsRelease(unseen);

type More = Omit<FreshView, 'kind' | 'at' | 'instance' | 'namesakes' | 'throwaways' | 'throwawayFailure'>;

const NOTHING_MORE: More = { details: {}, backups: undefined, tasks: undefined, failReason: undefined };

async function inspect(
  cloud: Cloud,
  unseen: Unseen,
  journal: Journal | undefined,
  instance: Instance,
  at: number,
): Promise<More> {
  const { id, status } = instance;
  const isOwn = id === journal?.id;
  const isDeleted = unseen.rds.metadata.deletionTimestamp !== undefined;
  const restores = isOwn && wantsRestore(unseen, journal);
  const mayBeBackedUp = effectivePolicy(unseen) === 'Snapshot' || journal?.op?.kind === 'finalBackup';
  const wantsBackups = restores || (isDeleted && mayBeBackedUp);
  const jobId = status === 'CREATE FAIL' ? journal?.last?.jobId : undefined;
  const open = journal?.op;
  return {
    backups: wantsBackups ? (await cloud.backups(id)).value : undefined,
    restoreRanges: restores ? await cloud.restoreRanges(id) : undefined,
    failReason: jobId === undefined ? undefined : (await cloud.findJob(jobId))?.failReason,
    tasks: open && IN_TASKS.includes(open.kind) ? await cloud.tasks(id, open.at - 1_000) : undefined,
    details: isOwn ? await ownDetails(cloud, unseen, instance, journal, at) : {},
  };
}

/** Operations that only the list of tasks can tell about when their answer is lost. */
const IN_TASKS: readonly string[] = ['restart', 'minorUpgrade', 'restore', 'failover'];

function wantsRestore(unseen: Unseen, journal: Journal): boolean {
  if (unseen.rds.metadata.deletionTimestamp !== undefined) return false;
  const isOpen = journal.op?.kind === 'safetyBackup' || journal.op?.kind === 'restore';
  return isOpen || wantedRestore({ ...unseen, journal, cloud: { kind: 'unasked' } }) !== undefined;
}

/** What a change could be about; of no interest for an instance that is on its way out of our hands. */
async function ownDetails(
  cloud: Cloud,
  unseen: Unseen,
  instance: Instance,
  journal: Journal,
  at: number,
): Promise<Details> {
  if (isLeaving(unseen)) return {};
  const { replicas } = remembered({ ...unseen, journal, cloud: { kind: 'unasked' } });
  const watched = journal.watch !== undefined;
  return readDetails(cloud, unseen, instance, { how: 'fresh', at, replicas, snapshotSeconds: 0, watched });
}

function isUntouched(rds: Rds, journal: Journal | undefined): boolean {
  return (
    rds.metadata.deletionTimestamp === undefined && journal?.id === undefined && journal?.op === undefined
  );
}
