// Every way that data goes into a backup and comes back, as data: what is done, and which calls it takes. docs/backups.md
// is checked against the same table.

import type { RdsSpec } from '../../src/rds/spec.ts';
import { applyBackup, backupStatus, removeBackup } from '../support/backups.ts';
import { HOUR, MINUTE, type World } from '../support/world.ts';

export const BASE: RdsSpec = { flavorref: 'rds.mysql.n1.large.2', volumesize: 40 };

export type BackupPath = {
  name: string;
  /** On top of an Rds `shop` that is ready and has an RdsBackup `monday`. */
  before?: RdsSpec;
  act(world: World): Promise<unknown>;
  minutes?: number;
  /** Calls that write, in order. */
  writes: readonly string[];
};

const agoText = (world: World, ms: number) => new Date(world.clock.now() - ms).toISOString();
const copyFrom = (restoreFrom: NonNullable<RdsSpec['restoreFrom']>) => (world: World) =>
  world.apply('copy', { ...BASE, restoreFrom });

const CREATE = 'POST /instances';
const MARK = 'POST /instances/{id}/tags/action create';
const BACKUP = 'POST /backups';
const RESTORE = 'POST /instances/recovery';
const DELETE = 'DELETE /instances/{id}';

const failing = (world: World, kind: 'failed-backup' | 'failed-build') =>
  world.simulator.faults.add({ match: {}, kind, times: 1 });

export const PATHS: readonly BackupPath[] = [
  {
    name: 'other times of the automated backup',
    act: (world) => world.apply('shop', { ...BASE, backupstarttime: '03:00-04:00', backupkeepdays: 3 }),
    writes: ['PUT /instances/{id}/backups/policy'],
  },
  {
    name: 'a backup on demand',
    act: (world) => applyBackup(world, 'now', { rds: 'shop' }),
    writes: [BACKUP],
  },
  {
    name: 'a backup on demand that fails: it stays failed',
    async act(world) {
      failing(world, 'failed-backup');
      await applyBackup(world, 'now', { rds: 'shop' });
    },
    writes: [BACKUP],
  },
  {
    name: 'an existing backup adopted by id',
    async act(world) {
      const { id: backupId = '', instanceId = '' } = await backupStatus(world, 'monday');
      await applyBackup(world, 'again', { backupId, instanceId });
    },
    writes: [],
  },
  {
    name: 'an RdsBackup deleted, `Retain`',
    act: (world) => removeBackup(world, 'monday'),
    writes: [],
  },
  {
    name: 'an RdsBackup deleted, `Delete`',
    async act(world) {
      await applyBackup(world, 'monday', { rds: 'shop', deletionPolicy: 'Delete' });
      await removeBackup(world, 'monday');
    },
    writes: ['DELETE /backups/{id}'],
  },
  { name: 'a new Rds from an RdsBackup', act: copyFrom({ backup: 'monday' }), writes: [CREATE, MARK] },
  {
    name: 'a new Rds from a backup of the cloud',
    async act(world) {
      const { id: backupId = '', instanceId = '' } = await backupStatus(world, 'monday');
      await copyFrom({ backupId, instanceId })(world);
    },
    writes: [CREATE, MARK],
  },
  {
    name: 'a new Rds from a point in time',
    act: (world) => copyFrom({ rds: 'shop', pointInTime: agoText(world, 10 * MINUTE) })(world),
    writes: [CREATE, MARK],
  },
  {
    name: 'a new Rds from a backup, and the cloud cannot build it',
    async act(world) {
      failing(world, 'failed-build');
      await copyFrom({ backup: 'monday' })(world);
    },
    writes: [CREATE],
  },
  {
    name: 'a restore in place',
    act: (world) => world.apply('shop', { ...BASE, backuprestoretime: agoText(world, 20 * MINUTE) }),
    writes: [BACKUP, RESTORE],
  },
  {
    name: 'a restore in place whose first safety backup fails',
    async act(world) {
      failing(world, 'failed-backup');
      await world.apply('shop', { ...BASE, backuprestoretime: agoText(world, 20 * MINUTE) });
    },
    writes: [BACKUP, BACKUP, RESTORE],
  },
  {
    name: 'the same manifest applied again',
    async act(world) {
      const spec = { ...BASE, backuprestoretime: agoText(world, 20 * MINUTE) };
      await world.apply('shop', spec);
      await world.clock.advance(HOUR);
      await world.apply('shop', { ...spec, deletionPolicy: 'Retain' });
      await world.restartReplica();
    },
    minutes: 180,
    writes: [BACKUP, RESTORE],
  },
  { name: 'an Rds deleted, `Snapshot`', act: (world) => world.remove('shop'), writes: [BACKUP, DELETE] },
  {
    name: 'an Rds deleted, `Snapshot`, whose first final backup fails',
    async act(world) {
      failing(world, 'failed-backup');
      await world.remove('shop');
    },
    writes: [BACKUP, BACKUP, DELETE],
  },
  {
    name: 'a stopped Rds deleted, `Snapshot`: it is started for its backup',
    before: { stopped: true },
    act: (world) => world.remove('shop'),
    writes: ['POST /instances/{id}/action/startup', BACKUP, DELETE],
  },
  {
    name: 'an Rds deleted, `Delete`',
    before: { deletionPolicy: 'Delete' },
    act: (world) => world.remove('shop'),
    writes: [DELETE],
  },
  {
    name: 'an Rds deleted, `Retain`',
    before: { deletionPolicy: 'Retain' },
    act: (world) => world.remove('shop'),
    writes: ['POST /instances/{id}/tags/action delete'],
  },
  {
    name: 'a restore drill',
    act: (world) => world.apply('shop', { ...BASE, backup: { drill: { schedule: '30 * * * *' } } }),
    minutes: 55,
    writes: [CREATE, MARK, DELETE],
  },
  {
    name: 'a restore drill, and the cloud cannot build its throwaway',
    async act(world) {
      failing(world, 'failed-build');
      await world.apply('shop', { ...BASE, backup: { drill: { schedule: '30 * * * *' } } });
    },
    minutes: 55,
    writes: [CREATE, DELETE],
  },
  {
    name: 'a restore drill without a complete backup',
    async act(world) {
      for (const { id } of world.simulator.state.backups) await world.byHand('DELETE', `/backups/${id}`);
      await world.apply('shop', { ...BASE, backup: { drill: { schedule: '30 * * * *' } } });
    },
    minutes: 55,
    writes: [],
  },
];
