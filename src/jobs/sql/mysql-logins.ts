// Logins that take turns on MySQL. The declared account holds the rights and is never dropped; the other login gets a
// copy of them. One that is closed is locked and stays: views and routines run as the login that defined them.

import { randomBytes } from 'node:crypto';
import { accountHost, type SqlUser, type SqlWish } from '../../rds/sql-wish.ts';
import type { Login } from './connect.ts';
import { grantHead, isMark, isWord, tokensOf } from './grant-text.ts';
import { applyRights } from './mysql-grants.ts';
import { ALL, GRANT_OPTION, pattern, presentRights, type Rights } from './mysql-rights.ts';
import { accountSql, letsIn, type MysqlSession } from './mysql-session.ts';
import { checkHost, checkPassword, checkUserName, Refused } from './names.ts';
import type { Work } from './work.ts';

type Account = { name: string; host?: string | undefined };
type Passwords = (file: { passwordFile: string }) => string;

export type MysqlServer = {
  session: MysqlSession;
  /** The administrator's, with what is known of the connection. */
  login: Login;
  work: Work;
  passwords: Passwords;
  /** Sets the password of an account, and makes the account where there is none. */
  syncAccount(account: Account, password: string): Promise<void>;
  exists(account: Account): boolean;
};

const other = (user: SqlUser, name: string): Account => ({ name, host: accountHost(user) });

/** The account that the rights are declared for; while another login is current it lets nobody in. */
export async function syncHolder(server: MysqlServer, user: SqlUser): Promise<void> {
  const { session, exists } = server;
  if (!user.logins || user.logins.current === user.name) {
    await server.syncAccount(user, server.passwords(user));
    if (user.logins) await open(session, user);
    return;
  }
  if (exists(user)) return;
  const account = accountSql(user);
  // Nobody knows this password, and the lock would keep out whoever did.
  const unknown = `aA1-${randomBytes(24).toString('base64url')}`;
  const start = `CREATE USER ${account} IDENTIFIED BY`;
  await session.write(`${start} '${unknown}' ACCOUNT LOCK`, `${start} *** ACCOUNT LOCK`);
}

export async function syncCurrent(server: MysqlServer, user: SqlUser): Promise<void> {
  if (!user.logins || user.logins.current === user.name) return;
  await makeLogin(
    server,
    other(user, user.logins.current),
    server.passwords(user),
    await rightsOf(server, user),
  );
}

/** Makes the next login and proves it, or closes the one before. */
export async function turnLogins(server: MysqlServer, user: SqlUser): Promise<void> {
  const { next, close } = user.logins ?? {};
  if (next) {
    const account = other(user, next.login);
    const rights = next.login === user.name ? undefined : await rightsOf(server, user);
    await makeLogin(server, account, server.passwords(next), rights);
    await prove(server, account, server.passwords(next));
  }
  if (close !== undefined) await lock(server, other(user, close));
}

/** The same for those who stand in for the administrator: they get whatever it may hand on. */
export async function turnAdministrators(
  server: MysqlServer,
  { current, next, close }: NonNullable<SqlWish['administrators']>,
): Promise<void> {
  const lines = await grantLines(server.session, 'CURRENT_USER()');
  const rights = new Map([...presentRights(lines)].filter(([, held]) => held.has(GRANT_OPTION)));
  for (const one of [current, next]) {
    if (!one) continue;
    await makeLogin(server, { name: one.login }, server.passwords(one), rights);
    if (one === next) await prove(server, { name: one.login }, server.passwords(one));
  }
  if (close !== undefined) await lock(server, { name: close });
}

async function makeLogin(
  server: MysqlServer,
  account: Account,
  password: string,
  rights: Rights | undefined,
): Promise<void> {
  checkUserName('MySQL', account.name);
  checkHost(accountHost(account));
  checkPassword(password);
  await server.syncAccount(account, password);
  await open(server.session, account);
  if (rights) await applyRights(server.session, account, { rights, exact: true });
}

async function prove({ login, work }: MysqlServer, account: Account, password: string): Promise<void> {
  const timeoutMs = Math.max(1_000, Math.min(10_000, work.remainingMs()));
  if (await letsIn({ ...login, username: account.name, password }, timeoutMs)) return;
  throw new Refused(
    `the server does not let ${account.name} in from here (host ${accountHost(account)}); a login that is not proven is not published`,
  );
}

async function grantLines(session: MysqlSession, account: string): Promise<string[]> {
  const rows = await session.rows(`SHOW GRANTS FOR ${account}`);
  return rows.map((row) => String(Object.values(row)[0] ?? ''));
}

/** Everything that the account may do; what cannot be copied must not be lost by a rotation. */
async function rightsOf({ session }: MysqlServer, user: SqlUser): Promise<Rights> {
  const lines = await grantLines(session, accountSql(user));
  const rights = presentRights(lines);
  const lost = lines.find((line) => !isCopied(line, rights));
  if (lost !== undefined)
    throw new Refused(
      'it has rights that another login cannot get: roles, proxies, and rights on columns or single routines; grant the same on the database instead',
    );
  return rights;
}

function isCopied(line: string, rights: Rights): boolean {
  try {
    const tokens = tokensOf(line);
    const head = grantHead(tokens);
    if (head) return !head.hasColumns;
    const on = tokens.findIndex((token) => isWord(token, 'ON'));
    const isRoutine = ['PROCEDURE', 'FUNCTION'].some((word) => isWord(tokens[on + 1], word));
    if (!isRoutine || !isMark(tokens[on + 3], '.')) return false;
    const database = tokens[on + 2]?.text ?? '';
    // Whoever makes a routine gets rights on it; where the whole database is open these add nothing.
    return [`${pattern(database)}.*`, '*.*'].some((target) => {
      const held = rights.get(target);
      return held?.has(ALL) || (held?.has('EXECUTE') && held.has('ALTER ROUTINE'));
    });
  } catch {
    return false;
  }
}

async function isLocked(session: MysqlSession, account: Account): Promise<boolean> {
  const [row] = await session.rows(`SHOW CREATE USER ${accountSql(account)}`);
  const text = String(Object.values(row ?? {})[0] ?? '');
  return /\bACCOUNT\s+LOCK\b/i.test(text.replace(/'(?:[^'\\]|\\.|'')*'|`(?:[^`]|``)*`/g, '?'));
}

async function open(session: MysqlSession, account: Account): Promise<void> {
  if (await isLocked(session, account))
    await session.write(`ALTER USER ${accountSql(account)} ACCOUNT UNLOCK`);
}

async function lock({ session, exists }: MysqlServer, account: Account): Promise<void> {
  checkUserName('MySQL', account.name);
  if (!exists(account) || (await isLocked(session, account))) return;
  await session.write(`ALTER USER ${accountSql(account)} ACCOUNT LOCK`);
}
