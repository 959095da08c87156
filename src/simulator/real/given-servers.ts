// Servers that somebody else runs, given by admin logins. Each carries one instance at a time: logins and databases
// of two instances would meet on it.
import { existsSync } from 'node:fs';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Belongings, Database, Login, Server } from './database.ts';
import type { Supply } from './supply.ts';

const LEASE_FILE = 'lease.json';

/** Which server an instance has, and what was on it before. */
type Lease = { server: string; belongings: Belongings };

const addressOf = ({ host, port }: Login): string => `${host}:${port}`;

type Given = {
  logins: readonly Login[];
  database: Database;
  /** `mysql` or `postgres`, as in the flag. */
  flag: string;
  folderOf(instanceId: string): string;
  /** The source address of forwarded connections to a server. */
  forwardsFrom(login: Login): string | undefined;
};

export function givenServers({ logins, database, flag, folderOf, forwardsFrom }: Given): Supply {
  const inUse = new Map<string, string>();

  const serverOf = (admin: Login, { belongings }: Lease): Server => ({
    admin,
    belongings,
    forwardsFrom: forwardsFrom(admin),
  });

  async function leaseOf(instanceId: string): Promise<Lease | undefined> {
    const file = join(folderOf(instanceId), LEASE_FILE);
    return existsSync(file) ? (JSON.parse(await readFile(file, 'utf8')) as Lease) : undefined;
  }

  async function takeNew(instanceId: string): Promise<Server> {
    const leased = [...inUse.values()];
    const admin = logins.find((login) => !leased.includes(addressOf(login)));
    if (!admin) throw new Error(`Every server given by --${flag} carries another instance.`);
    inUse.set(instanceId, addressOf(admin));
    const lease: Lease = { server: addressOf(admin), belongings: await database.survey(admin) };
    await writeFile(join(folderOf(instanceId), LEASE_FILE), JSON.stringify(lease));
    return serverOf(admin, lease);
  }

  return {
    isShared: true,
    problemWith: (instances) =>
      instances < logins.length
        ? undefined
        : `Each of the ${logins.length} server(s) given by --${flag} carries one instance already: give one more, or use "--${flag} own".`,
    async take(instanceId) {
      const lease = await leaseOf(instanceId);
      if (!lease) return takeNew(instanceId);
      const admin = logins.find((login) => addressOf(login) === lease.server);
      if (!admin)
        throw new Error(`The server ${lease.server} of the instance is no longer given by --${flag}.`);
      inUse.set(instanceId, lease.server);
      return serverOf(admin, lease);
    },
    async release(instanceId) {
      inUse.delete(instanceId);
    },
    async close() {},
  };
}
