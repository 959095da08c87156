// A real server of each engine with an administrator like the cloud's: no SUPER, no superuser. And the Job's
// program run against it, as a process with files, the way its pod runs it.

import { execFileSync, spawn } from 'node:child_process';
import { chmodSync, chownSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runSql } from '../../src/jobs/sql/run.ts';
import type { SqlEngine, SqlReport, SqlUser, SqlWish } from '../../src/rds/sql-wish.ts';
import type { Database } from '../../src/simulator/real/database.ts';
import { mariadb } from '../../src/simulator/real/mariadb.ts';
import { ownServers, type ServerKind } from '../../src/simulator/real/own-servers.ts';
import { postgresql } from '../../src/simulator/real/postgresql.ts';
import { launch, missingPrograms } from '../../src/simulator/real/programs.ts';
import * as kinds from '../../src/simulator/real/server-kinds.ts';
import { type Endpoint, type EngineUnderTest, mysql, postgres } from '../simulator/real-cloud.ts';
import { COMPILED } from '../support/compiled.ts';

export const ROOT_PASSWORD = 'R00t-of-the-cloud';
const SQL_PROGRAM = new URL('../../src/jobs/sql.ts', import.meta.url).pathname;

const ENGINES: Record<SqlEngine, { database: Database; kind: ServerKind; under: EngineUnderTest }> = {
  MySQL: { database: mariadb, kind: kinds.mariadbServer, under: mysql },
  PostgreSQL: { database: postgresql, kind: kinds.postgresqlServer, under: postgres },
};

export const reasonToSkip = (engine: SqlEngine): string | false => {
  const missing = missingPrograms(ENGINES[engine].under.programs);
  return missing.length > 0 ? `programs are missing: ${missing.join(', ')}` : false;
};

/** Statements that change something, by MariaDB's own counters; PostgreSQL gives a number to each transaction that does. */
const WRITES: Record<SqlEngine, (asAdmin: (sql: string) => Promise<string>) => Promise<number>> = {
  async MySQL(asAdmin) {
    const counters = await asAdmin("SHOW GLOBAL STATUS LIKE 'Com\\_%'");
    const kinds =
      /^Com_(alter|call|create|delete|drop|flush|grant|insert|load|rename|replace|revoke|set_password|truncate|update)/;
    const numbers = counters
      .split('\n')
      .filter((line) => kinds.test(line))
      .map((line) => Number(line.split('\t')[1]));
    if (numbers.length < 40 || numbers.some(Number.isNaN)) throw new Error(`no counters: ${counters}`);
    return numbers.reduce((sum, one) => sum + one, 0);
  },
  async PostgreSQL(asAdmin) {
    // Would take a number of its own now and then.
    await asAdmin('ALTER SYSTEM SET autovacuum = off');
    await asAdmin('SELECT pg_reload_conf()');
    return Number(await asAdmin('SELECT pg_snapshot_xmax(pg_current_snapshot())'));
  },
};

export type DeclaredUser = Omit<SqlUser, 'passwordFile'> & { password: string };
export type Declared = {
  databases?: string[];
  users?: DeclaredUser[];
  drop?: Partial<SqlWish['drop']>;
};

export type Run = {
  exitCode: number | null;
  report: SqlReport;
  /** What was changed, as printed. */
  did: string[];
  output: string;
};

export type RealServer = Awaited<ReturnType<typeof startServer>>;

/** A certificate that nobody knows, as the cloud's. */
function certificateIn(folder: string): { key: string; cert: string } {
  const [key, cert] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const wish = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-days', '2', '-subj', '/CN=rds'];
  execFileSync('openssl', [...wish, '-keyout', key, '-out', cert], { stdio: 'ignore' });
  for (const file of [key, cert]) {
    chmodSync(file, 0o600);
    if (process.getuid?.() === 0) chownSync(file, 65534, 65534);
  }
  return { key, cert };
}

/** The same server, refusing whoever comes without TLS. */
function onlyWithTls(engine: SqlEngine, files: { key: string; cert: string }): ServerKind {
  const { kind } = ENGINES[engine];
  return {
    ...kind,
    start(home, port) {
      if (engine === 'MySQL') {
        const tls = [`--ssl-key=${files.key}`, `--ssl-cert=${files.cert}`, '--require-secure-transport=ON'];
        const args = [...kinds.mariadbArguments(home), '--bind-address=127.0.0.1', `--port=${port}`, ...tls];
        return launch('mariadbd', args, { runAs: home.runAs, endsOn: 'TERM' });
      }
      const hba = join(home.data, 'pg_hba.conf');
      writeFileSync(hba, 'hostssl all all 127.0.0.1/32 scram-sha-256\n');
      const settings = ['unix_socket_directories=', 'ssl=on', `ssl_key_file=${files.key}`];
      const args = [...settings, `ssl_cert_file=${files.cert}`].flatMap((one) => ['-c', one]);
      const where = ['-D', home.data, '-h', '127.0.0.1', '-p', String(port)];
      return launch('postgres', [...where, ...args], { runAs: home.runAs, endsOn: 'INT' });
    },
  };
}

