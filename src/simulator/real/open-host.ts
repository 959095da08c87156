// From flags to a running host: checks that everything it needs is there, and says in a sentence what is not.
import { chmodSync, existsSync, mkdirSync, readdirSync } from 'node:fs';
import { isIP, isIPv4 } from 'node:net';
import { resolve } from 'node:path';
import { machineAddresses } from './addresses.ts';
import type { Database, Login } from './database.ts';
import { foldersIn } from './folders.ts';
import { givenServers } from './given-servers.ts';
import { createHost, type Host } from './host.ts';
import { mariadb } from './mariadb.ts';
import { ownServers, type ServerKind } from './own-servers.ts';
import { postgresql } from './postgresql.ts';
import { missingPrograms } from './programs.ts';
import type { HostedEngine } from './resident.ts';
import * as kinds from './server-kinds.ts';

/** `own`: a private server for each instance; else the admin logins of servers that may be used. */
export type Servers = 'own' | Login[];

export type RealOptions = {
  mysql?: Servers | undefined;
  postgres?: Servers | undefined;
  listenAddresses?: string[];
  folder: string;
  report(problem: string): void;
};

type Needs = {
  flag: string;
  database: Database;
  kind: ServerKind;
  clients: string[];
  programs: string[];
  forwardsFrom(login: Login): string | undefined;
};

/**
 * MariaDB tells accounts apart by where they come from. A server on this machine has a `root` for localhost already,
 * so the instance's root comes from an address of its own.
 */
const FORWARD_ADDRESS = '127.77.0.1';
const isLoopback = ({ host }: Login): boolean => host === 'localhost' || host.startsWith('127.');

const mysqlNeeds: Needs = {
  flag: 'mysql',
  database: mariadb,
  kind: kinds.mariadbServer,
  clients: kinds.MARIADB_CLIENTS,
  programs: kinds.MARIADB_SERVER,
  forwardsFrom: (login) => (isLoopback(login) ? FORWARD_ADDRESS : undefined),
};

const postgresNeeds: Needs = {
  flag: 'postgres',
  database: postgresql,
  kind: kinds.postgresqlServer,
  clients: kinds.POSTGRESQL_CLIENTS,
  programs: kinds.POSTGRESQL_SERVER,
  forwardsFrom: () => undefined,
};

export function openHost({ mysql, postgres, listenAddresses = [], folder, report }: RealOptions): Host {
  const addresses = listenAddresses.length > 0 ? listenAddresses : machineAddresses();
  if (addresses.length === 0)
    throw new Error('This machine has no IPv4 address but loopback: name one with --listen-address.');
  for (const address of addresses)
    if (!isIP(address) || !isIPv4(address))
      throw new Error(`--listen-address must be an IPv4 address, not "${address}".`);
  const folders = foldersIn(resolve(folder));
  const isOurs = !existsSync(folders.root) || readdirSync(folders.root).length === 0;
  mkdirSync(folders.instances, { recursive: true });
  // The servers run as another user, who must get through to his own folder.
  for (const path of [folders.instances, ...(isOurs ? [folders.root] : [])]) chmodSync(path, 0o711);
  return createHost({
    engines: {
      ...(mysql && { MySQL: hostedEngine(mysqlNeeds, mysql, folders.instance) }),
      ...(postgres && { PostgreSQL: hostedEngine(postgresNeeds, postgres, folders.instance) }),
    },
    addresses,
    folders,
    report,
  });
}

function hostedEngine(needs: Needs, servers: Servers, folderOf: (id: string) => string): HostedEngine {
  const { database, flag, kind, forwardsFrom } = needs;
  const missing = missingPrograms([...needs.clients, ...(servers === 'own' ? needs.programs : [])]);
  if (missing.length > 0)
    throw new Error(`--${flag} needs programs that are missing: ${missing.join(', ')}.`);
  const supply =
    servers === 'own'
      ? ownServers(kind, database, folderOf)
      : givenServers({ logins: servers, database, flag, folderOf, forwardsFrom });
  return { database, supply };
}

/** `user:password@host:port`; the password may contain anything, the user no colon. */
export function readLogin(text: string): Login | undefined {
  const match = /^([^:@]+):(.*)@([^@:]+):(\d{1,5})$/.exec(text);
  if (!match) return undefined;
  const [, user = '', password = '', host = '', port = ''] = match;
  return { user, password, host, port: Number(port) };
}
