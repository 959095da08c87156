// Spec and status -> what a SQL Job should make true, and a key that tells one such wish from another without
// holding anything of a password.

import { hashHex } from '../../rds/hash.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import { annotation } from '../../rds/object.ts';
import { ROOT_ACCOUNT } from '../../rds/rotation.ts';
import {
  accountLabel,
  accountOf,
  type SqlEngine,
  type SqlFailure,
  type SqlWish,
} from '../../rds/sql-wish.ts';
import {
  baseVersion,
  createFiles,
  otherLogin,
  rotatedPassword,
  turnsLogins,
  wishedAdministrators,
  wishedLogins,
} from './databases-logins.ts';
import type { Observed, UserPassword } from './observed.ts';
import { remembered } from './remembered.ts';
import { RESTORE_MARK } from './restore-in-place.ts';
import {
  currentLogin,
  drawingToProve,
  type Rotating,
  rotatingAccounts,
  rotationProblem,
} from './rotating.ts';

type User = NonNullable<Observed['spec']['users']>[number];

const NOT_THERE = 'does not hold the login that it should';

export type DeclaredUser = {
  user: User;
  account: string;
  password: UserPassword;
  /** The login that its Secret publishes. */
  login: string;
  rotating?: Rotating | undefined;
};

export type DatabasesWish = {
  engine: SqlEngine;
  wish: SqlWish;
  passwords: Record<string, string>;
  key: string;
  /** The same without rotations: these take nothing away from what was applied. */
  base: string;
  /** A login has to be made or closed. */
  rotates: boolean;
  users: DeclaredUser[];
  root: Rotating | undefined;
  /** Users that cannot be asked for, and why. */
  problems: SqlFailure[];
  /** A login that takes turns is not where it should be: nothing is wished for on such a view. */
  isUnsure: boolean;
  /** A password was drawn and is not in its Secret yet. */
  isDrawing: boolean;
};

export const sqlEngine = (o: Observed): SqlEngine | undefined =>
  o.spec.datastoretype === 'SQLServer' ? undefined : o.spec.datastoretype;

export function databasesWish(o: Observed, engine: SqlEngine): DatabasesWish {
  const rotating = rotatingAccounts(o, engine);
  const root = rotating.find(({ account }) => account === ROOT_ACCOUNT);
  const { users, problems } = declaredUsers(o, engine, rotating);
  const databases = [...new Set(o.spec.databases ?? [])];
  const files = createFiles();
  const plain = users
    .filter(({ password }) => password.value !== undefined)
    .map((declared) => ({ declared, user: plainUser(declared, files.add(declared.password.value ?? '')) }));
  const wished = plain.map(({ user }) => user);
  const base = JSON.stringify([
    engine,
    databases,
    wished,
    users.map(({ password, rotating }) => baseVersion(password, rotating)),
    annotation(o.rds, ANNOTATIONS.reconcile) ?? '',
    // A restore in place brings back users and rights of another day.
    ...restoredTo(o),
  ]);
  const turns = plain.map(({ declared }) => wishedLogins(declared.rotating, files));
  const administrators = wishedAdministrators(root, files);
  const wish: SqlWish = {
    engine,
    databases,
    users: wished.map((user, index) => ({ ...user, ...(turns[index] ? { logins: turns[index] } : {}) })),
    ...(administrators ? { administrators } : {}),
    drop: removed(
      o,
      engine,
      databases,
      users.map(({ account }) => account),
    ),
  };
  // Logins take turns, so the same two come up again: a Job of last time must not pass for one of this time.
  const turn = rotating.map((one) => [one.rotation?.number ?? 0, drawingToProve(one)?.mark ?? '']);
  const isPlain = !administrators && turns.every((one) => one === undefined);
  // What is dropped is not part of it: once dropped it is not wished for any more, and that is no new wish.
  const text = isPlain ? base : JSON.stringify([base, turns, administrators ?? null, turn]);
  return {
    engine,
    wish,
    passwords: files.content,
    key: keyOf(text),
    base: keyOf(base),
    rotates: turnsLogins(wish),
    users,
    root,
    problems,
    isUnsure: problems.some(({ why }) => why.includes(NOT_THERE)),
    isDrawing: users.some(({ password }) => password.draw !== undefined),
  };
}

const keyOf = (text: string): string => `${hashHex(text, 8)}${hashHex(`2${text}`, 8)}`;

function plainUser({ user }: DeclaredUser, passwordFile: string): SqlWish['users'][number] {
  const { name, host, privileges, grants } = user;
  return {
    name,
    ...(host === undefined ? {} : { host }),
    ...(privileges === undefined ? {} : { privileges }),
    ...(grants === undefined ? {} : { grants }),
    passwordFile,
  };
}

function restoredTo(o: Observed): string[] {
  const value = remembered(o).handled[RESTORE_MARK];
  return value === undefined ? [] : [value];
}

function declaredUsers(
  o: Observed,
  engine: SqlEngine,
  accounts: readonly Rotating[],
): Pick<DatabasesWish, 'users' | 'problems'> {
  const users: DeclaredUser[] = [];
  const problems: SqlFailure[] = [];
  (o.spec.users ?? []).forEach((user, index) => {
    const account = accountLabel(engine, user);
    const what = `user ${account}`;
    const isTwice = users.some((other) => other.account === account);
    const declared = isTwice
      ? 'it is declared twice; the first counts'
      : declaredUser(o, user, account, o.users?.[index], accounts);
    if (typeof declared === 'string') problems.push({ what, why: declared });
    else users.push(declared);
    const why = user.rotateEvery === undefined ? undefined : rotationProblem(o, account, user.name);
    if (why !== undefined) problems.push({ what, why });
  });
  return { users, problems };
}

/** Or why it cannot be asked for. */
function declaredUser(
  o: Observed,
  user: User,
  account: string,
  password: UserPassword | undefined,
  accounts: readonly Rotating[],
): DeclaredUser | string {
  if (user.password !== undefined && user.passwordSecretRef !== undefined)
    return 'set password or passwordSecretRef, not both';
  if (!password || password.missing !== undefined) return password?.missing ?? 'its password is not known';
  const { secretName } = password;
  if (isTaken(o, secretName)) return `another object has the name of its Secret ${secretName}`;
  const rotating = accounts.find((one) => one.account === account);
  if (!rotating) return { user, account, password, login: user.name };
  const rotated = rotatedPassword(o, rotating, password);
  if (!rotated)
    return `its Secret ${secretName} ${NOT_THERE}: once it is gone for some minutes, a password is drawn`;
  return { user, account, password: rotated, login: currentLogin(rotating), rotating };
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
      .flatMap((account) => [...otherLogin(o, account, engine), accountOf(engine, account)]),
  };
}
