// Makes wishes true: a server, a root login and a forward for every instance, a dump for every backup.
import { rm } from 'node:fs/promises';
import type { HostedBackup, HostedInstance, Hosting, Wish } from '../hosting.ts';
import type { Engine } from '../rds/types.ts';
import { freePlace } from './addresses.ts';
import type { Folders } from './folders.ts';
import { createResident, type HostedEngine, type Resident } from './resident.ts';
import { createTasks } from './tasks.ts';

type HostOptions = {
  engines: Partial<Record<Engine, HostedEngine>>;
  addresses: readonly string[];
  folders: Folders;
  /** Told what went wrong outside of any call. */
  report(problem: string): void;
};

export type Host = Hosting & {
  /** Stops everything. Data stay only if they are kept. */
  close(keeps: { data: boolean }): Promise<void>;
};

export function createHost({ engines, addresses, folders, report }: HostOptions): Host {
  const residents = new Map<string, Resident>();
  const backups = new Set<string>();
  const small = new Set<Promise<unknown>>();
  const tasks = createTasks(report);

  function soon(what: string, work: Promise<unknown>): void {
    const ended: Promise<unknown> = work
      .catch((error: Error) => report(`${what}: ${error.message}`))
      .finally(() => small.delete(ended));
    small.add(ended);
  }

  const residentOf = (id: string) => residents.get(id);

  function tend(wished: HostedInstance): void {
    const engine = engines[wished.engine];
    if (!engine) return;
    const resident =
      residents.get(wished.id) ?? createResident(wished, engine, { folders, tasks, soon, residentOf });
    residents.set(wished.id, resident);
    resident.tend(wished);
  }

  function keep(backup: HostedBackup): void {
    if (backups.has(backup.id)) return;
    backups.add(backup.id);
    const resident = residents.get(backup.instanceId);
    if (folders.hasDump(backup.id)) tasks.begin(`backup ${backup.id}`, async () => {});
    else if (backup.isNew && resident) resident.backUp(backup);
    else tasks.begin(`backup ${backup.id}`, () => Promise.reject(new Error('Its dump is missing.')));
  }

  function drop(backupId: string): void {
    backups.delete(backupId);
    const ended = tasks.ended(`backup ${backupId}`);
    tasks.forget(`backup ${backupId}`);
    soon(
      `removal of backup ${backupId}`,
      ended.then(() => rm(folders.dump(backupId), { recursive: true, force: true })),
    );
  }

  function wish({ instances, backups: wanted }: Wish): void {
    const ids = new Set(instances.map(({ id }) => id));
    for (const [id, resident] of residents)
      if (!ids.has(id)) {
        residents.delete(id);
        resident.remove();
      }
    // Primaries first: a replica looks for its own.
    const primariesFirst = instances.toSorted(
      (a, b) => Number(a.replicaOf !== undefined) - Number(b.replicaOf !== undefined),
    );
    for (const one of primariesFirst) tend(one);
    const backupIds = new Set(wanted.map(({ id }) => id));
    for (const id of backups) if (!backupIds.has(id)) drop(id);
    for (const backup of wanted) keep(backup);
  }

  const quiet = async (): Promise<void> => {
    await Promise.all(small);
  };

  return {
    hosts: (engine) => engines[engine] !== undefined,
    place({ engine, port, isReplica }, placed) {
      const primaries = placed.filter((other) => other.engine === engine && !other.isReplica).length;
      const problem = isReplica ? undefined : engines[engine]?.supply.problemWith(primaries);
      return problem ? { problem } : freePlace(addresses, port, placed);
    },
    wish,
    progressOf: tasks.progressOf,
    quiet,
    async close({ data }) {
      if (!data) wish({ instances: [], backups: [] });
      for (const resident of residents.values()) resident.close();
      await quiet();
      await tasks.all();
      await Promise.all(Object.values(engines).map(({ supply }) => supply.close()));
      if (!data) await folders.remove();
    },
  };
}
