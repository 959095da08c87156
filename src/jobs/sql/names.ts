// Which names are never sent to a server: those it would cut, change or read as something else, and those
// that belong to the cloud.

import type { SqlEngine } from '../../rds/sql-wish.ts';

/** Declared, and not carried out: the message says why, and never holds a password. */
export class Refused extends Error {}

const MYSQL_USERS = ['root', 'mysql.sys', 'mysql.session', 'mysql.infoschema', 'mariadb.sys', 'mysql'];
const POSTGRES_ROLES = ['root', 'postgres', 'public', 'none'];
const MYSQL_DATABASES = ['mysql', 'information_schema', 'performance_schema', 'sys'];
const POSTGRES_DATABASES = ['postgres', 'template0', 'template1'];

const encoder = new TextEncoder();

function checkText(kind: string, name: string): void {
  if (name === '') throw new Refused(`${kind} has no name`);
  if (!name.isWellFormed()) throw new Refused(`${kind}: the name is not valid Unicode`);
  // biome-ignore lint/suspicious/noControlCharactersInRegex: these are what is looked for.
  if (/[\u0000-\u001f\u007f-\u009f\u2028\u2029]/.test(name))
    throw new Refused(`${kind}: the name has control characters`);
}

function checkLength(engine: SqlEngine, kind: string, name: string, mysqlMax: number): void {
  if (engine === 'PostgreSQL') {
    // PostgreSQL would cut it without a word.
    if (encoder.encode(name).length > 63)
      throw new Refused(`${kind}: PostgreSQL names have at most 63 bytes, this one has more`);
    return;
  }
  if (/[\u{10000}-\u{10ffff}]/u.test(name))
    throw new Refused(`${kind}: MySQL names cannot hold characters beyond the basic plane`);
  if (name.length > mysqlMax) throw new Refused(`${kind}: MySQL allows ${mysqlMax} characters here`);
  if (name.endsWith(' ')) throw new Refused(`${kind}: MySQL names cannot end with a space`);
}

export function checkDatabaseName(engine: SqlEngine, name: string): void {
  const kind = `database ${JSON.stringify(name)}`;
  checkText(kind, name);
  checkLength(engine, kind, name, 64);
  const reserved = engine === 'MySQL' ? MYSQL_DATABASES : POSTGRES_DATABASES;
  if (reserved.includes(name.toLowerCase())) throw new Refused(`${kind} belongs to the server`);
  if (/^rdsadmin$/i.test(name)) throw new Refused(`${kind} belongs to the cloud`);
  // MySQL reads these two as its own markers.
  if (engine === 'MySQL' && (name.startsWith('#mysql50#') || name === '*'))
    throw new Refused(`${kind}: MySQL reads this name as something else`);
}

export function checkUserName(engine: SqlEngine, name: string): void {
  const kind = `user ${JSON.stringify(name)}`;
  checkText(kind, name);
  checkLength(engine, kind, name, 32);
  const reserved = engine === 'MySQL' ? MYSQL_USERS : POSTGRES_ROLES;
  if (reserved.includes(name.toLowerCase()) || isCloudName(name))
    throw new Refused(`${kind} belongs to the cloud or the server`);
  if (engine === 'PostgreSQL' && /^pg_/i.test(name))
    throw new Refused(`${kind}: names that begin with pg_ belong to the server`);
}

/** Accounts that the cloud keeps for itself on every instance. */
function isCloudName(name: string): boolean {
  return /^(rds(admin|repl|backup|metric|proxy|ddm|root)|drs(full|incremental))$/i.test(name);
}

/** As in `10.9.3.%`, `10.9.3.0/255.255.255.0`, `%.example.com`, `fd00::%`. */
export function checkHost(host: string): void {
  if (!/^[A-Za-z0-9._%:/-]{1,255}$/.test(host))
    throw new Refused(
      `host ${JSON.stringify(host)}: a host pattern has letters, digits and . _ % : / - and nothing else`,
    );
}

export function checkPassword(password: string): void {
  if (password === '') throw new Refused('the password is empty');
  if (password.includes('\0')) throw new Refused('the password has a NUL character');
  if (!password.isWellFormed()) throw new Refused('the password is not valid Unicode');
}
