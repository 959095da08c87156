// Starting MariaDB and PostgreSQL from the binaries of Debian's packages.
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Home, ServerKind } from './own-servers.ts';
import { launch, run } from './programs.ts';

export const MARIADB_CLIENTS = ['mariadb', 'mariadb-dump'];
export const MARIADB_SERVER = ['mariadbd', 'mariadb-install-db'];
export const POSTGRESQL_CLIENTS = ['psql', 'pg_dump', 'pg_dumpall', 'pg_restore'];
export const POSTGRESQL_SERVER = ['postgres', 'initdb'];

const ADMIN = 'rdsAdmin';

/** A server that starts removes the temporary tables it finds: in a common folder those of another one, which then fails. */
const mariadbPlaces = ({ data, temporary }: Home): string[] => [
  '--no-defaults',
  `--datadir=${data}`,
  `--tmpdir=${temporary}`,
];

export const mariadbArguments = (home: Home): string[] => [
  ...mariadbPlaces(home),
  `--socket=${join(home.folder, 'socket')}`,
  `--pid-file=${join(home.folder, 'pid')}`,
  '--skip-name-resolve',
  '--innodb-buffer-pool-size=32M',
  '--innodb-log-file-size=16M',
];

export const mariadbServer: ServerKind = {
  admin: ADMIN,
  stopSignal: 'SIGTERM',
  async initialise(home, password) {
    const { runAs } = home;
    const args = ['--skip-test-db', '--auth-root-authentication-method=normal'];
    await run('mariadb-install-db', [...mariadbPlaces(home), ...args], { runAs });
    // The package's own accounts go: `root` is the instance's, at any host.
    const sql = `FLUSH PRIVILEGES;
CREATE USER '${ADMIN}'@'127.0.0.1' IDENTIFIED BY '${password}';
GRANT ALL PRIVILEGES ON *.* TO '${ADMIN}'@'127.0.0.1' WITH GRANT OPTION;
DELETE FROM mysql.global_priv WHERE User IN ('root', '') OR Host = 'localhost' AND User NOT IN ('${ADMIN}', 'mariadb.sys');
FLUSH PRIVILEGES;
`;
    await run('mariadbd', [...mariadbArguments(home), '--bootstrap'], { runAs, input: sql });
  },
  start(home, port) {
    const args = [...mariadbArguments(home), '--bind-address=127.0.0.1', `--port=${port}`];
    return launch('mariadbd', args, { runAs: home.runAs, endsOn: 'TERM' });
  },
};

export const postgresqlServer: ServerKind = {
  admin: ADMIN,
  stopSignal: 'SIGINT',
  async initialise({ data, folder, runAs }, password) {
    const file = join(folder, 'new-password');
    await writeFile(file, password, { mode: 0o644 });
    const args = ['--auth=scram-sha-256', '--encoding=UTF8', '--locale=C.UTF-8', '--no-sync'];
    await run('initdb', [`--pgdata=${data}`, `--username=${ADMIN}`, `--pwfile=${file}`, ...args], { runAs });
    await writeFile(file, '');
  },
  start({ data, runAs }, port) {
    const args = ['-D', data, '-h', '127.0.0.1', '-p', String(port), '-c', 'unix_socket_directories='];
    return launch('postgres', args, { runAs, endsOn: 'INT' });
  },
};
