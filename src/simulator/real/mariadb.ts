// MariaDB through its own clients. It plays MySQL: one server, one instance, one `root` without SUPER.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Login, Server } from './database.ts';
import { ROOT } from './database.ts';
import { run } from './programs.ts';

/** What the cloud's root has not: SUPER, what MariaDB split off it, and the rights on the machine. */
const WITHHELD = [
  'SUPER, FILE, SHUTDOWN, CREATE TABLESPACE, SET USER, CONNECTION ADMIN, FEDERATED ADMIN, READ_ONLY ADMIN',
  'BINLOG ADMIN, BINLOG REPLAY, REPLICATION MASTER ADMIN, REPLICATION SLAVE ADMIN, REPLICA MONITOR',
].join(', ');

const SYSTEM_DATABASES = ['information_schema', 'performance_schema', 'mysql', 'sys'];

const connection = ({ user, host, port }: Login): string[] => [
  '--no-defaults',
  '--protocol=tcp',
  `--host=${host}`,
  `--port=${port}`,
  `--user=${user}`,
];

const secret = ({ password }: Login) => ({ MYSQL_PWD: password });

const execute = (login: Login, sql: string): Promise<string> =>
  run('mariadb', [...connection(login), '--batch', '--raw', '--skip-column-names'], {
    env: secret(login),
    input: sql,
  });

const rows = async (login: Login, sql: string): Promise<string[]> =>
  (await execute(login, sql)).split('\n').filter((line) => line !== '');

const quoted = (text: string): string => `'${text.replace(/\\/g, '\\\\').replace(/'/g, "\\'")}'`;
const named = (name: string): string => `\`${name.replace(/`/g, '``')}\``;

const rootOf = (server: Server): string => `${quoted(ROOT)}@${quoted(server.forwardsFrom ?? '%')}`;

const databasesOf = async (login: Login): Promise<string[]> =>
  (await rows(login, 'SHOW DATABASES')).filter((name) => !SYSTEM_DATABASES.includes(name));

/** As `'name'@'host'`; a role has no host and is told by an R. */
const usersOf = (login: Login): Promise<string[]> =>
  rows(
    login,
    "SELECT IF(is_role = 'Y', CONCAT('R ', QUOTE(user)), CONCAT('U ', QUOTE(user), '@', QUOTE(host))) FROM mysql.user ORDER BY 1",
  );

async function own(server: Server): Promise<{ databases: string[]; users: string[] }> {
  const [databases, users] = await Promise.all([databasesOf(server.admin), usersOf(server.admin)]);
  return {
    databases: databases.filter((name) => !server.belongings.databases.includes(name)),
    users: users.filter((user) => !server.belongings.users.includes(user) && user !== `U ${rootOf(server)}`),
  };
}

/** The statements that make the logins of the instance again, passwords as hashes. */
async function userStatements(server: Server, users: readonly string[]): Promise<string[]> {
  const statements: string[] = [];
  for (const user of users) {
    const name = user.slice(2);
    if (user.startsWith('R ')) statements.push(`CREATE ROLE ${name}`);
    else statements.push(...(await rows(server.admin, `SHOW CREATE USER ${name}`)));
    statements.push(...(await rows(server.admin, `SHOW GRANTS FOR ${name}`)));
  }
  // Grants name roles, so everyone is made before anything is granted.
  return [...statements.filter(isMaking), ...statements.filter((statement) => !isMaking(statement))];
}

const isMaking = (statement: string): boolean => statement.startsWith('CREATE ');

export const mariadb: Database = {
  async survey(admin) {
    const [databases, users] = await Promise.all([databasesOf(admin), usersOf(admin)]);
    return { databases, users };
  },

  async createRoot(server, password) {
    const root = rootOf(server);
    await execute(
      server.admin,
      `${server.forwardsFrom ? 'CREATE OR REPLACE' : 'CREATE'} USER ${root} IDENTIFIED BY ${quoted(password)};
       GRANT ALL PRIVILEGES ON *.* TO ${root} WITH GRANT OPTION;
       REVOKE ${WITHHELD} ON *.* FROM ${root};`,
    );
  },

  async logIn(login) {
    await execute(login, 'SELECT 1');
  },

  async setRootPassword(server, password) {
    await execute(server.admin, `ALTER USER ${rootOf(server)} IDENTIFIED BY ${quoted(password)}`);
  },

  async clear(server, keeps) {
    const { databases, users } = await own(server);
    const statements = [
      ...databases.map((name) => `DROP DATABASE IF EXISTS ${named(name)}`),
      ...users.map((user) => `DROP ${user.startsWith('R ') ? 'ROLE' : 'USER'} IF EXISTS ${user.slice(2)}`),
      ...(keeps.root ? [] : [`DROP USER IF EXISTS ${rootOf(server)}`]),
    ];
    if (statements.length > 0) await execute(server.admin, `${statements.join(';\n')};`);
  },

  async dump(server, folder, only) {
    const { databases, users } = await own(server);
    const wanted = databases.filter((name) => !only || only.includes(name));
    const file = join(folder, 'databases.sql');
    const content = ['--single-transaction', '--routines', '--events', '--triggers', '--hex-blob'];
    const args = [...connection(server.admin), ...content, '--databases', ...wanted];
    if (wanted.length === 0) await writeFile(file, '');
    else await run('mariadb-dump', args, { env: secret(server.admin), outputFile: file });
    const logins = await userStatements(server, users);
    await writeFile(join(folder, 'users.sql'), logins.map((statement) => `${statement};\n`).join(''));
  },

  async load(server, folder) {
    const inputFile = join(folder, 'databases.sql');
    await run('mariadb', connection(server.admin), { env: secret(server.admin), inputFile });
    await execute(server.admin, await readFile(join(folder, 'users.sql'), 'utf8'));
  },
};
