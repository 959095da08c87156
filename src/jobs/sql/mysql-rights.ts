// The rights of a MySQL user as data: what is wanted, from both ways to write it, and what SHOW GRANTS tells.

import { accountHost, type SqlUser } from '../../rds/sql-wish.ts';
import { type GrantHead, grantHead, isMark, isWord, type Token, tokensOf } from './grant-text.ts';
import { checkDatabaseName, Refused } from './names.ts';

/** Target as SQL, such as `shop`.* or *.*, to privileges in upper case. */
export type Rights = Map<string, Set<string>>;

export const ALL = 'ALL PRIVILEGES';
export const GRANT_OPTION = 'GRANT OPTION';
const EVERYTHING = '*.*';

const IN_DATABASE = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'REFERENCES',
  'INDEX',
  'ALTER',
  'CREATE TEMPORARY TABLES',
  'LOCK TABLES',
  'EXECUTE',
  'CREATE VIEW',
  'SHOW VIEW',
  'CREATE ROUTINE',
  'ALTER ROUTINE',
  'EVENT',
  'TRIGGER',
  GRANT_OPTION,
  ALL,
];
const IN_TABLE = [
  'SELECT',
  'INSERT',
  'UPDATE',
  'DELETE',
  'CREATE',
  'DROP',
  'REFERENCES',
  'INDEX',
  'ALTER',
  'CREATE VIEW',
  'SHOW VIEW',
  'TRIGGER',
  GRANT_OPTION,
  ALL,
];
const EVERYWHERE = [
  ...IN_DATABASE,
  'PROCESS',
  'RELOAD',
  'SHOW DATABASES',
  'REPLICATION CLIENT',
  'REPLICATION SLAVE',
  'CREATE USER',
];

export const identifier = (name: string): string => `\`${name.replaceAll('`', '``')}\``;

/** In a GRANT the name of a database is a pattern: without a backslash app_1 would mean appX1 too. */
export const pattern = (name: string): string => identifier(name.replace(/[\\_%]/g, (char) => `\\${char}`));

type Scope = { database: string | undefined; table: string | undefined };

function targetSql({ database, table }: Scope): string {
  if (database === undefined) return EVERYTHING;
  // With a table the name of the database is no pattern.
  return table === undefined ? `${pattern(database)}.*` : `${identifier(database)}.${identifier(table)}`;
}

function privilege(text: string, { database, table }: Scope): string {
  const plain = text.trim().replace(/\s+/g, ' ').toUpperCase();
  const name = plain === 'ALL' ? ALL : plain;
  const known = database === undefined ? EVERYWHERE : table === undefined ? IN_DATABASE : IN_TABLE;
  if (!known.includes(name)) throw new Refused(`there is no privilege ${JSON.stringify(text)} for this`);
  return name;
}

function add(rights: Rights, scope: Scope, privileges: readonly string[]): void {
  if (scope.database !== undefined) checkDatabaseName('MySQL', scope.database);
  const target = targetSql(scope);
  const known = rights.get(target) ?? new Set<string>();
  for (const text of privileges) known.add(privilege(text, scope));
  if (known.has(ALL)) for (const name of known) if (name !== ALL && name !== GRANT_OPTION) known.delete(name);
  rights.set(target, known);
}

export type WantedRights = {
  rights: Rights;
  /** Rights that are not wanted are taken away; only where the new form says what is wanted. */
  exact: boolean;
};

/** `lower`: the server keeps names of databases in lower case. */
export function wantedRights(user: SqlUser, lower: boolean): WantedRights {
  const rights: Rights = new Map();
  const named = (name: string | undefined) => (lower ? name?.toLowerCase() : name);
  (user.privileges ?? []).forEach((text, index) => {
    // The statement itself is not repeated: it may hold a password.
    const head = inPlace(`privileges[${index}]`, () => plainGrant(text, user));
    const scope = { database: named(head.database), table: named(head.table) };
    inPlace(`privileges[${index}]`, () => add(rights, scope, head.privileges));
  });
  (user.grants ?? []).forEach(({ database, privileges }, index) => {
    const scope = { database: database === '*' ? undefined : named(database), table: undefined };
    inPlace(`grants[${index}]`, () => add(rights, scope, privileges));
  });
  return { rights, exact: user.grants !== undefined };
}

