// Wanted against present rights inside one PostgreSQL database, for all users who have or should have some.

import { Refused } from './names.ts';
import type { RightsByKind } from './postgres-rights.ts';
import { identifier, type PostgresSession } from './postgres-session.ts';

/** Something that rights can be held on. */
type Target = { sql: string; owner: string; reachable: boolean; held: Map<string, Set<string>> };

/** A role that may make tables here. */
type Creator = { name: string; held: { kind: string; role: string; privilege: string }[] };

export type DatabaseState = {
  targets: Record<'database' | 'schema' | 'table' | 'sequence', Target[]>;
  creators: Map<string, Creator>;
};

/** What `$1`, the names of the roles, hold on something with this access list. */
const held = (acl: string) =>
  `(SELECT coalesce(json_agg(json_build_array(r.rolname, a.privilege_type)), '[]')
    FROM aclexplode(${acl}) AS a JOIN pg_roles AS r ON r.oid = a.grantee WHERE r.rolname = ANY($1::text[])) AS held`;

const QUERIES = {
  database: `SELECT 'DATABASE ' || quote_ident(datname) AS sql, pg_get_userbyid(datdba) AS owner,
      pg_has_role(datdba, 'USAGE') AS reachable, ${held("coalesce(datacl, acldefault('d', datdba))")}
    FROM pg_database WHERE datname = current_database()`,
  schema: `SELECT 'SCHEMA ' || quote_ident(nspname) AS sql, pg_get_userbyid(nspowner) AS owner,
      pg_has_role(nspowner, 'USAGE') AS reachable, ${held("coalesce(nspacl, acldefault('n', nspowner))")}
    FROM pg_namespace WHERE nspname !~ '^pg_' AND nspname <> 'information_schema' ORDER BY nspname`,
  table: relations("'r', 'p', 'v', 'm', 'f'", 'TABLE', 'r'),
  sequence: relations("'S'", 'SEQUENCE', 's'),
} as const;

function relations(kinds: string, word: string, acl: string): string {
  return `SELECT '${word} ' || format('%I.%I', n.nspname, c.relname) AS sql, pg_get_userbyid(c.relowner) AS owner,
      pg_has_role(c.relowner, 'USAGE') AS reachable, ${held(`coalesce(c.relacl, acldefault('${acl}', c.relowner))`)}
    FROM pg_class AS c JOIN pg_namespace AS n ON n.oid = c.relnamespace
    WHERE c.relkind IN (${kinds}) AND n.nspname !~ '^pg_' AND n.nspname <> 'information_schema'
    ORDER BY n.nspname, c.relname`;
}

const DEFAULTS = `SELECT pg_get_userbyid(defaclrole) AS creator, defaclobjtype AS kind, ${held('defaclacl')}
  FROM pg_default_acl WHERE defaclnamespace = 0 AND defaclobjtype IN ('r', 'S') AND pg_has_role(defaclrole, 'USAGE')`;

export async function readDatabase(
  session: PostgresSession,
  roles: readonly string[],
  creators: readonly string[],
): Promise<DatabaseState> {
  const targets: DatabaseState['targets'] = { database: [], schema: [], table: [], sequence: [] };
  for (const [kind, sql] of Object.entries(QUERIES)) {
    const rows = await session.rows(sql, [roles]);
    targets[kind as keyof typeof QUERIES] = rows.map((row) => ({
      sql: String(row.sql),
      owner: String(row.owner),
      reachable: row.reachable === true,
      held: heldBy(row.held),
    }));
  }
  const known = new Map<string, Creator>(creators.map((name) => [name, { name, held: [] }]));
  for (const row of await session.rows(DEFAULTS, [roles])) {
    const name = String(row.creator);
    const creator = known.get(name) ?? { name, held: [] };
    for (const [role, privilege] of row.held as [string, string][])
      creator.held.push({ kind: String(row.kind), role, privilege });
    known.set(name, creator);
  }
  return { targets, creators: known };
}

function heldBy(pairs: unknown): Map<string, Set<string>> {
  const byRole = new Map<string, Set<string>>();
  for (const [role, privilege] of pairs as [string, string][])
    byRole.set(role, (byRole.get(role) ?? new Set()).add(privilege));
  return byRole;
}

export type Wanted = {
  role: string;
  rights: RightsByKind;
  /** Roles whose future tables this one may use. */
  creators: readonly string[];
};

