// One instance with its real server: built, filled, opened, closed and removed, one thing after the other.
import { existsSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import type { HostedBackup, HostedInstance } from '../hosting.ts';
import { type Database, ROOT, type Server } from './database.ts';
import type { Folders } from './folders.ts';
import { type Forward, openForward, type Target } from './forward.ts';
import type { Supply } from './supply.ts';
import type { Tasks } from './tasks.ts';

export type HostedEngine = { database: Database; supply: Supply };

export type Surroundings = {
  folders: Folders;
  tasks: Tasks;
  /** Work that the next answer waits for. */
  soon(what: string, work: Promise<unknown>): void;
  residentOf(instanceId: string): Resident | undefined;
};

export type Resident = ReturnType<typeof createResident>;

const targetOf = ({ admin, forwardsFrom }: Server): Target => ({
  host: admin.host,
  port: admin.port,
  ...(forwardsFrom && { from: forwardsFrom }),
});

export function createResident(
  first: HostedInstance,
  { database, supply }: HostedEngine,
  { folders, tasks, soon, residentOf }: Surroundings,
) {
  const { id, replicaOf } = first;
  let wished = first;
  let own: Server | undefined;
  let forward: Forward | undefined;
  /** Where the forward is or is about to be; '' when closed. */
  let door = '';
  let doors: Promise<unknown> = Promise.resolve();
  let queue: Promise<unknown> = Promise.resolve();

  function queued(work: () => Promise<void>): Promise<void> {
    const result = queue.then(work);
    queue = result.catch(() => {});
    return result;
  }

  function server(): Server {
    const found = replicaOf ? residentOf(replicaOf)?.server() : own;
    if (!found) throw new Error('The server of the instance does not run.');
    return found;
  }

  async function build(): Promise<void> {
    if (replicaOf) {
      await tasks.ended(`build ${replicaOf}`);
      await tryDoor();
      return;
    }
    const wasBuilt = existsSync(folders.ready(id));
    if (wished.isOpen && !wasBuilt) throw new Error(`Its data are gone from ${folders.instance(id)}.`);
    await mkdir(folders.instance(id), { recursive: true, mode: 0o711 });
    own = await supply.take(id);
    if (wasBuilt) return;
    // A build that was cut off may have left something.
    await database.clear(own, { root: false });
    await database.createRoot(own, first.password);
    if (first.origin !== undefined) await fill(first.origin);
    await tryDoor();
    await writeFile(folders.ready(id), '');
  }

  /** The port must be free and root must get in, else the build has failed. */
  async function tryDoor(): Promise<void> {
    const { ip, port, password } = wished;
    const trial = await openForward({ ip, port }, targetOf(server()));
    try {
      await database.logIn({ user: ROOT, password, host: ip, port });
    } finally {
      await trial.close();
    }
  }

  async function fill(backupId: string): Promise<void> {
    await requireDump(backupId);
    await database.load(server(), folders.dump(backupId));
  }

  async function requireDump(backupId: string): Promise<void> {
    if (backupId === '') throw new Error('There is no backup before that moment.');
    await tasks.ended(`backup ${backupId}`);
    if (!folders.hasDump(backupId)) throw new Error(`There is no dump of the backup ${backupId}.`);
  }

  async function restore(backupId: string): Promise<void> {
    await requireDump(backupId);
    await database.clear(server(), { root: true });
    await fill(backupId);
  }

  async function dump(backup: HostedBackup): Promise<void> {
    const unfinished = `${folders.dump(backup.id)}.new`;
    await rm(unfinished, { recursive: true, force: true });
    await mkdir(unfinished, { recursive: true, mode: 0o700 });
    await database.dump(server(), unfinished, backup.databases);
    await rename(unfinished, folders.dump(backup.id));
  }

  function setDoor(next: string, { ip, port }: HostedInstance): void {
    if (next === door) return;
    door = next;
    const moved = doors.then(async () => {
      await forward?.close();
      forward = undefined;
      if (next === '') return;
      await tasks.ended(`build ${id}`);
      forward = await openForward({ ip, port }, targetOf(server()));
    });
    doors = moved.catch(() => {});
    soon(`instance ${id}`, moved);
  }

  async function setPassword(password: string): Promise<void> {
    await tasks.ended(`build ${id}`);
    await database.setRootPassword(server(), password);
  }

  async function leave(): Promise<void> {
    if (replicaOf) return;
    if (supply.isShared && own) await database.clear(own, { root: false });
    await supply.release(id);
    own = undefined;
    await rm(folders.instance(id), { recursive: true, force: true });
  }

  tasks.begin(`build ${id}`, () => queued(build));

  return {
    server,
    tend(next: HostedInstance): void {
      const isNewPassword = next.password !== wished.password && !replicaOf;
      wished = next;
      if (isNewPassword) soon(`password of ${id}`, setPassword(next.password));
      setDoor(next.isOpen ? `${next.ip}:${next.port}` : '', next);
      const order = next.restore;
      if (order && !tasks.has(`restore ${order.jobId}`))
        tasks.begin(`restore ${order.jobId}`, () => queued(() => restore(order.backupId)));
    },
    backUp: (backup: HostedBackup) => tasks.begin(`backup ${backup.id}`, () => queued(() => dump(backup))),
    close: () => setDoor('', wished),
    remove(): void {
      setDoor('', wished);
      tasks.forget(`build ${id}`);
      soon(
        `removal of ${id}`,
        doors.then(() => queued(leave)),
      );
    },
  };
}
