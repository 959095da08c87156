// Restores in place: what was written since goes for ever, so each value restores once, and only after a backup.

import { safetyPrefix } from '../../src/rds/names.ts';
import type { WorldEvent } from '../../src/simulator/world.ts';
import { MINUTE } from './clock.ts';
import type { Instance, SimCloud } from './cloud.ts';
import { type Cluster, specOf } from './cluster.ts';
import type { Report } from './violation.ts';

export function createRestoreOracle(cluster: Cluster, cloud: SimCloud, windowMs: number, report: Report) {
  const restored = new Map<string, number>();

  /** Every change of the field to another value is a new order. */
  function valuesOf(uid: string): string[] {
    const values = cluster.versionsOf(uid).map(({ object }) => specOf(object).backuprestoretime ?? '');
    return values.filter((value, index) => value !== '' && value !== values[index - 1]);
  }

  return {
    judgeBackup(uid: string, { name }: Instance): void {
      const isAsked = cluster.recent(uid, windowMs).some((object) => specOf(object).backuprestoretime);
      if (!isAsked) report('only-what-the-spec-says', `safety backup of ${name} without a restore`);
    },

    judgeRestore(uid: string, instance: Instance): void {
      const since = cloud.now() - 60 * MINUTE - windowMs;
      const isSaved = Object.values(cloud.world().backups).some(
        ({ instanceId, name, status, beginAt }) =>
          instanceId === instance.id &&
          name.startsWith(safetyPrefix(uid)) &&
          status === 'COMPLETED' &&
          beginAt >= since,
      );
      if (!isSaved) report('restore-once-per-value', `${instance.name} is restored without a backup before`);
    },

    happened({ instanceId }: WorldEvent): void {
      const count = (restored.get(instanceId) ?? 0) + 1;
      restored.set(instanceId, count);
      const owners = [...cluster.journals()].filter(({ journal }) => journal.id === instanceId);
      const wanted = owners.flatMap(({ uid }) => valuesOf(uid)).length;
      if (count > wanted)
        report('restore-once-per-value', `${instanceId} was restored ${count} times for ${wanted} values`);
    },
  };
}
