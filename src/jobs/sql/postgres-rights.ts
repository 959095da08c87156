// Rights of PostgreSQL users, as a person declares them for a database, spread over what the server knows:
// the database, its schemas, tables and sequences, and those that will be made later.

import type { SqlUser } from '../../rds/sql-wish.ts';
import { Refused } from './names.ts';
import type { PostgresSession } from './postgres-session.ts';

export const KINDS = ['database', 'schema', 'table', 'sequence'] as const;
export type Kind = (typeof KINDS)[number];
export type RightsByKind = Record<Kind, ReadonlySet<string>>;

/** What ALL means differs between versions; the server tells. */
export type EveryRight = RightsByKind;

export async function everyRight(session: PostgresSession): Promise<EveryRight> {
  const rows = await session.rows(
    `SELECT kind, (SELECT array_agg(DISTINCT privilege_type) FROM aclexplode(acldefault(kind::"char", 10))) AS names
     FROM unnest(ARRAY['d', 'n', 'r', 's']) AS kind`,
  );
  const of = (kind: string) => new Set((rows.find((row) => row.kind === kind)?.names ?? []) as string[]);
  return { database: of('d'), schema: of('n'), table: of('r'), sequence: of('s') };
}

const SPREAD: Record<string, Partial<Record<Kind, string[]>>> = {
  CONNECT: {},
  USAGE: {},
  CREATE: { database: ['CREATE'], schema: ['CREATE'] },
  TEMPORARY: { database: ['TEMPORARY'] },
  SELECT: { table: ['SELECT'], sequence: ['SELECT'] },
  // A column with a default from a sequence needs it for an insert.
  INSERT: { table: ['INSERT'], sequence: ['USAGE'] },
  UPDATE: { table: ['UPDATE'], sequence: ['UPDATE'] },
  DELETE: { table: ['DELETE'] },
  TRUNCATE: { table: ['TRUNCATE'] },
  REFERENCES: { table: ['REFERENCES'] },
  TRIGGER: { table: ['TRIGGER'] },
};

const NOTHING: RightsByKind = {
  database: new Set(),
  schema: new Set(),
  table: new Set(),
  sequence: new Set(),
};

/** Privileges without a word for it imply that one can connect and find the schema. */
export function spreadRights(privileges: readonly string[], every: EveryRight): RightsByKind {
  if (privileges.length === 0) return NOTHING;
  const rights = {
    database: new Set(['CONNECT']),
    schema: new Set(['USAGE']),
    table: new Set<string>(),
    sequence: new Set<string>(),
  };
  for (const text of privileges) {
    const name = privilegeName(text);
    const spread: Partial<Record<Kind, Iterable<string>>> = name === 'ALL' ? every : (SPREAD[name] ?? {});
    for (const kind of KINDS) for (const right of spread[kind] ?? []) rights[kind].add(right);
  }
  return rights;
}

function privilegeName(text: string): string {
  const plain = text.trim().replace(/\s+/g, ' ').toUpperCase();
  const name = plain === 'ALL PRIVILEGES' ? 'ALL' : plain === 'TEMP' ? 'TEMPORARY' : plain;
  if (name !== 'ALL' && !Object.hasOwn(SPREAD, name))
    throw new Refused(
      `there is no privilege ${JSON.stringify(text)}: PostgreSQL takes ALL, ${Object.keys(SPREAD).join(', ')}`,
    );
  return name;
}

export const hasAll = (privileges: readonly string[]): boolean =>
  privileges.some((text) => privilegeName(text) === 'ALL');

export const canCreate = (privileges: readonly string[]): boolean =>
  privileges.some((text) => ['ALL', 'CREATE'].includes(privilegeName(text)));

/** What the user may do in the database; empty where nothing is declared. */
export function privilegesIn(user: SqlUser, database: string): string[] {
  return (user.grants ?? [])
    .filter((grant) => grant.database === database)
    .flatMap((grant) => grant.privileges);
}
