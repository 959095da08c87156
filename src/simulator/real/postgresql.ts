// PostgreSQL through its own clients: one server, one instance, one `root` that is no superuser.
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Database, Login, Server } from './database.ts';
import { ROOT } from './database.ts';
import { run } from './programs.ts';

const connection = ({ user, host, port }: Login): string[] => [
  '--no-password',
  `--host=${host}`,
  `--port=${port}`,
  `--username=${user}`,
];

const secret = ({ password }: Login) => ({ PGPASSWORD: password, PGCONNECT_TIMEOUT: '60' });

const execute = (login: Login, sql: string, database = 'postgres'): Promise<string> =>
  run(
    'psql',
    [
      ...connection(login),
      `--dbname=${database}`,
      '--no-psqlrc',
      '--quiet',
      '--tuples-only',
      '--no-align',
      '--set=ON_ERROR_STOP=1',
    ],
    { env: secret(login), input: sql },
  );

const rows = async (login: Login, sql: string): Promise<string[]> =>
  (await execute(login, sql)).split('\n').filter((line) => line !== '');

const quoted = (text: string): string => `'${text.replace(/'/g, "''")}'`;
const named = (name: string): string => `"${name.replace(/"/g, '""')}"`;

const databasesOf = (login: Login): Promise<string[]> =>
  rows(login, "SELECT datname FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY 1");

const rolesOf = (login: Login): Promise<string[]> =>
  rows(login, "SELECT rolname FROM pg_roles WHERE rolname NOT LIKE 'pg\\_%' ORDER BY 1");

type Owned = { name: string; owner: string; encoding: string; collate: string; ctype: string };

async function own(server: Server): Promise<{ databases: Owned[]; roles: string[] }> {
  const found = await rows(
    server.admin,
    `SELECT json_build_object('name', datname, 'owner', pg_get_userbyid(datdba),
       'encoding', pg_encoding_to_char(encoding), 'collate', datcollate, 'ctype', datctype)
     FROM pg_database WHERE NOT datistemplate AND datname <> 'postgres' ORDER BY datname`,
  );
  const databases = found.map((row): Owned => JSON.parse(row));
  const { belongings, admin } = server;
  return {
    databases: databases.filter(({ name }) => !belongings.databases.includes(name)),
    roles: (await rolesOf(admin)).filter((role) => !belongings.users.includes(role) && role !== ROOT),
  };
}

/** Role lines of the instance's own logins: root has the password that the API says, the others are not ours. */
const isOwnRoleLine = (line: string, foreign: readonly string[]): boolean => {
  const role = /^(?:CREATE|ALTER) ROLE ("(?:[^"]|"")+"|\S+?)(?:;| )/.exec(line)?.[1];
  const plain = role?.startsWith('"') ? role.slice(1, -1).replace(/""/g, '"') : role;
  return plain !== undefined && plain !== ROOT && !foreign.includes(plain);
};

async function roleStatements(server: Server, roles: readonly string[]): Promise<string> {
  const all = await run('pg_dumpall', [...connection(server.admin), '--roles-only'], {
    env: secret(server.admin),
  });
  const made = all.split('\n').filter((line) => isOwnRoleLine(line, server.belongings.users));
  const list = [...roles, ROOT].map(quoted).join(', ');
  const memberships = await rows(
    server.admin,
    `SELECT format('GRANT %I TO %I%s;', g.rolname, m.rolname, CASE WHEN bool_or(a.admin_option) THEN ' WITH ADMIN OPTION' ELSE '' END)
     FROM pg_auth_members a JOIN pg_roles g ON g.oid = a.roleid JOIN pg_roles m ON m.oid = a.member
     WHERE m.rolname IN (${list}) GROUP BY g.rolname, m.rolname ORDER BY 1`,
  );
  return `${[...made, ...memberships].join('\n')}\n`;
}

/** Cuts its connections, else it cannot be dropped. */
const dropDatabase = (admin: Login, name: string): Promise<string> =>
  execute(admin, `DROP DATABASE IF EXISTS ${named(name)} WITH (FORCE)`);

export const postgresql: Database = {
  async survey(admin) {
    const [databases, users] = await Promise.all([databasesOf(admin), rolesOf(admin)]);
    return { databases, users };
  },

  async createRoot(server, password) {
    if (server.belongings.users.includes(ROOT))
      throw new Error(
        `The PostgreSQL server has a role ${ROOT} already, which an instance needs: drop it, or give another server.`,
      );
    await execute(
      server.admin,
      `CREATE ROLE ${ROOT} LOGIN NOSUPERUSER CREATEDB CREATEROLE PASSWORD ${quoted(password)};
       GRANT pg_monitor, pg_signal_backend TO ${ROOT};`,
    );
  },

  async logIn(login) {
    await execute(login, 'SELECT 1');
  },

  async setRootPassword(server, password) {
    await execute(server.admin, `ALTER ROLE ${ROOT} PASSWORD ${quoted(password)}`);
  },

  async clear(server, keeps) {
    const { admin } = server;
    const { databases, roles } = await own(server);
    for (const { name } of databases) await dropDatabase(admin, name);
    const leaving = keeps.root ? roles : [...roles, ROOT];
    const known = await rolesOf(admin);
    for (const role of leaving)
      if (known.includes(role))
        await execute(admin, `DROP OWNED BY ${named(role)} CASCADE; DROP ROLE ${named(role)};`);
  },

  async dump(server, folder, only) {
    const { databases, roles } = await own(server);
    const wanted = databases.filter(({ name }) => !only || only.includes(name));
    for (const [index, { name }] of wanted.entries())
      await run(
        'pg_dump',
        [...connection(server.admin), '--format=custom', `--file=${join(folder, `${index}.dump`)}`, name],
        { env: secret(server.admin) },
      );
    await writeFile(join(folder, 'roles.sql'), await roleStatements(server, roles));
    await writeFile(join(folder, 'databases.json'), JSON.stringify(wanted));
  },

  async load(server, folder) {
    const { admin } = server;
    await execute(admin, await readFile(join(folder, 'roles.sql'), 'utf8'));
    const databases: Owned[] = JSON.parse(await readFile(join(folder, 'databases.json'), 'utf8'));
    for (const [index, { name, owner, encoding, collate, ctype }] of databases.entries()) {
      await execute(
        admin,
        `CREATE DATABASE ${named(name)} OWNER ${named(owner)} TEMPLATE template0 ENCODING ${quoted(encoding)}
           LC_COLLATE ${quoted(collate)} LC_CTYPE ${quoted(ctype)}`,
      );
      await run(
        'pg_restore',
        [...connection(admin), '--exit-on-error', `--dbname=${name}`, join(folder, `${index}.dump`)],
        { env: secret(admin) },
      );
    }
  },
};
