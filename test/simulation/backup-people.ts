// What people do with backups as objects, and with backups at the console of the cloud.

import type { RdsBackupSpec } from '../../src/rds/backup.ts';
import type { BackupDeed, Keeping } from './backup-plan.ts';
import type { SimCloud } from './cloud.ts';
import { BACKUPS_API, type Cluster, specOf } from './cluster.ts';
import type { Target } from './target.ts';

const APPLY = 'application/apply-patch+yaml';

export function createBackupKeepers(cluster: Cluster, cloud: SimCloud) {
  const wishes = new Map<string, RdsBackupSpec>();
  const removedByHand = new Set<string>();
  let made = 0;
  let restored = 0;

  const pathOf = (namespace: string, name: string) => `${BACKUPS_API(namespace)}/${name}`;

  async function apply(namespace: string, name: string, spec: RdsBackupSpec): Promise<void> {
    const body = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'RdsBackup',
      metadata: { name, namespace },
      spec,
    };
    const path = `${pathOf(namespace, name)}?fieldManager=kubectl&force=true`;
    const { status } = await cluster.call('PATCH', path, body, APPLY);
    if (status < 300) wishes.set(`${namespace}/${name}`, spec);
  }

  /** Those of this Rds that are there, oldest first. */
  const namesOf = ({ namespace, name }: Target): string[] =>
    cluster
      .allBackups()
      .filter(({ metadata }) => metadata.namespace === namespace && metadata.name.startsWith(`${name}-b`))
      .map(({ metadata }) => metadata.name);

  const chosen = (target: Target, which: number): string | undefined => {
    const names = namesOf(target);
    return names[which % Math.max(1, names.length)];
  };

  /** The account of the Rds is that of its backups. */
  function accountOf({ namespace, name }: Target): Pick<RdsBackupSpec, 'credentialsSecretRef'> {
    const rds = cluster.findRds(namespace, name);
    const { credentialsSecretRef } = rds ? specOf(rds) : {};
    return credentialsSecretRef ? { credentialsSecretRef } : {};
  }

  const nextName = ({ name }: Target): string => {
    made += 1;
    return `${name}-b${made}`;
  };

  async function adopt(target: Target, which: number, deletionPolicy: Keeping): Promise<void> {
    const uid = cluster.findRds(target.namespace, target.name)?.metadata.uid ?? '';
    const instanceId = cluster.journal(uid)?.journal.id;
    const found = Object.values(cloud.world().backups).filter((one) => one.instanceId === instanceId);
    const backup = found[which % Math.max(1, found.length)];
    if (!backup) return;
    const spec = { backupId: backup.id, instanceId: backup.instanceId, deletionPolicy };
    await apply(target.namespace, nextName(target), { ...spec, ...accountOf(target) });
  }

  /** Somebody at the console, who does not know of the object. */
  function removeByHand({ namespace }: Target, name: string): void {
    const uid = cluster.find('RdsBackup', namespace, name)?.metadata.uid ?? '';
    const { backups } = cloud.world();
    const id = cluster.journal(uid)?.journal.id ?? '';
    if (backups[id]?.status !== 'COMPLETED') return;
    removedByHand.add(id);
    delete backups[id];
  }

  async function restore(target: Target, backup: string): Promise<void> {
    const { namespace, name } = target;
    restored += 1;
    await cluster.apply(namespace, `${name}r${restored}`, {
      flavorref: 'rds.mysql.c2.medium',
      volumesize: 400,
      deletionPolicy: 'Delete',
      restoreFrom: { backup },
      ...accountOf(target),
    });
  }

  return {
    removedByHand,
    nameOf: chosen,
    async perform(target: Target, deed: Exclude<BackupDeed, { do: 'backup goes back' }>): Promise<void> {
      const { namespace, name: rds } = target;
      if (deed.do === 'make backup')
        return apply(namespace, nextName(target), {
          rds,
          deletionPolicy: deed.policy,
          ...accountOf(target),
        });
      if (deed.do === 'adopt backup') return adopt(target, deed.which, deed.policy);
      const name = chosen(target, deed.which);
      if (name === undefined) return;
      switch (deed.do) {
        case 'backup policy': {
          const wish = wishes.get(`${namespace}/${name}`);
          return wish && apply(namespace, name, { ...wish, deletionPolicy: deed.to });
        }
        case 'remove backup':
          await cluster.call('DELETE', pathOf(namespace, name));
          return;
        case 'hand removes backup':
          return removeByHand(target, name);
        case 'restore from backup':
          return restore(target, name);
      }
    },
  };
}
