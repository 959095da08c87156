// What the hook asks of a SQL Job, and what the Job tells when it ends. Both sides read it, and neither may
// import the other.

import Type, { type Static } from 'typebox';

export const SQL_ENGINES = ['MySQL', 'PostgreSQL'] as const;
export type SqlEngine = (typeof SQL_ENGINES)[number];

const Name = Type.String({ maxLength: 512 });
const Names = Type.Array(Name);

const PasswordFile = Type.String({ pattern: '^password-[0-9]+$' });

/** Logins that take turns: each has the rights of its account, and one of them may be that account itself. */
const LoginsSchema = Type.Object({
  current: Name,
  /** Is made, and proven by logging in. */
  next: Type.Optional(Type.Object({ login: Name, passwordFile: PasswordFile })),
  /** Lets nobody in any more; it stays, since what it made may need it. */
  close: Type.Optional(Name),
});

const SqlUserSchema = Type.Object({
  name: Name,
  /** MySQL only; absent means any host. */
  host: Type.Optional(Name),
  /** Old style: GRANT statements. */
  privileges: Type.Optional(Type.Array(Type.String({ maxLength: 4096 }))),
  /** Present, even when empty: the rights of the user are exactly these. */
  grants: Type.Optional(Type.Array(Type.Object({ database: Name, privileges: Names }))),
  /** File beside the wish that holds the password; of the current login, where logins take turns. */
  passwordFile: PasswordFile,
  logins: Type.Optional(LoginsSchema),
});

export const SqlWishSchema = Type.Object({
  engine: Type.Enum([...SQL_ENGINES]),
  databases: Names,
  users: Type.Array(SqlUserSchema),
  /** Logins with the rights of the administrator who runs the Job; `current` is absent while it is that one itself. */
  administrators: Type.Optional(
    Type.Object({
      current: Type.Optional(Type.Object({ login: Name, passwordFile: PasswordFile })),
      next: Type.Optional(Type.Object({ login: Name, passwordFile: PasswordFile })),
      close: Type.Optional(Name),
    }),
  ),
  /** What was declared once and is declared no more. */
  drop: Type.Object({
    databases: Names,
    users: Type.Array(Type.Object({ name: Name, host: Type.Optional(Name) })),
  }),
});

export type SqlUser = Static<typeof SqlUserSchema>;
export type SqlLogins = Static<typeof LoginsSchema>;
export type SqlWish = Static<typeof SqlWishSchema>;

const SqlFailureSchema = Type.Object({ what: Type.String(), why: Type.String() });

/** The termination message of the Job's container: a kubelet keeps 4096 bytes of it. */
export const SqlReportSchema = Type.Object({
  /** Statements that changed something. */
  changed: Type.Integer(),
  /** The Job could not work at all. */
  fatal: Type.Optional(Type.String()),
  failures: Type.Array(SqlFailureSchema),
  /** Failures that did not fit in. */
  more: Type.Integer(),
});

export type SqlFailure = Static<typeof SqlFailureSchema>;
export type SqlReport = Static<typeof SqlReportSchema>;

/** Where the Job's container finds its files. */
export const SQL_JOB_PATHS = {
  wish: '/var/run/rds-pilot/wish',
  login: '/var/run/rds-pilot/login',
  termination: '/dev/termination-log',
} as const;

/** Exit code of a Job that did its work and was refused something: trying again would not help. */
export const SQL_REFUSED = 3;

/** How a failure names a login that could not be made or closed; `account` as status names it. */
export const loginOf = (account: string): string => `login of ${account}`;

const ANY_HOST = '%';

/** `app@10.9.3.%` on MySQL, where host is part of the account; `app` on PostgreSQL. */
export function accountLabel(engine: SqlEngine, user: { name: string; host?: string | undefined }): string {
  return engine === 'MySQL' ? `${user.name}@${accountHost(user)}` : user.name;
}

/** Servers keep hosts in lower case. */
export function accountHost(user: { host?: string | undefined }): string {
  return user.host === undefined || user.host === '' ? ANY_HOST : user.host.toLowerCase();
}

/** The way back; a host has no @, a name may. */
export function accountOf(engine: SqlEngine, label: string): { name: string; host?: string } {
  const at = label.lastIndexOf('@');
  return engine === 'MySQL' && at > 0
    ? { name: label.slice(0, at), host: label.slice(at + 1) }
    : { name: label };
}
