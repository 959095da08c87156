// Spec and status -> what a SQL Job should make true, and a key that tells one such wish from another without
// holding anything of a password.

import { hashHex } from '../../rds/hash.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import {
  accountLabel,
  accountOf,
  type SqlEngine,
  type SqlFailure,
  type SqlWish,
} from '../../rds/sql-wish.ts';
import type { Observed, UserPassword } from './observed.ts';
import { remembered } from './remembered.ts';
import { RESTORE_MARK } from './restore-in-place.ts';

type User = NonNullable<Observed['spec']['users']>[number];

export type DeclaredUser = { user: User; account: string; password: UserPassword };

export type DatabasesWish = {
  engine: SqlEngine;
  wish: SqlWish;
  passwords: Record<string, string>;
  key: string;
  users: DeclaredUser[];
  /** Users that cannot be asked for, and why. */
  problems: SqlFailure[];
  /** A password was drawn and is not in its Secret yet. */
  isDrawing: boolean;
};

export const sqlEngine = (o: Observed): SqlEngine | undefined =>
  o.spec.datastoretype === 'SQLServer' ? undefined : o.spec.datastoretype;

export function databasesWish(o: Observed, engine: SqlEngine): DatabasesWish {
  const { users, problems } = declaredUsers(o, engine);
  const databases = [...new Set(o.spec.databases ?? [])];
  const passwords: Record<string, string> = {};
  const wished: SqlWish['users'] = [];
  for (const { user, password } of users) {
    if (password.value === undefined) continue;
    const passwordFile = `password-${wished.length}`;
    passwords[passwordFile] = password.value;
    const { name, host, privileges, grants } = user;
    wished.push({
      name,
      ...(host === undefined ? {} : { host }),
      ...(privileges === undefined ? {} : { privileges }),
      ...(grants === undefined ? {} : { grants }),
      passwordFile,
    });
  }
  const wish: SqlWish = {
    engine,
    databases,
    users: wished,
    drop: removed(
      o,
      engine,
      databases,
      users.map(({ account }) => account),
    ),
  };
  const versions = users.map(({ password }) => password.version ?? '');
  // What is dropped is not part of it: once dropped it is not wished for any more, and that is no new wish.
  const text = JSON.stringify([
    engine,
    databases,
    wished,
    versions,
    annotation(o.rds, ANNOTATIONS.reconcile) ?? '',
    // A restore in place brings back users and rights of another day.
    ...restoredTo(o),
  ]);
  return {
    engine,
    wish,
    passwords,
    key: `${hashHex(text, 8)}${hashHex(`2${text}`, 8)}`,
    users,
    problems,
    isDrawing: users.some(({ password }) => password.draw !== undefined),
  };
}

function restoredTo(o: Observed): string[] {
  const value = remembered(o).handled[RESTORE_MARK];
  return value === undefined ? [] : [value];
}

function declaredUsers(o: Observed, engine: SqlEngine): Pick<DatabasesWish, 'users' | 'problems'> {
  const users: DeclaredUser[] = [];
  const problems: SqlFailure[] = [];
  (o.spec.users ?? []).forEach((user, index) => {
    const account = accountLabel(engine, user);
    const password = o.users?.[index];
    const what = `user ${account}`;
    if (users.some((other) => other.account === account))
      problems.push({ what, why: 'it is declared twice; the first counts' });
    else if (user.password !== undefined && user.passwordSecretRef !== undefined)
      problems.push({ what, why: 'set password or passwordSecretRef, not both' });
    else if (!password || password.missing !== undefined)
      problems.push({ what, why: password?.missing ?? 'its password is not known' });
    else if (isTaken(o, password.secretName))
      problems.push({ what, why: `another object has the name of its Secret ${password.secretName}` });
    else users.push({ user, account, password });
  });
  return { users, problems };
}

const isTaken = (o: Observed, secretName: string): boolean =>
  o.foreign.some(({ kind, metadata }) => kind === 'Secret' && metadata.name === secretName);

/** Only what an earlier Job reported as made, and only where the spec says so. */
function removed(
  o: Observed,
  engine: SqlEngine,
  databases: readonly string[],
  accounts: readonly string[],
): SqlWish['drop'] {
  const known = o.rds.status?.databases;
  if (o.spec.removal !== 'Drop' || !known) return { databases: [], users: [] };
  // A user whose Secret is missing is declared all the same.
  const declared = new Set([...accounts, ...(o.spec.users ?? []).map((user) => accountLabel(engine, user))]);
  return {
    databases: (known.databases ?? []).filter((name) => !databases.includes(name)),
    users: (known.users ?? [])
      .filter((account) => !declared.has(account))
      .map((account) => accountOf(engine, account)),
  };
}
