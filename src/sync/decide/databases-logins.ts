// Logins that take turns, as part of what a SQL Job is asked for.

import { loginIn, nextSlot } from '../../rds/rotation.ts';
import { accountOf, type SqlEngine, type SqlLogins, type SqlWish } from '../../rds/sql-wish.ts';
import { cloudTime } from './cloud-time.ts';
import type { Observed, UserPassword } from './observed.ts';
import {
  currentDrawing,
  currentLogin,
  drawingToProve,
  loginsOf,
  provenDrawing,
  type Rotating,
  rotationOf,
} from './rotating.ts';

/** Passwords by the file that the wish names. */
export function createFiles() {
  const content: Record<string, string> = {};
  return {
    content,
    add(password: string): string {
      const name = `password-${Object.keys(content).length}`;
      content[name] = password;
      return name;
    },
  };
}

/** Makes or closes a login. */
export function turnsLogins(wish: SqlWish | undefined): boolean {
  const turns = [wish?.administrators, ...(wish?.users ?? []).map(({ logins }) => logins)];
  return turns.some((one) => one?.next !== undefined || one?.close !== undefined);
}

/** A password that came by rotation is no new wish. */
export function baseVersion({ version = '' }: UserPassword, rotating: Rotating | undefined): string {
  const { mark, origin } = rotating?.rotation ?? {};
  return version === mark ? (origin ?? version) : version;
}

type Files = ReturnType<typeof createFiles>;

/** Undefined while the account is its own and only login. */
export function wishedLogins(one: Rotating | undefined, files: Files): SqlLogins | undefined {
  if (!one) return undefined;
  const current = currentLogin(one);
  const next = nextLogin(one, files);
  const close = loginToClose(one);
  if (current === one.logins.first && !next && close === undefined) return undefined;
  return { current, ...(next ? { next } : {}), ...(close === undefined ? {} : { close }) };
}

function nextLogin(one: Rotating, files: Files): SqlLogins['next'] {
  const drawing = drawingToProve(one);
  if (!drawing || !one.rotation) return undefined;
  const login = loginIn(one.logins, nextSlot(one.rotation.current));
  return { login, passwordFile: files.add(drawing.password) };
}

/** Root is not closed: its password is replaced by the cloud. */
function loginToClose({ rotation, logins }: Rotating): string | undefined {
  const { state, previous } = rotation ?? {};
  return state === 'Closing' && previous && previous !== 'root' ? loginIn(logins, previous) : undefined;
}

export function wishedAdministrators(one: Rotating | undefined, files: Files): SqlWish['administrators'] {
  if (!one) return undefined;
  const drawing = currentLogin(one) === one.logins.root ? undefined : currentDrawing(one);
  const current = drawing && { login: currentLogin(one), passwordFile: files.add(drawing.password) };
  const next = nextLogin(one, files);
  const close = loginToClose(one);
  if (!current && !next && close === undefined) return undefined;
  return {
    ...(current ? { current } : {}),
    ...(next ? { next } : {}),
    ...(close === undefined ? {} : { close }),
  };
}

/** A Secret that is not in sight may be there all the same; drawing anew would cut off its clients. */
function mayDraw(o: Observed, { rotation }: Rotating): boolean {
  if (!rotation) return true;
  const at = cloudTime(o);
  return rotation.missingAt !== undefined && at >= rotation.missingAt + o.timing.settleMs;
}

/** Undefined when the Secret holds a login that is not the current one, and the password of that is not known. */
export function rotatedPassword(
  o: Observed,
  one: Rotating,
  password: UserPassword,
): UserPassword | undefined {
  if (password.draw !== undefined && !provenDrawing(one)) return mayDraw(o, one) ? password : undefined;
  const drawing = currentDrawing(one);
  if (!drawing) return undefined;
  const { draw: _unneeded, ...rest } = password;
  // A password of one's own may be set after rotation was taken out of the spec.
  if (one.every === undefined && password.value !== password.published?.password) return password;
  return { ...rest, value: drawing.password, version: drawing.mark };
}

/** Before its account, on which it may depend. */
export function otherLogin(o: Observed, account: string, engine: SqlEngine): SqlWish['drop']['users'] {
  const logins = loginsOf(o, account);
  return rotationOf(o, account, logins) ? [{ ...accountOf(engine, account), name: logins.second }] : [];
}
