// Restore drills: their throwaway instances are the only ones that the operator deletes while an Rds lives, so each
// step is judged by the truth in cloud and journal.

import type { OtcRequest } from '../../src/otc/send.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS, drillName } from '../../src/rds/names.ts';
import type { WorldEvent } from '../../src/simulator/world.ts';
import type { Instance, SimCloud } from './cloud.ts';
import { annotationOf, type Cluster, digitsOf, type StoredJournal, specOf } from './cluster.ts';
import type { Report } from './violation.ts';

export const isThrowaway = ({ name }: Pick<Instance, 'name'>): boolean => name.startsWith('drill-');

const uidIn = (cluster: Cluster, name: string): string | undefined =>
  cluster.uidOfDigits(name.split('-')[1] ?? '');

/** The journal that has claimed the removal of this instance. */
export function removalClaim(cluster: Cluster, id: string): StoredJournal | undefined {
  return [...cluster.journals()].find(({ journal }) => {
    const run = journal.drill?.run;
    return run?.id === id && run.op?.kind === 'removeDrill';
  });
}

export function createDrillOracle(cluster: Cluster, cloud: SimCloud, windowMs: number, report: Report) {
  const made = new Map<string, number>();

  const living = (uid: string): Instance[] =>
    Object.values(cloud.world().instances).filter((one) => one.name.startsWith(`drill-${digitsOf(uid)}-`));

  return {
    /** The journal with the claim, if this create of a throwaway may be sent. */
    judgeCreate({ body = '' }: OtcRequest): StoredJournal | undefined {
      const name = /"name":"([^"]+)"/.exec(body)?.[1] ?? '';
      const uid = uidIn(cluster, name) ?? '';
      const stored = cluster.journal(uid);
      const run = stored?.journal.drill?.run;
      if (!stored || run?.op?.kind !== 'drill' || drillName(uid, run.slot) !== name) {
        report('claim-before-write', `drill ${name} is ordered without an open claim`);
        return undefined;
      }
      if (stored.journal.closed) report('create-only-for-living', `drill ${name} of a closed journal`);
      const versions = cluster.recent(uid, windowMs).filter(({ metadata }) => !metadata.deletionTimestamp);
      const isAsked = versions.some((object) => {
        const { paused, backup } = specOf(object);
        return !paused && backup?.drill && annotationOf(object, ANNOTATIONS.dryRun) !== 'true';
      });
      if (!isAsked) report('create-only-for-living', `drill ${name} of an Rds that does not ask for it now`);
      if (!body.includes('"restore_point"')) report('one-drill-at-a-time', `drill ${name} restores nothing`);
      return stored;
    },

    judgeRemoval({ uid, journal }: StoredJournal, instance: Instance): void {
      const run = journal.drill?.run;
      const isIt = run?.id === instance.id && drillName(uid, run.slot) === instance.name;
      if (!isIt || instance.id === journal.id)
        report('foreign-untouched', `${instance.name} is removed as the throwaway of ${uid}, and is none`);
      if (!run?.result) report('one-drill-at-a-time', `${instance.name} is removed before it had a result`);
    },

    /** An instance of a drill began to exist. */
    happened({ name, instanceId }: WorldEvent): void {
      const uid = uidIn(cluster, name) ?? '';
      const count = (made.get(name) ?? 0) + 1;
      made.set(name, count);
      if (count > 1) report('one-drill-at-a-time', `${name} was made ${count} times`);
      const together = living(uid);
      if (together.length > 1)
        report('one-drill-at-a-time', `${together.map((one) => one.name).join(', ')} exist together`);
      const namespace = cluster.lastOf(uid)?.metadata.namespace ?? '';
      const told = cluster.secretValue(namespace, name, 'password');
      // A Secret that went with its Rds cannot be compared.
      if (told !== undefined && told !== cloud.instance(instanceId)?.password)
        report('password-matches', `${name} was made with another password than its Secret has`);
    },

    /** A record goes only when its throwaway has gone. */
    judgeSwap(uid: string, before: Journal, after: Journal): void {
      const run = before.drill?.run;
      if (before.closed && after.drill?.run && !run)
        report('create-only-for-living', `a drill was begun in the closed journal of ${uid}`);
      if (!run || after.drill?.run?.slot === run.slot) return;
      const left = living(uid);
      if (left.length > 0)
        report('no-orphan', `the journal of ${uid} forgets ${left.map(({ name }) => name).join(', ')}`);
    },

    leftOf: living,
  };
}