export async function syncDatabaseRights(
  session: PostgresSession,
  state: DatabaseState,
  wanted: Wanted,
): Promise<void> {
  const owner = state.targets.database[0]?.owner;
  const changes: Changes = { grant: new Map(), revoke: new Map() };
  for (const kind of ['database', 'schema', 'table', 'sequence'] as const) {
    for (const target of state.targets[kind]) {
      // An owner has every right and cannot lose it.
      if (target.owner === wanted.role) continue;
      if (target.owner === 'pg_database_owner' && owner === wanted.role) continue;
      const present = target.held.get(wanted.role) ?? new Set<string>();
      if (target.reachable) collect(changes, kind, target.sql, wanted.rights[kind], present);
      else await checkOutOfReach(session, target, wanted.role, wanted.rights[kind]);
    }
  }
  const role = identifier(wanted.role);
  for (const { rights, targets } of changes.grant.values())
    await session.write(`GRANT ${rights} ON ${targets} TO ${role}`);
  for (const { rights, targets } of changes.revoke.values())
    await session.write(`REVOKE ${rights} ON ${targets} FROM ${role}`);
  // Owners need no rights on what they make themselves.
  const others = [...state.creators.values()].filter(({ name }) => name !== wanted.role);
  await syncDefaults(session, others, wanted);
}

type Statement = { rights: string; targets: string };
type Changes = { grant: Map<string, Statement>; revoke: Map<string, Statement> };

/** Many tables with the same change become one statement. */
function collect(
  changes: Changes,
  kind: string,
  sql: string,
  wanted: ReadonlySet<string>,
  present: ReadonlySet<string>,
): void {
  const differences = {
    grant: [...wanted].filter((right) => !present.has(right)),
    revoke: [...present].filter((right) => !wanted.has(right)),
  };
  for (const what of ['grant', 'revoke'] as const) {
    const rights = differences[what].sort().join(', ');
    if (rights === '') continue;
    const before = changes[what].get(`${kind} ${rights}`);
    const name = sql.slice(sql.indexOf(' ') + 1);
    changes[what].set(`${kind} ${rights}`, {
      rights,
      targets: before ? `${before.targets}, ${name}` : sql,
    });
  }
}

const OUT_OF_REACH = {
  database: 'SELECT has_database_privilege($1, current_database(), $2) AS has',
  schema: "SELECT has_schema_privilege($1, 'public', $2) AS has",
} as const;

/**
 * Only an owner can give rights. Before version 15 the schema public belongs to the server itself, and everyone
 * may use it. Tables of strangers are passed over.
 */
async function checkOutOfReach(
  session: PostgresSession,
  target: Target,
  role: string,
  wanted: ReadonlySet<string>,
): Promise<void> {
  const kind = target.sql.startsWith('DATABASE ') ? 'database' : 'schema';
  if (kind === 'schema' && target.sql !== 'SCHEMA public') return;
  for (const right of wanted) {
    const [row] = await session.rows(OUT_OF_REACH[kind], [role, right]);
    if (row?.has !== true)
      throw new Refused(
        `${kind === 'schema' ? 'schema public' : 'the database'} belongs to ${target.owner}, who alone may give ${right} on it`,
      );
  }
}

const DEFAULT_KINDS = [
  { kind: 'r', right: 'table', word: 'TABLES' },
  { kind: 'S', right: 'sequence', word: 'SEQUENCES' },
] as const;

/** Many creators with the same change become one statement. */
async function syncDefaults(
  session: PostgresSession,
  creators: readonly Creator[],
  wanted: Wanted,
): Promise<void> {
  const role = identifier(wanted.role);
  for (const { kind, right, word } of DEFAULT_KINDS) {
    const statements = new Map<string, string[]>();
    for (const creator of creators) {
      const held = creator.held.filter((one) => one.kind === kind && one.role === wanted.role);
      const present = new Set(held.map(({ privilege }) => privilege));
      const rights = wanted.creators.includes(creator.name) ? wanted.rights[right] : new Set<string>();
      const missing = [...rights].filter((name) => !present.has(name)).sort();
      const extra = [...present].filter((name) => !rights.has(name)).sort();
      const ends = [
        ...(missing.length > 0 ? [`GRANT ${missing.join(', ')} ON ${word} TO ${role}`] : []),
        ...(extra.length > 0 ? [`REVOKE ${extra.join(', ')} ON ${word} FROM ${role}`] : []),
      ];
      for (const end of ends) statements.set(end, [...(statements.get(end) ?? []), identifier(creator.name)]);
    }
    for (const [end, names] of statements)
      await session.write(`ALTER DEFAULT PRIVILEGES FOR ROLE ${names.join(', ')} ${end}`);
  }
}
