// Collects what a decision needs, and nothing more: a settled Rds costs a look into a shared snapshot, and
// only what may lead to a write reads the journal and the cloud afresh.

import type { HeldJournal } from '../kube/journal.ts';
import { JournalUnavailable } from '../kube/journal.ts';
import type { Cloud, Instance } from '../otc/cloud.ts';
import type { Journal } from '../rds/journal.ts';
import {
  ANNOTATIONS,
  connectionSecretName,
  instanceName,
  instanceNameBase,
  rootSecretName,
  serviceName,
} from '../rds/names.ts';
import { annotation, type Rds } from '../rds/object.ts';
import type { RdsStatus } from '../rds/status.ts';
import { userSetFields } from '../rds/user-set.ts';
import { specProblems } from '../rds/validate.ts';
import type { CallBudget } from './budget.ts';
import { credentialsFor } from './credentials.ts';
import { effectivePolicy } from './decide/deletion-policy.ts';
import type { ChildObject, CloudView, Observed } from './decide/observed.ts';
import type { SyncDeps } from './deps.ts';
import { toFailure } from './failure.ts';
import { specOf, type View } from './request.ts';
import { rootPassword } from './root-password.ts';
import type { TransitionReads } from './transition-reads.ts';

const SNAPSHOT_SECONDS = 60;

type Unseen = Omit<Observed, 'journal' | 'cloud'>;

/** What the request itself tells. */
export function fromRequest(deps: SyncDeps, view: View): Unseen {
  const { rds } = view;
  return {
    rds,
    spec: specOf(rds),
    problems: view.hasSpec ? specProblems(rds.spec) : [{ field: 'spec', message: 'is missing' }],
    userSet: userSetFields(rds),
    nowMs: deps.clock.now(),
    children: view.children,
    foreign: view.related.filter((object) => isForeignChild(object, rds)),
    password: rootPassword(view),
    namespaceTerminating: isTerminating(view.related, 'Namespace'),
    crdTerminating: isTerminating(view.related, 'CustomResourceDefinition'),
    draw: deps.draw(),
    timing: deps.timing,
  };
}

function isTerminating(related: readonly ChildObject[], kind: string): boolean {
  return related.some((object) => object.kind === kind && object.metadata.deletionTimestamp !== undefined);
}

/** Has the name of one of our children and another owner, or none. */
function isForeignChild(object: ChildObject, { metadata, spec }: Rds): boolean {
  const generates = spec.password === undefined && spec.passwordSecretRef === undefined;
  const names: Record<string, string[]> = {
    Service: [serviceName(metadata.name)],
    EndpointSlice: [serviceName(metadata.name)],
    Endpoints: [serviceName(metadata.name)],
    Secret: [connectionSecretName(metadata.name), ...(generates ? [rootSecretName(metadata.name)] : [])],
  };
  if (!names[object.kind]?.includes(object.metadata.name)) return false;
  return !(object.metadata.ownerReferences ?? []).some((owner) => owner.uid === metadata.uid);
}

/** A view that needs no journal; undefined when only a full one will do. */
export async function glance(
  deps: SyncDeps,
  reads: TransitionReads,
  view: View,
  budget: CallBudget,
): Promise<CloudView | undefined> {
  const { status, metadata } = view.rds;
  if (status?.id === undefined || status.phase === undefined || metadata.deletionTimestamp !== undefined)
    return undefined;
  try {
    const cloud = deps.openCloud(credentialsFor(deps, view), budget);
    if (status.phase === 'Ready') {
      const { byId } = await cloud.snapshot(SNAPSHOT_SECONDS);
      const instance = byId.get(status.id);
      // The snapshot may be older than status: it may confirm, and only a read of our own may contradict.
      if (instance && confirms(instance, status)) return { kind: 'glance', instance };
    }
    const isUsable = (lately: Instance) => !isOutdated(view) && confirms(lately, status);
    const instance = await reads.read(cloud, status.id, isUsable);
    return { kind: 'glance', instance };
  } catch (error) {
    return { kind: 'failed', failure: toFailure(error) };
  }
}

/** Children of a database that runs, and a status without its address: another call was further than this one. */
function isOutdated({ rds, children }: View): boolean {
  const { name } = rds.metadata;
  const known = [serviceName(name), connectionSecretName(name)];
  return rds.status?.ip === undefined && children.some(({ metadata }) => known.includes(metadata.name));
}

function confirms(instance: Instance, status: RdsStatus): boolean {
  return (
    instance.status === status.status &&
    instance.ip === status.ip &&
    instance.port === status.port &&
    instance.flavor === status.flavor &&
    instance.volumeGb === status.volumeGb
  );
}

export type FullView = { observed: Observed; held: HeldJournal | undefined; cloud: Cloud | undefined };

/** Journal first, then the cloud: what is read later can only be newer than what was claimed. */
export async function observeFully(
  deps: SyncDeps,
  reads: TransitionReads,
  view: View,
  budget: CallBudget,
): Promise<FullView> {
  const unseen = fromRequest(deps, view);
  let held: HeldJournal | undefined;
  try {
    held = await deps.journal.read(view.rds.metadata.uid);
  } catch (error) {
    if (!(error instanceof JournalUnavailable)) throw error;
    const observed: Observed = {
      ...unseen,
      journal: { unavailable: error.message },
      cloud: { kind: 'unasked' },
    };
    return { observed, held: undefined, cloud: undefined };
  }
  const journal = held?.journal;
  let cloud: Cloud | undefined;
  let cloudView: CloudView;
  try {
    if (!needsCloud(unseen, journal)) cloudView = { kind: 'unasked' };
    else {
      cloud = deps.openCloud(credentialsFor(deps, view), budget);
      cloudView = await look(cloud, unseen, journal);
      if (cloudView.kind === 'fresh' && cloudView.instance)
        reads.note(cloudView.instance.id, cloudView.instance);
    }
  } catch (error) {
    cloudView = { kind: 'failed', failure: toFailure(error) };
  }
  return { observed: { ...unseen, journal: journal ?? 'none', cloud: cloudView }, held, cloud };
}

/** Closing a journal needs no cloud, and an Rds for which nothing was ever claimed has nothing there. */
function needsCloud({ rds }: Unseen, journal: Journal | undefined): boolean {
  if (rds.metadata.deletionTimestamp === undefined) return true;
  if (!journal?.closed) return journal?.id === undefined && rds.status?.id !== undefined;
  return (
    journal.id !== undefined ||
    journal.op !== undefined ||
    journal.createClaimedAt !== undefined ||
    journal.closed.unknownPast
  );
}

async function look(cloud: Cloud, unseen: Unseen, journal: Journal | undefined): Promise<CloudView> {
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
  const wantsBackups =
    rds.metadata.deletionTimestamp !== undefined && instance && effectivePolicy(unseen) === 'Snapshot';
  const backups = wantsBackups ? (await cloud.backups(instance.id)).value : undefined;
  const jobId = instance?.status === 'CREATE FAIL' ? journal?.last?.jobId : undefined;
  const failReason = jobId === undefined ? undefined : (await cloud.findJob(jobId))?.failReason;
  const open = journal?.op;
  const tasks =
    instance && open?.kind === 'restart' ? await cloud.tasks(instance.id, open.at - 1_000) : undefined;
  return { kind: 'fresh', at, instance, namesakes, backups, tasks, failReason };
}

function isUntouched(rds: Rds, journal: Journal | undefined): boolean {
  return (
    rds.metadata.deletionTimestamp === undefined && journal?.id === undefined && journal?.op === undefined
  );
}
