// What holds on both engines: fresh, repeated, changed, and with whatever names and passwords people think of.

import type { Test } from 'tap';
import type { SqlEngine } from '../../src/rds/sql-wish.ts';
import {
  type Declared,
  type DeclaredUser,
  type RealServer,
  ROOT_PASSWORD,
  runSqlProgram,
  startServer,
} from './real-server.ts';

export type Client = {
  /** Logs in and runs statements; throws when either is refused. */
  as(
    login: { user: string; password: string; database?: string },
    ...statements: string[]
  ): Promise<unknown[]>;
};

export const NOTHING_DONE = { exitCode: 0, did: [], report: { changed: 0, failures: [] } };

export const user = (
  name: string,
  password: string,
  grants: Record<string, string[]> = {},
  more: Partial<DeclaredUser> = {},
): DeclaredUser => ({
  name,
  password,
  grants: Object.entries(grants).map(([database, privileges]) => ({ database, privileges })),
  ...more,
});

export async function passwordChange(t: Test, server: RealServer, client: Client): Promise<void> {
  const declared = (password: string) => ({ users: [user('changing', password)] });
  await server.run(declared('First-pass1'));
  await client.as({ user: 'changing', password: 'First-pass1' }, 'SELECT 1');
  const changed = await server.run(declared('Second-pass2'));
  t.equal(changed.report.changed, 1);
  t.notMatch(changed.output, /First-pass1|Second-pass2/, 'no password is printed');
  await client.as({ user: 'changing', password: 'Second-pass2' }, 'SELECT 1');
  await t.rejects(
    client.as({ user: 'changing', password: 'First-pass1' }, 'SELECT 1'),
    'the old one is refused',
  );
  t.match(await server.run(declared('Second-pass2')), NOTHING_DONE);
}

/** The Job says that it wrote nothing, and the server has counted nothing. */
export async function onlyReads(t: Test, server: RealServer, declared: Declared): Promise<void> {
  const before = await server.writes();
  t.match(await server.run(declared), NOTHING_DONE, 'again: no statement that writes');
  t.equal(await server.writes(), before, 'nor did the server count any');
  const more = { ...declared, databases: [...(declared.databases ?? []), 'counted'] };
  t.equal((await server.run(more)).exitCode, 0);
  t.ok((await server.writes()) > before, 'which it does when there is something to write');
}

/** Passwords that would break a statement, a quote or a shell. */
const HOSTILE_PASSWORDS = [
  `it's`,
  `'; DROP DATABASE canary; -- `,
  `back\\slash\\`,
  `\\'; DROP DATABASE canary; #`,
  `"double" \`tick\``,
  '100%_?$$$1 :name ?? ??',
  'ünïcödé 日本語 😀',
  ' leading and trailing ',
  'new\nline\ttab',
  'x'.repeat(128),
  '$(reboot) $HOME `id`',
];

export async function hostilePasswords(t: Test, server: RealServer, client: Client): Promise<void> {
  const users = HOSTILE_PASSWORDS.map((password, index) => user(`hostile${index}`, password));
  const fresh = await server.run({ databases: ['canary'], users });
  t.match(fresh, { exitCode: 0, report: { failures: [] } });
  for (const { name, password } of users) {
    await client.as({ user: name, password }, 'SELECT 1');
    t.notOk(fresh.output.includes(JSON.stringify(password).slice(1, -1)), `not printed: ${name}`);
  }
  t.match(await server.run({ databases: ['canary'], users }), NOTHING_DONE);
}

/** In 20 databases: one user each with ALL, nine who read and write. */
export async function manyUsers(t: Test, server: RealServer): Promise<void> {
  const databases = Array.from({ length: 20 }, (_, index) => `many_${index}`);
  const users = Array.from({ length: 200 }, (_, index) =>
    user(`many${index}`, `Pass-of-${index}`, {
      [`many_${index % 20}`]: index < 20 ? ['ALL'] : ['SELECT', 'INSERT', 'UPDATE', 'DELETE'],
    }),
  );
  const timed = async () => {
    const startedAt = performance.now();
    const { exitCode, report } = await server.run({ databases, users }, { deadlineSeconds: 600 });
    return { exitCode, changed: report.changed, seconds: (performance.now() - startedAt) / 1_000 };
  };
  const fresh = await timed();
  const again = await timed();
  t.comment(
    `200 users in 20 databases: ${fresh.seconds.toFixed(1)} s (${fresh.changed} statements), again ${again.seconds.toFixed(1)} s`,
  );
  t.equal(fresh.exitCode, 0);
  t.match(again, { exitCode: 0, changed: 0 });
}