export async function startServer(engine: SqlEngine, { tls = false } = {}) {
  const { database, under } = ENGINES[engine];
  const folder = mkdtempSync(join(tmpdir(), 'rds-sql-'));
  const kind = tls ? onlyWithTls(engine, certificateIn(folder)) : ENGINES[engine].kind;
  const supply = ownServers(kind, database, () => {
    const home = join(folder, 'server');
    mkdirSync(home, { recursive: true });
    return home;
  });
  // The unprivileged user of the server must get through.
  chmodSync(folder, 0o755);
  const { admin, belongings } = await supply.take('one');
  const made = { admin, belongings, forwardsFrom: undefined };
  await database.createRoot(made, ROOT_PASSWORD);
  const login = { host: '127.0.0.1', port: admin.port, username: 'root', password: ROOT_PASSWORD };

  const query = (sql: string, as: Partial<Endpoint> = {}): Promise<string> =>
    under.query({ host: '127.0.0.1', port: admin.port, password: ROOT_PASSWORD, ...as }, sql);

  const asAdmin = (sql: string) => query(sql, { user: admin.user, password: admin.password });

  return {
    engine,
    login,
    query,
    asAdmin,
    /** As the cloud resets it. */
    setRootPassword: (password: string) => database.setRootPassword(made, password),
    /** How much was ever written, as the server itself counts it. */
    writes: () => WRITES[engine](asAdmin),
    /** With the very files that the hook gave its Job. */
    runMounted: (files: Record<string, string>) => runHere({ engine, login, declared: {}, files }),
    run: (declared: Declared, more: Partial<RunOptions> = {}) =>
      runHere({ engine, login, declared, ...more }),
    async stop() {
      await supply.close();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

type RunOptions = {
  engine: SqlEngine;
  login: { host: string; port: number; username: string; password: string };
  declared: Declared;
  /** Instead of what is declared: the content of the Job's Secret. */
  files?: Record<string, string>;
  deadlineSeconds?: number;
};

/** What a pod would find mounted. */
function mounted({ engine, login, declared, files: given }: RunOptions) {
  const folder = mkdtempSync(join(tmpdir(), 'rds-sql-job-'));
  const paths = {
    wish: join(folder, 'wish'),
    login: join(folder, 'login'),
    log: join(folder, 'termination-log'),
  };
  mkdirSync(paths.wish);
  mkdirSync(paths.login);
  const users = (declared.users ?? []).map(({ password, ...user }, index) => {
    writeFileSync(join(paths.wish, `password-${index}`), password);
    return { ...user, passwordFile: `password-${index}` };
  });
  const drop = { databases: [], users: [], ...declared.drop };
  const wish: SqlWish = { engine, databases: declared.databases ?? [], users, drop };
  writeFileSync(join(paths.wish, 'wish.json'), JSON.stringify(wish));
  for (const [name, value] of Object.entries(given ?? {})) writeFileSync(join(paths.wish, name), value);
  const files = { ip: login.host, port: `${login.port}`, username: login.username, password: login.password };
  for (const [name, value] of Object.entries(files)) writeFileSync(join(paths.login, name), value);
  return { paths, remove: () => rmSync(folder, { recursive: true, force: true }) };
}

const didIn = (lines: readonly { did?: unknown }[]): string[] =>
  lines.flatMap(({ did }) => (typeof did === 'string' ? [did] : []));

/** Within this process, which spares the start of another. */
async function runHere(options: RunOptions): Promise<Run> {
  const { paths, remove } = mounted(options);
  const lines: Record<string, unknown>[] = [];
  try {
    const { report, exitCode } = await runSql({
      folders: paths,
      deadlineMs: (options.deadlineSeconds ?? 60) * 1_000,
      now: () => performance.now(),
      print: (line) => lines.push(line),
    });
    return {
      exitCode,
      report,
      did: didIn(lines),
      output: lines.map((line) => JSON.stringify(line)).join('\n'),
    };
  } finally {
    remove();
  }
}

/** As a process of its own. */
export async function runSqlProgram(options: RunOptions): Promise<Run> {
  const { paths, remove } = mounted(options);
  const child = spawn(process.execPath, [SQL_PROGRAM], {
    env: {
      ...COMPILED,
      SQL_WISH_DIR: paths.wish,
      SQL_LOGIN_DIR: paths.login,
      TERMINATION_LOG: paths.log,
      SQL_DEADLINE_SECONDS: `${options.deadlineSeconds ?? 60}`,
    },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.setEncoding('utf8').on('data', (text: string) => {
      output += text;
    });
  const exitCode = await new Promise<number | null>((resolve) => child.once('close', resolve));
  try {
    const report: SqlReport = JSON.parse(readFileSync(paths.log, 'utf8'));
    const lines = output.split('\n').filter(Boolean);
    return { exitCode, report, did: didIn(lines.map((line) => JSON.parse(line))), output };
  } catch {
    throw new Error(`no report: ${output}`);
  } finally {
    remove();
  }
}
