// Backups as objects: each is ordered once, under a claim of its own, of an instance that is that of its Rds, and goes
// only with the object that has it.

import type { KubeObject } from '../../src/kube/api.ts';
import type { WatchEvent } from '../../src/local/watch.ts';
import type { OtcRequest } from '../../src/otc/send.ts';
import type { RdsBackupSpec } from '../../src/rds/backup.ts';
import type { WorldEvent } from '../../src/simulator/world.ts';
import type { SimCloud } from './cloud.ts';
import { type Cluster, digitsOf, keyOf, projectOf, type StoredJournal } from './cluster.ts';
import type { Report } from './violation.ts';

const FINALIZER = 'metacontroller.io/compositecontroller-rdsbackup';

export const backupSpecOf = (object: KubeObject): RdsBackupSpec => object.spec as RdsBackupSpec;

export function createBackupOracle(cluster: Cluster, cloud: SimCloud, windowMs: number, report: Report) {
  const made = new Map<string, number>();

  const claimOf = (kind: 'create' | 'delete', key: string): StoredJournal | undefined =>
    [...cluster.journals()].find(
      ({ uid, journal }) =>
        journal.op?.kind === kind && journal.op.key === key && cluster.backups.lastOf(uid) !== undefined,
    );

  function judgeAccount(object: KubeObject | undefined, { url, route }: OtcRequest): void {
    if (object && !url.includes(projectOf(object)))
      report('own-account', `${route} for RdsBackup ${keyOf(object)} goes to another account: ${url}`);
  }

  /** Whether this was the instance of the Rds that is named, a moment ago. */
  function isOfItsRds(object: KubeObject, instanceId: string): boolean {
    const { rds } = backupSpecOf(object);
    return cluster.uids().some((uid) => {
      const { name, namespace } = cluster.lastOf(uid)?.metadata ?? {};
      const isNamed = name === rds && namespace === object.metadata.namespace;
      const isThere = isNamed && cluster.recent(uid, windowMs).length > 0;
      return isThere && cluster.journal(uid)?.journal.id === instanceId;
    });
  }

  /** Names of RdsBackups end with the UID, as those of instances do; a restored or foreign one is nobody's. */
  const uidIn = (name: string): string | undefined => cluster.backups.uidOfDigits(name.slice(-12));

  const isLiving = (uid: string): boolean => {
    const object = cluster.backups.living(uid);
    return object !== undefined && object.metadata.deletionTimestamp === undefined;
  };

  function judgeRemoval(object: KubeObject): void {
    const uid = object.metadata.uid ?? '';
    const versions = cluster.backups.recent(uid, windowMs);
    const mayStay = versions.some((one) => backupSpecOf(one).deletionPolicy !== 'Delete');
    const left = ownLeft(uid);
    if (left && !mayStay) report('no-backup-left', `${keyOf(object)} is gone and ${left} still exists`);
  }

  /** Name of a backup that this object made and that is still there. */
  function ownLeft(uid: string): string | undefined {
    const { backups } = cloud.world();
    const suffix = `_${digitsOf(uid)}`;
    return Object.values(backups).find(({ name, type }) => type === 'manual' && name.endsWith(suffix))?.name;
  }

  /** Our finalizer fell, or the object went without one. */
  function isLetGo({ type, object }: WatchEvent): boolean {
    const before = cluster.backups.lastOf(object.metadata.uid ?? '');
    if (before?.metadata.finalizers?.includes(FINALIZER) !== true) return false;
    const isFree = !object.metadata.finalizers?.includes(FINALIZER);
    return type === 'DELETED' || (object.metadata.deletionTimestamp !== undefined && isFree);
  }

  cluster.onEvent((event) => {
    if (event.object.kind === 'RdsBackup' && isLetGo(event)) judgeRemoval(event.object);
  });

  return {
    /** undefined: without a claim, which is told. */
    judgeOrder(request: OtcRequest): StoredJournal | undefined {
      const body = JSON.parse(request.body ?? '{}') as { name: string; instance_id: string };
      const stored = claimOf('create', body.name);
      if (!stored) {
        report('claim-before-write', `backup ${body.name} is ordered without an open claim`);
        return undefined;
      }
      const living = cluster.backups
        .recent(stored.uid, windowMs)
        .filter(({ metadata }) => !metadata.deletionTimestamp);
      const [object] = living;
      judgeAccount(object, request);
      if (!object)
        report('create-only-for-living', `backup ${body.name}, whose RdsBackup is gone or being deleted`);
      else if (!isOfItsRds(object, body.instance_id))
        report('foreign-untouched', `backup ${body.name} is of ${body.instance_id}, which is not its Rds's`);
      return stored;
    },

    judgeDelete(request: OtcRequest): StoredJournal | undefined {
      const id = request.url.slice(request.url.lastIndexOf('/') + 1);
      const stored = claimOf('delete', id);
      if (!stored) {
        report('claim-before-write', `backup ${id} is deleted without an open claim`);
        return undefined;
      }
      const { uid, journal } = stored;
      judgeAccount(cluster.backups.lastOf(uid), request);
      const wanted = cluster.backups
        .recent(uid, windowMs)
        .some((one) => one.metadata.deletionTimestamp && backupSpecOf(one).deletionPolicy === 'Delete');
      if (!wanted || journal.id !== id)
        report('backup-deleted-on-order', `backup ${id} is deleted, and nobody wants that of ${uid}`);
      const maker = uidIn(cloud.world().backups[id]?.name ?? '');
      if (maker !== undefined && maker !== uid && isLiving(maker))
        report('backup-deleted-on-order', `backup ${id} is deleted, and ${maker} that made it still lives`);
      return stored;
    },

    happened({ name }: WorldEvent): void {
      if (uidIn(name) === undefined) return;
      const count = (made.get(name) ?? 0) + 1;
      made.set(name, count);
      if (count > 1) report('one-backup-per-object', `backup number ${count} named ${name} was made`);
    },

    /** At the end, when whatever was late has come. */
    judgeLeft(): void {
      for (const uid of cluster.backups.uids()) {
        if (cluster.backups.living(uid)) continue;
        const last = cluster.backups.versionsOf(uid).slice(-3);
        const wasKept = last.some(({ object }) => backupSpecOf(object).deletionPolicy !== 'Delete');
        const left = ownLeft(uid);
        if (left && !wasKept) report('no-backup-left', `RdsBackup ${uid} is gone and ${left} is left`);
      }
    },
  };
}
