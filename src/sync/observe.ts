// Collects what a decision needs, and nothing more: a settled Rds costs a look into a shared snapshot, and
// only what may lead to a write reads the journal and the cloud afresh.

import type { HeldJournal } from '../kube/journal.ts';
import { JournalUnavailable } from '../kube/journal.ts';
import type { Cloud, Instance, Still } from '../otc/cloud.ts';
import { fullSpec } from '../rds/defaults.ts';
import type { Journal } from '../rds/journal.ts';
import { connectionSecretName, rootSecretName, serviceName } from '../rds/names.ts';
import type { RdsStatus } from '../rds/status.ts';
import { userSetFields } from '../rds/user-set.ts';
import { specProblems } from '../rds/validate.ts';
import type { CallBudget } from './budget.ts';
import { credentialsFor } from './credentials.ts';
import type { ChildObject, CloudView, Observed, Unseen } from './decide/observed.ts';
import { remembered } from './decide/remembered.ts';
import type { SyncDeps } from './deps.ts';
import { readDetails } from './details.ts';
import { toFailure } from './failure.ts';
import { lookFresh } from './fresh-look.ts';
import type { View } from './request.ts';
import { restoreSource } from './restore-source.ts';
import { rootPassword } from './root-password.ts';
import type { TransitionReads } from './transition-reads.ts';
import { administratorLogin, drawingSecretNames, userPasswords, userSecretNames } from './user-passwords.ts';

const SNAPSHOT_SECONDS = 60;
const TRANSITION_SECONDS = 4;

/**
 * What the request itself tells; put together once for each call, and with one drawing. Kept in the view: a value in a
 * WeakMap outlives every minor collection, and with it went the whole request.
 */
export function fromRequest(deps: SyncDeps, view: View): Unseen {
  view.unseen ??= readRequest(deps, view);
  return { ...view.unseen, nowMs: deps.clock.now() };
}

function readRequest(deps: SyncDeps, view: View): Unseen {
  const { rds } = view;
  return {
    rds,
    spec: fullSpec(rds.spec),
    problems: view.hasSpec ? specProblems(rds.spec) : [{ field: 'spec', message: 'is missing' }],
    userSet: userSetFields(rds),
    nowMs: deps.clock.now(),
    children: view.children,
    foreign: foreignChildren(view),
    password: rootPassword(view),
    restoreSource: restoreSource(view),
    namespaceTerminating: isTerminating(view.related, 'Namespace'),
    crdTerminating: isTerminating(view.related, 'CustomResourceDefinition'),
    draw: once(deps.draw),
    users: userPasswords(view, deps.draw),
    administrator: administratorLogin(view, deps.draw),
    sqlJobEnd: view.sqlJobEnd,
    drillJobEnd: view.drillJobEnd,
    jobImage: deps.jobImage,
    timing: deps.timing,
  };
}

/** Most calls draw nothing, and a drawing is not cheap. */
function once<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

function isTerminating(related: readonly ChildObject[], kind: string): boolean {
  return related.some((object) => object.kind === kind && object.metadata.deletionTimestamp !== undefined);
}

/** Objects with the name of one of our children and another owner, or none. */
function foreignChildren({ rds: { metadata, spec }, related }: View): ChildObject[] {
  const generates = spec.password === undefined && spec.passwordSecretRef === undefined;
  const names: Record<string, string[]> = {
    Service: [serviceName(metadata.name)],
    EndpointSlice: [serviceName(metadata.name)],
    Endpoints: [serviceName(metadata.name)],
    Secret: [
      connectionSecretName(metadata.name),
      ...(generates ? [rootSecretName(metadata.name)] : []),
      ...userSecretNames({ metadata, spec }),
      ...drawingSecretNames({ metadata, spec }),
    ],
  };
  const isOurs = (object: ChildObject) =>
    object.metadata.ownerReferences?.some((owner) => owner.uid === metadata.uid) ?? false;
  return related.filter(
    (object) => names[object.kind]?.includes(object.metadata.name) === true && !isOurs(object),
  );
}

/** A view that needs no journal; undefined when only a full one will do. `noted`: what it was made from. */
export async function glance(
  deps: SyncDeps,
  reads: TransitionReads,
  view: View,
  budget: CallBudget,
  noted: Still[],
): Promise<CloudView | undefined> {
  const { status, metadata } = view.rds;
  if (status?.id === undefined || status.phase === undefined || metadata.deletionTimestamp !== undefined)
    return undefined;
  try {
    const cloud = deps.openCloud(credentialsFor(deps, view), budget, noted);
    const asked = fromRequest(deps, view);
    const { replicas } = remembered({ ...asked, journal: 'unread', cloud: { kind: 'unasked' } });
    const seen = async (instance: Instance, snapshotSeconds: number, at?: number): Promise<CloudView> => ({
      kind: 'glance',
      at,
      instance,
      details: await readDetails(cloud, asked, instance, { how: 'shared', replicas, snapshotSeconds }),
    });
    if (status.phase === 'Ready') {
      const { byId, at } = await cloud.snapshot(SNAPSHOT_SECONDS);
      const instance = byId.get(status.id);
      // The snapshot may be older than status: it may confirm, and only a read of our own may contradict.
      if (instance && confirms(instance, status)) return await seen(instance, SNAPSHOT_SECONDS, at);
    }
    const isUsable = (lately: Instance) => !isOutdated(view) && confirms(lately, status);
    const instance = await reads.read(cloud, status.id, isUsable);
    return instance ? await seen(instance, TRANSITION_SECONDS) : { kind: 'glance', instance, details: {} };
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
      cloudView = await lookFresh(cloud, unseen, journal);
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
    journal.watch !== undefined ||
    journal.op !== undefined ||
    journal.createClaimedAt !== undefined ||
    journal.drill?.run !== undefined ||
    journal.closed.unknownPast
  );
}
