// A simulator with real databases behind it, on the real clock, and clients of those databases.
import { mkdtempSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../src/clock.ts';
import { machineAddresses } from '../../src/simulator/real/addresses.ts';
import { openHost, type RealOptions } from '../../src/simulator/real/open-host.ts';
import { missingPrograms, run } from '../../src/simulator/real/programs.ts';
import * as kinds from '../../src/simulator/real/server-kinds.ts';
import { type Json, testCloud } from './test-cloud.ts';

export type EngineUnderTest = {
  name: 'MySQL' | 'PostgreSQL';
  flag: 'mysql' | 'postgres';
  order: Record<string, unknown>;
  /** Ports that the cloud allows. */
  ports: [number, number];
  programs: string[];
  /** Rows as lines. */
  query(at: Endpoint, sql: string): Promise<string>;
  sql: Record<'isSuper' | 'fill' | 'spoil' | 'read' | 'superOnly' | 'databases', string>;
};

export type Endpoint = { host: string; port: number; user?: string; password: string; database?: string };

export const mysql: EngineUnderTest = {
  name: 'MySQL',
  flag: 'mysql',
  order: {},
  ports: [20_000, 30_000],
  programs: [...kinds.MARIADB_CLIENTS, ...kinds.MARIADB_SERVER],
  query: ({ host, port, user = 'root', password }, sql) =>
    run(
      'mariadb',
      [
        '--no-defaults',
        '--protocol=tcp',
        '-BN',
        `-h${host}`,
        `-P${port}`,
        `-u${user}`,
        '--connect-timeout=60',
      ],
      { env: { MYSQL_PWD: password }, input: sql },
    ),
  sql: {
    isSuper:
      "SELECT COUNT(*) FROM information_schema.user_privileges WHERE privilege_type = 'SUPER' AND grantee LIKE '''root''%'",
    fill: `CREATE DATABASE shop; CREATE TABLE shop.goods (name VARCHAR(20)); INSERT INTO shop.goods VALUES ('apple');
           CREATE USER app@'%' IDENTIFIED BY 'App-12345'; GRANT ALL ON shop.* TO app@'%';`,
    spoil: "INSERT INTO shop.goods VALUES ('rot'); CREATE DATABASE later; CREATE USER late@'%';",
    read: 'SELECT name FROM shop.goods ORDER BY 1',
    superOnly: 'SET GLOBAL max_connections = 3',
    databases: 'SHOW DATABASES',
  },
};

export const postgres: EngineUnderTest = {
  name: 'PostgreSQL',
  flag: 'postgres',
  order: { datastore: { type: 'PostgreSQL', version: '15' }, flavor_ref: 'rds.pg.n1.large.2' },
  ports: [2_100, 9_500],
  programs: [...kinds.POSTGRESQL_CLIENTS, ...kinds.POSTGRESQL_SERVER],
  query: ({ host, port, user = 'root', password, database = 'postgres' }, sql) =>
    run('psql', ['-h', host, '-p', String(port), '-U', user, '-d', database, '-XqtA', '-vON_ERROR_STOP=1'], {
      env: { PGPASSWORD: password, PGCONNECT_TIMEOUT: '60' },
      input: sql,
    }),
  sql: {
    isSuper: 'SELECT count(*) FROM pg_roles WHERE rolname = current_user AND rolsuper',
    fill: `CREATE ROLE app LOGIN PASSWORD 'App-12345';
GRANT app TO root;
CREATE DATABASE shop OWNER app;
\\connect shop
SET ROLE app;
CREATE TABLE goods (name text);
INSERT INTO goods VALUES ('apple');`,
    spoil: `\\connect shop
SET ROLE app;
INSERT INTO goods VALUES ('rot');
RESET ROLE;
CREATE DATABASE later;
CREATE ROLE late;`,
    read: '\\connect shop\nSET ROLE app;\nSELECT name FROM goods ORDER BY 1',
    superOnly: 'ALTER SYSTEM SET max_connections = 3',
    databases: 'SELECT datname FROM pg_database',
  },
};

export const [address = ''] = machineAddresses();

/** Why these tests cannot run here; false when they can. */
export function reasonToSkip(...engines: EngineUnderTest[]): string | false {
  const missing = missingPrograms(engines.flatMap(({ programs }) => programs));
  if (missing.length > 0) return `programs are missing: ${missing.join(', ')}`;
  return address === '' ? 'this machine has no address but loopback' : false;
}

const given = new Set<number>();

/** A port of the machine's address that nobody has, within what the cloud allows for the engine. */
export async function freePort({ ports: [low, high] }: EngineUnderTest): Promise<number> {
  for (;;) {
    const port = low + Math.floor(Math.random() * (high - low));
    const isFree = await new Promise<boolean>((resolve) => {
      const server = createServer();
      server.once('error', () => resolve(false));
      server.listen(port, address, () => server.close(() => resolve(true)));
    });
    if (isFree && !given.has(port)) {
      given.add(port);
      return port;
    }
  }
}

const PASSWORD = 'Geheim-1234';

/** Real servers are as slow as the machine: this only ends what never happens. */
const HANGS_MS = 300_000;

/** Operations take fractions of a second, so that only the real work counts. */
const SPEED = 1200;

export async function realCloud(options: Partial<RealOptions>) {
  const problems: string[] = [];
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'rds-real-'));
  const host = openHost({ ...options, folder, report: (problem) => problems.push(problem) });
  const cloud = await testCloud({ clock: systemClock, speed: SPEED, hosting: host });

  async function until(what: string, isSo: () => Promise<boolean>): Promise<void> {
    for (const end = Date.now() + HANGS_MS; !(await isSo()); await systemClock.sleep(50))
      if (Date.now() > end) throw new Error(`It never happened: ${what}. ${problems.join(' ')}`);
  }

  async function settled(id: string, status = 'ACTIVE'): Promise<Json> {
    const failed = ['FAILED', 'CREATE FAIL'];
    await until(`${id} is ${status}`, async () => {
      const now = (await cloud.show(id))?.status;
      return now === status || failed.includes(now);
    });
    return cloud.show(id);
  }

  async function ordered(changes: Record<string, unknown>): Promise<Json> {
    const reply = await cloud.rds('POST', '/instances', await cloud.order(changes));
    if (reply.status !== 202) throw new Error(reply.text);
    return settled(reply.body.instance.id);
  }

  async function backedUp(id: string, name: string): Promise<string> {
    const reply = await cloud.rds('POST', '/backups', { instance_id: id, name });
    if (reply.status !== 200) throw new Error(reply.text);
    const backupId = reply.body.backup.id;
    const list = `/backups?instance_id=${id}&backup_id=${backupId}`;
    await until(`${name} is done`, async () => {
      const { status } = (await cloud.rds('GET', list)).body.backups[0];
      return status !== 'BUILDING';
    });
    const { status } = (await cloud.rds('GET', list)).body.backups[0];
    if (status !== 'COMPLETED') throw new Error(`${status}: ${problems.join(' ')}`);
    return backupId;
  }

  return { ...cloud, host, folder, problems, until, settled, ordered, backedUp };
}

export const endpointOf = (instance: Json, password = PASSWORD): Endpoint => ({
  host: instance.private_ips[0],
  port: instance.port,
  password,
});
