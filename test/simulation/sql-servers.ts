// The database servers behind the modelled instances, as far as a SQL Job changes them: databases, users, rights.

import type { SqlReport, SqlUser, SqlWish } from '../../src/rds/sql-wish.ts';
import { accountLabel } from '../../src/rds/sql-wish.ts';
import type { Instance, SimCloud } from './cloud.ts';

export type Account = { password: string; grants: string };

export type ServerLogin = { password: string; isOpen: boolean };

/** What happened to a login. */
export type LoginChange = {
  instanceId: string;
  login: string;
  before: ServerLogin | undefined;
  after: ServerLogin;
};

export type Server = {
  databases: Set<string>;
  users: Map<string, Account>;
  /** By name, with those that take turns. */
  logins: Map<string, ServerLogin>;
  /** Every password that an account ever had. */
  passwords: Map<string, Set<string>>;
};

export type Login = { ip: string; password: string };

const DONE: SqlReport = { changed: 0, failures: [], more: 0 };
const UP: ReadonlySet<string> = new Set(['ACTIVE', 'MODIFYING', 'BACKING UP', 'REBOOTING']);

export type SqlServers = ReturnType<typeof createSqlServers>;

export function createSqlServers(cloud: SimCloud) {
  const servers = new Map<string, Server>();

  const serverOf = ({ id }: Pick<Instance, 'id'>): Server => {
    const known = servers.get(id) ?? {
      databases: new Set(),
      users: new Map(),
      logins: new Map(),
      passwords: new Map(),
    };
    servers.set(id, known);
    return known;
  };

  function setPassword(server: Server, account: string, password: string): void {
    const ever = server.passwords.get(account) ?? new Set();
    server.passwords.set(account, ever.add(password));
  }

  function makeUser(server: Server, account: string, user: SqlUser, password: string): void {
    const before = server.users.get(account);
    server.users.set(account, {
      password,
      grants: user.grants === undefined ? (before?.grants ?? '') : rightsOf(user.grants),
    });
    setPassword(server, account, password);
  }

  const listeners: ((change: LoginChange) => void)[] = [];

  function setLogin(instance: Pick<Instance, 'id'>, login: string, after: ServerLogin): void {
    const { logins } = serverOf(instance);
    const before = logins.get(login);
    if (before?.password === after.password && before.isOpen === after.isOpen) return;
    logins.set(login, after);
    for (const listener of listeners) listener({ instanceId: instance.id, login, before, after });
  }

  type Turn = { login: string; passwordFile: string };

  function turn(
    instance: Pick<Instance, 'id'>,
    {
      current,
      next,
      close,
    }: { current?: Turn | undefined; next?: Turn | undefined; close?: string | undefined },
    passwords: (file: string) => string,
  ): void {
    for (const one of [current, next])
      if (one) setLogin(instance, one.login, { password: passwords(one.passwordFile), isOpen: true });
    const closing = close === undefined ? undefined : serverOf(instance).logins.get(close);
    if (close !== undefined && closing) setLogin(instance, close, { ...closing, isOpen: false });
  }

  function turnAll(
    instance: Pick<Instance, 'id'>,
    { users, administrators }: SqlWish,
    passwords: (file: string) => string,
    refused: SqlUser | undefined,
  ): void {
    for (const { name, logins, passwordFile } of users.filter((one) => one !== refused)) {
      const current = { login: logins?.current ?? name, passwordFile };
      turn(instance, { ...logins, current }, passwords);
    }
    if (administrators) turn(instance, administrators, passwords);
  }

  function make(
    server: Server,
    { engine, databases, users, drop }: SqlWish,
    passwords: (file: string) => string,
    refused: SqlUser | undefined,
  ): void {
    for (const name of databases) server.databases.add(name);
    for (const user of users.filter((one) => one !== refused))
      makeUser(server, accountLabel(engine, user), user, passwords(user.passwordFile));
    for (const user of drop.users) server.users.delete(accountLabel(engine, user));
    for (const name of drop.databases) server.databases.delete(name);
  }

  const find = ({ ip }: Login) => Object.values(cloud.world().instances).find((one) => one.ip === ip);

  return {
    serverOf,
    onLogin: (listener: (change: LoginChange) => void) => void listeners.push(listener),
    letsIn(id: string | undefined, login: string, password: string): boolean {
      const known = id === undefined ? undefined : servers.get(id)?.logins.get(login);
      return known?.isOpen === true && known.password === password;
    },
    /** undefined: the server lets this login in. */
    whyDenied(login: Login): string | undefined {
      const instance = find(login);
      if (!instance || !UP.has(instance.status)) return 'the server does not answer';
      return instance.password === login.password ? undefined : 'Access denied for user root';
    },
    /** As one piece: on the real servers a lock keeps two Jobs apart. `refuses`: one account gets an error. */
    carryOut(wish: SqlWish, passwords: (file: string) => string, login: Login, refuses: boolean): SqlReport {
      const instance = find(login);
      if (!instance || !UP.has(instance.status)) return { ...DONE, fatal: 'the server does not answer' };
      if (instance.password !== login.password) return { ...DONE, fatal: 'Access denied for user root' };
      const refused = refuses ? wish.users[0] : undefined;
      make(serverOf(instance), wish, passwords, refused);
      turnAll(instance, wish, passwords, refused);
      const failures = refused
        ? [{ what: `user ${accountLabel(wish.engine, refused)}`, why: 'the server said no' }]
        : [];
      return { ...DONE, changed: 1, failures };
    },
  };
}

/** Whatever the order in which they are written. */
export function rightsOf(grants: NonNullable<SqlUser['grants']>): string {
  return grants
    .map(({ database, privileges }) => `${database}: ${[...privileges].sort().join(' ')}`)
    .sort()
    .join('; ');
}
