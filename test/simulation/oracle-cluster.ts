// What is written into the cluster: the journal never forgets, finalizers fall only over an empty place, Secrets hold
// the password that the cloud has, and nothing readable holds a secret.

import type { KubeObject } from '../../src/kube/api.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import { PART } from '../../src/rds/job-state.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS } from '../../src/rds/names.ts';
import { ROOT_ACCOUNT } from '../../src/rds/rotation.ts';
import type { SimCloud } from './cloud.ts';
import {
  annotationOf,
  type Cluster,
  CRD_NAME,
  digitsOf,
  journalIn,
  keyOf,
  secretValue,
  specOf,
} from './cluster.ts';
import { CALL_WINDOW_MS } from './oracle-cloud.ts';
import { createDrillOracle } from './oracle-drills.ts';
import { findSecret } from './secrets.ts';
import type { Report } from './violation.ts';

/** A sweeper whose clock is an hour ahead may be that much early. */
const KEEP_CLOSED_MS = 22 * 3_600_000;
/** From a live read to the swap after it: the deadlines of both. */
const LIVE_READ_MS = 6_000;
const UPGRADE_MARK = 'spec.minorUpgrade';
const FINALIZER = 'metacontroller.io/compositecontroller-rds';

export function createClusterOracle(cluster: Cluster, cloud: SimCloud, report: Report) {
  /** Instances that stay in the cloud because somebody decided so. */
  const retained = new Set<string>();
  /** UIDs whose instance was let go when that was wanted: an edit afterwards comes too late. */
  const letGo = new Set<string>();
  const drills = createDrillOracle(cluster, cloud, CALL_WINDOW_MS, report);

  function judgeJournal({ type, object }: WatchEvent): void {
    const journal = journalIn(object);
    if (!journal) return;
    const uid = object.metadata.name.slice('rds-'.length);
    if (type === 'DELETED') {
      judgeSweep(uid, journal);
      return;
    }
    tellsNothing(annotationOf(object, ANNOTATIONS.journal) ?? '', `the journal of ${uid}`);
    const before = cluster.journal(uid)?.journal;
    if (before) judgeSwap(uid, before, journal);
  }

  /** Only of an Rds that is gone, and only a day after it was closed: a call from the past may still come. */
  function judgeSweep(uid: string, { closed }: Journal): void {
    const isOver = closed !== undefined && cloud.now() - closed.at > KEEP_CLOSED_MS;
    if (!isOver || cluster.rdsByUid(uid) || cluster.backups.living(uid))
      report('journal-never-forgets', `the journal of ${uid} was removed`);
  }

  /** `Now` in the spec counts again once it was taken back, which a live read has just shown. */
  function isTakenBack(uid: string, order: string): boolean {
    const isNow = (rds: KubeObject) => specOf(rds).minorUpgrade === 'Now';
    return order === UPGRADE_MARK && !cluster.recent(uid, LIVE_READ_MS).every(isNow);
  }

  function judgeHandled(uid: string, before: Journal, after: Journal): void {
    for (const [order, value] of Object.entries(before.handled ?? {})) {
      if (after.handled?.[order] === undefined && !isTakenBack(uid, order))
        report('journal-never-forgets', `${order}=${value} of ${uid} was forgotten`);
    }
  }

  function judgeSwap(uid: string, before: Journal, after: Journal): void {
    if (before.id !== undefined && before.id !== after.id) {
      report(
        'journal-never-forgets',
        `the journal of ${uid} changed its id from ${before.id} to ${after.id}`,
      );
    }
    drills.judgeSwap(uid, before, after);
    if (!before.letGo && after.letGo && isKept(uid)) letGo.add(uid);
    if (before.closed && !after.closed)
      report('journal-never-forgets', `the journal of ${uid} was opened again`);
    if (before.closed && after.op?.kind === 'create' && !before.op) {
      report('create-only-for-living', `a create was claimed in the closed journal of ${uid}`);
    }
    judgeHandled(uid, before, after);
  }

  /** Our finalizer fell: nothing of it may be left in the cloud, unless it was decided to stay. */
  function judgeRemoval(object: KubeObject): void {
    const uid = object.metadata.uid ?? '';
    const id = cluster.journal(uid)?.journal.id;
    const left = Object.values(cloud.world().instances).filter(
      (instance) =>
        instance.id === id ||
        (id !== undefined && instance.replicaOf === id) ||
        instance.name.endsWith(`_${digitsOf(uid)}`),
    );
    for (const { name } of drills.leftOf(uid))
      report('no-orphan', `${keyOf(object)} is gone and its drill ${name} still exists`);
    for (const instance of left) {
      if (isKept(uid) || letGo.has(uid) || isAnothers(uid, instance.id)) retained.add(instance.id);
      else
        report(
          'no-orphan',
          `${keyOf(object)} is gone and ${instance.name} (${instance.status}) still exists`,
        );
    }
  }

  /** Others may hold the object after us, and edit it: what counts is the moment when we let go. */
  function isLetGo({ type, object }: WatchEvent): boolean {
    const before = cluster.lastOf(object.metadata.uid ?? '');
    if (type === 'DELETED') return before?.metadata.finalizers?.includes(FINALIZER) ?? true;
    return (
      object.metadata.deletionTimestamp !== undefined &&
      before?.metadata.finalizers?.includes(FINALIZER) === true &&
      !object.metadata.finalizers?.includes(FINALIZER)
    );
  }

  function isKept(uid: string): boolean {
    return cluster.recent(uid, CALL_WINDOW_MS).some((object) => {
      const { deletionPolicy } = specOf(object);
      if (deletionPolicy === 'Retain') return true;
      const { namespace = '' } = object.metadata;
      const isGoing =
        cluster.isGoing('Namespace', namespace, 0) ||
        cluster.isGoing('CustomResourceDefinition', CRD_NAME, 0);
      return deletionPolicy === 'Snapshot' && isGoing;
    });
  }

  const isAnothers = (uid: string, id: string): boolean =>
    [...cluster.journals()].some((stored) => stored.uid !== uid && stored.journal.id === id);

  /** Another administrator is published: the password of root may be on its way to the cloud, and at the end they must agree. */
  function isRotated(secret: KubeObject, { rotations }: Journal): boolean {
    const username = secretValue(secret, 'username') ?? 'root';
    return username !== 'root' || (rotations?.[ROOT_ACCOUNT]?.current ?? 'root') !== 'root';
  }

  function judgeSecret(secret: KubeObject): void {
    const owner = secret.metadata.ownerReferences?.[0]?.uid;
    // Those of Jobs and users have oracles of their own.
    if (secret.metadata.labels?.[PART] !== undefined) return;
    const journal = owner === undefined ? undefined : cluster.journal(owner)?.journal;
    if (owner === undefined || journal?.id === undefined || journal.adopted) return;
    const object = cluster.lastOf(owner);
    // A password that people gave may be on its way from the Rds to the cloud; at the end they must agree.
    if (object && (specOf(object).password ?? specOf(object).passwordSecretRef)) return;
    if (isRotated(secret, journal)) return;
    const instance = cloud.world().instances[journal.id];
    const password = secretValue(secret, 'password');
    if (instance && password !== undefined && instance.password !== password) {
      report('password-matches', `Secret ${keyOf(secret)} holds another password than the cloud`);
    }
  }

  function tellsNothing(text: string, where: string): void {
    const { tokens, accessKeys } = cloud.world();
    const keys = Object.values(accessKeys).flatMap(({ secret, securityToken }) => [secret, securityToken]);
    const found = findSecret(text, [...Object.keys(tokens), ...keys]);
    if (found) report('no-secret-told', `${found} in ${where}`);
  }

  cluster.onEvent((event) => {
    const { object } = event;
    switch (object.kind) {
      case 'Lease':
        return judgeJournal(event);
      case 'Secret':
        return event.type === 'DELETED' ? undefined : judgeSecret(object);
      case 'Event':
        return tellsNothing(JSON.stringify(object), 'an Event');
      case 'Rds':
        return isLetGo(event) ? judgeRemoval(object) : undefined;
      default:
        return undefined;
    }
  });

  return { retained, tellsNothing };
}