export async function unreachable(t: Test, server: RealServer): Promise<void> {
  const { engine, login } = server;
  const declared = { databases: ['never'] };
  const wrong = await runSqlProgram({
    engine,
    login: { ...login, password: 'Wr0ng-password' },
    declared,
    deadlineSeconds: 10,
  });
  t.equal(wrong.exitCode, 1);
  t.match(wrong.report, { changed: 0, fatal: /refuses the login of the administrator/ });
  t.notMatch(wrong.output, /Wr0ng-password/);
  const silent = await runSqlProgram({ engine, login: { ...login, port: 9 }, declared, deadlineSeconds: 3 });
  t.match(silent, { exitCode: 1, report: { fatal: /does not answer/ } });
}

/** The Job may be there before the server is. */
export async function slowStart(t: Test, engine: SqlEngine): Promise<void> {
  const { createServer } = await import('node:net');
  const port = await new Promise<number>((resolve) => {
    const probe = createServer().listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address ? address.port : 0));
    });
  });
  const login = { host: '127.0.0.1', port, username: 'root', password: ROOT_PASSWORD };
  const running = runSqlProgram({ engine, login, declared: { databases: ['early'] }, deadlineSeconds: 300 });
  const server = await startServer(engine);
  t.teardown(() => server.stop());
  const { connect } = await import('node:net');
  const forward = createServer((from) => {
    const to = connect(server.login.port, '127.0.0.1');
    for (const [one, other] of [
      [from, to],
      [to, from],
    ] as const)
      one.on('error', () => other.destroy()).pipe(other);
  });
  await new Promise<void>((resolve) => forward.listen(port, '127.0.0.1', resolve));
  t.teardown(() => new Promise<void>((resolve) => forward.close(() => resolve())));
  t.match(await running, { exitCode: 0, report: { failures: [] } });
}

/** Takes the connection and says nothing, or nothing more after the greeting: the Job ends by itself, with a report. */
export async function silentServer(t: Test, server: RealServer): Promise<void> {
  const { engine, login } = server;
  const { connect, createServer } = await import('node:net');
  for (const bytes of [0, 200]) {
    const proxy = createServer((from) => {
      const to = connect(login.port, login.host);
      let left = bytes;
      to.on('data', (chunk) => {
        const part = chunk.subarray(0, left);
        left -= part.length;
        if (part.length > 0) from.write(part);
      });
      from.on('data', (chunk) => to.write(chunk));
      for (const [one, other] of [
        [from, to],
        [to, from],
      ] as const)
        one.on('error', () => other.destroy()).on('close', () => other.destroy());
    });
    const port = await new Promise<number>((resolve) => {
      proxy.listen(0, '127.0.0.1', () => resolve((proxy.address() as { port: number }).port));
    });
    const declared = { databases: ['silent'] };
    const run = await runSqlProgram({ engine, login: { ...login, port }, declared, deadlineSeconds: 3 });
    t.match(
      run,
      { exitCode: 1, report: { changed: 0, fatal: /\S/ } },
      `after ${bytes} bytes: ${run.report.fatal}`,
    );
    await new Promise<void>((resolve) => proxy.close(() => resolve()));
  }
}

export async function onlyTls(t: Test, engine: SqlEngine): Promise<void> {
  const server = await startServer(engine, { tls: true });
  t.teardown(() => server.stop());
  const declared = { databases: ['safe'], users: [user('app', 'App-12345', { safe: ['ALL'] })] };
  t.match(await server.run(declared), { exitCode: 0, report: { failures: [] } });
  t.match(await server.run(declared), NOTHING_DONE);
}