function inPlace<T>(place: string, read: () => T): T {
  try {
    return read();
  } catch (error) {
    if (error instanceof Refused) throw new Refused(`${place} is refused: ${error.message}`);
    throw error;
  }
}

/** One plain GRANT to this very user, and nothing else. */
export function plainGrant(text: string, user: Pick<SqlUser, 'name' | 'host'>): GrantHead {
  const tokens = tokensOf(text);
  if (isMark(tokens.at(-1), ';')) tokens.pop();
  if (tokens.some((token) => isMark(token, ';'))) throw new Refused('it holds more than one statement');
  const head = grantHead(tokens);
  if (!head) throw new Refused('only GRANT … ON database.* TO user can be used here');
  if (head.hasColumns) throw new Refused('rights on columns are not supported');
  const rest = checkAccount(head.rest, user);
  const withOption =
    rest.length === 3 && ['WITH', 'GRANT', 'OPTION'].every((word, index) => isWord(rest[index], word));
  if (rest.length > 0 && !withOption)
    throw new Refused(
      'after the user only WITH GRANT OPTION may follow; the password has a field of its own',
    );
  const database = head.database === undefined ? undefined : plainName(head.database, head.table);
  return { ...head, database, privileges: withOption ? [...head.privileges, GRANT_OPTION] : head.privileges };
}

/** `\_` stands for a plain character; a pattern for several databases is not a name. */
function plainName(database: string, table: string | undefined): string {
  if (table !== undefined) return database;
  if (/(^|[^\\])%/.test(database)) throw new Refused('a pattern for several databases cannot be used here');
  return database.replace(/\\([\\_%])/g, '$1');
}

function checkAccount(tokens: Token[], user: Pick<SqlUser, 'name' | 'host'>): Token[] {
  const [name, at, host] = tokens;
  const isText = (token: Token | undefined) => token?.kind === 'word' || token?.kind === 'quoted';
  if (!isText(name)) throw new Refused('there is no user after TO');
  const hasHost = isMark(at, '@');
  if (hasHost && !isText(host)) throw new Refused('there is no host after @');
  const given = { name: name?.text, host: hasHost ? host?.text : undefined };
  if (given.name !== user.name || accountHost(given) !== accountHost(user))
    throw new Refused('it is for another user than the one it stands under');
  return tokens.slice(hasHost ? 3 : 1);
}

/** What SHOW GRANTS printed. Roles, proxies and routines are not ours and are left alone. */
export function presentRights(lines: readonly string[]): Rights {
  const rights: Rights = new Map();
  for (const line of lines) {
    const head = grantHead(readable(line));
    if (!head || head.hasColumns) continue;
    const target = presentTarget(head);
    const known = rights.get(target) ?? new Set<string>();
    for (const name of heldIn(head)) known.add(name);
    if (known.size > 0) rights.set(target, known);
  }
  return rights;
}

/** As the server spells it: a pattern that somebody else granted stays one. */
function presentTarget({ database, table }: GrantHead): string {
  if (database === undefined) return EVERYTHING;
  return `${identifier(database)}.${table === undefined ? '*' : identifier(table)}`;
}

function heldIn({ privileges, rest }: GrantHead): string[] {
  const plain = privileges.filter((name) => name !== 'USAGE').map((name) => (name === 'ALL' ? ALL : name));
  return isWord(rest.at(-1), 'OPTION') ? [...plain, GRANT_OPTION] : plain;
}

/** A line that cannot be read tells nothing that could be taken away. */
function readable(line: string): Token[] {
  try {
    return tokensOf(line);
  } catch {
    return [];
  }
}
