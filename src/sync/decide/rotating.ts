// Which accounts have logins that take turns, and where each of them stands: by the journal, or by the copy in status
// where that was not read.

import { secondLogin } from '../../rds/names.ts';
import { type Logins, loginIn, ROOT_ACCOUNT, type Rotation, slotOf } from '../../rds/rotation.ts';
import { accountLabel, accountOf, type SqlEngine } from '../../rds/sql-wish.ts';
import type { RdsStatus } from '../../rds/status.ts';
import type { Drawn, KeptLogin, Observed } from './observed.ts';
import { readJournal } from './remembered.ts';

export type Rotating = {
  /** As journal and status name it. */
  account: string;
  logins: Logins;
  /** Undefined: no further rotation begins. */
  every: string | undefined;
  kept: KeptLogin;
  /** Undefined: nothing is remembered yet. */
  rotation: Rotation | undefined;
};

/** What the cloud calls its administrator. */
export const ROOT = 'root';
const ADMIN = 'admin';

const userLogins = (account: string, name: string): Logins => ({
  first: name,
  second: secondLogin(account, name),
});

const rootLogins = (uid: string): Logins => ({
  root: ROOT,
  first: secondLogin(`${uid}/first`, ADMIN),
  second: secondLogin(`${uid}/second`, ADMIN),
});

export function rotatingAccounts(o: Observed, engine: SqlEngine): Rotating[] {
  const found: Rotating[] = [];
  (o.spec.users ?? []).forEach((user, index) => {
    const account = accountLabel(engine, user);
    const kept = o.users?.[index];
    const logins = userLogins(account, user.name);
    const rotation = rotationOf(o, account, logins);
    const wasRotated = rotation !== undefined || kept?.published?.username === logins.second;
    if (!kept || (user.rotateEvery === undefined && !wasRotated)) return;
    const isTaken = found.some((other) => other.account === account) || isName(o, logins.second);
    if (isTaken) return;
    found.push({ account, logins, every: user.rotateEvery, kept, rotation });
  });
  const root = rotatingRoot(o);
  return root ? [...found, root] : found;
}

const isName = (o: Observed, login: string): boolean =>
  (o.spec.users ?? []).some(({ name }) => name === login);

/** Why a user who should be rotated cannot be. */
export function rotationProblem(o: Observed, account: string, name: string): string | undefined {
  const { second } = userLogins(account, name);
  return isName(o, second)
    ? `rotateEvery: its other login would be ${second}, which is another user`
    : undefined;
}

/** Only a password that is ours to draw may be replaced. */
export function rotatingRoot(o: Observed): Rotating | undefined {
  const { administrator: kept } = o;
  if (!kept || o.password.from !== 'generated' || readJournal(o)?.adopted) return undefined;
  const logins = rootLogins(o.rds.metadata.uid);
  const rotation = rotationOf(o, ROOT_ACCOUNT, logins);
  const { first, second } = logins;
  const wasRotated = rotation !== undefined || [first, second].includes(kept.published?.username ?? '');
  if (o.spec.rootRotateEvery === undefined && !wasRotated) return undefined;
  return { account: ROOT_ACCOUNT, logins, every: o.spec.rootRotateEvery, kept, rotation };
}

export function rotationOf(o: Observed, account: string, logins: Logins): Rotation | undefined {
  const journal = readJournal(o);
  if (journal) return journal.rotations?.[account];
  return fromCopy(
    o.rds.status?.logins?.find(({ user }) => user === account),
    logins,
  );
}

type Copy = NonNullable<RdsStatus['logins']>[number];

function fromCopy(copy: Copy | undefined, logins: Logins): Rotation | undefined {
  const current = copy && slotOf(logins, copy.login);
  if (!copy || !current) return undefined;
  const previous = copy.previous === undefined ? undefined : slotOf(logins, copy.previous);
  return {
    number: copy.number,
    current,
    since: Date.parse(copy.since),
    state: copy.state,
    at: Date.parse(copy.at),
    ...(copy.drawing === undefined ? {} : { mark: copy.drawing }),
    ...(copy.next === undefined ? {} : { next: copy.next }),
    ...(copy.origin === undefined ? {} : { origin: copy.origin }),
    ...(previous === undefined ? {} : { previous }),
    ...(copy.previousEndsAt === undefined ? {} : { endsAt: Date.parse(copy.previousEndsAt) }),
  };
}

/** For a journal made from status. */
export function rotationCopies(o: Observed): { rotations?: Record<string, Rotation> } {
  const copies = (o.rds.status?.logins ?? []).flatMap((copy) => {
    const rotation = fromCopy(copy, loginsOf(o, copy.user));
    return rotation ? [[copy.user, rotation] as const] : [];
  });
  return copies.length > 0 ? { rotations: Object.fromEntries(copies) } : {};
}

export function loginsOf(o: Observed, account: string): Logins {
  if (account === ROOT_ACCOUNT) return rootLogins(o.rds.metadata.uid);
  const engine = o.spec.datastoretype === 'PostgreSQL' ? 'PostgreSQL' : 'MySQL';
  return userLogins(account, accountOf(engine, account).name);
}

/** The login that clients should use; where nothing is remembered, the one that they have. */
export function currentLogin({ logins, rotation, kept }: Rotating): string {
  if (rotation) return loginIn(logins, rotation.current);
  const known = slotOf(logins, kept.published?.username ?? '');
  return loginIn(logins, known ?? (logins.root === undefined ? 'first' : 'root'));
}

/** The Secret says what the rotation says. */
export function isPublished(one: Rotating): boolean {
  const { published } = one.kept;
  if (published?.username !== currentLogin(one)) return false;
  return one.rotation?.mark === undefined || published.mark === one.rotation.mark;
}

/** The password of the published login, kept beside its Secret: a picture from the past may bring the Secret back to the
 * login before, and nobody else has it. */
export function provenDrawing({ kept, rotation }: Rotating): Drawn | undefined {
  return rotation?.mark === undefined ? undefined : kept.drawings.find(({ mark }) => mark === rotation.mark);
}

/** The drawing that a Job makes to work, once it is seen in its Secret. */
export function drawingToProve({ kept, rotation }: Rotating): Drawn | undefined {
  if (rotation?.state !== 'Making') return undefined;
  return kept.drawings.find(({ mark }) => mark === rotation.next);
}

/** The password of the current login, and which drawing it is; undefined when the cluster does not have it. */
export function currentDrawing(one: Rotating): Drawn | undefined {
  const { published } = one.kept;
  return provenDrawing(one) ?? (published?.username === currentLogin(one) ? published : undefined);
}

/** A Secret without the login that is remembered, or no Secret: only the journal can tell what is right. */
export function hasUnsureLogin(o: Observed, engine: SqlEngine): boolean {
  return rotatingAccounts(o, engine).some((one) => !isPublished(one));
}
