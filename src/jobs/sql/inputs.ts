// The mounted files of the Job: the wish, the users' passwords beside it, and the administrator's login.

import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Compile } from 'typebox/compile';
import { type SqlWish, SqlWishSchema } from '../../rds/sql-wish.ts';
import type { Login } from './connect.ts';
import { Fatal } from './work.ts';

export type Inputs = {
  wish: SqlWish;
  login: Login;
  passwords: (file: { passwordFile: string }) => string;
  secrets: string[];
};

const check = Compile(SqlWishSchema);

export function readFileIn(folder: string, name: string): string {
  try {
    return readFileSync(join(folder, name), 'utf8');
  } catch (error) {
    throw new Fatal(`the file ${name} cannot be read (${(error as NodeJS.ErrnoException).code})`);
  }
}

function wishIn(folder: string): SqlWish {
  let wish: unknown;
  try {
    wish = JSON.parse(readFileIn(folder, 'wish.json'));
  } catch (error) {
    throw error instanceof Fatal ? error : new Fatal('wish.json is not JSON');
  }
  if (!check.Check(wish)) {
    const [first] = check.Errors(wish);
    throw new Fatal(`wish.json${first?.instancePath ?? ''} ${first?.message ?? 'is not a wish'}`);
  }
  return wish;
}

export function readLogin(folder: string): Login {
  return {
    host: readFileIn(folder, 'ip'),
    port: Number(readFileIn(folder, 'port')),
    username: readFileIn(folder, 'username'),
    password: readFileIn(folder, 'password'),
  };
}

export function readInputs(folders: { wish: string; login: string }): Inputs {
  const wish = wishIn(folders.wish);
  const login = readLogin(folders.login);
  const { current, next } = wish.administrators ?? {};
  const files = [...wish.users.flatMap((user) => [user, user.logins?.next]), current, next];
  const known = new Map(
    files.flatMap((one) => (one ? [[one.passwordFile, readFileIn(folders.wish, one.passwordFile)]] : [])),
  );
  return {
    wish,
    login,
    passwords: ({ passwordFile }) => known.get(passwordFile) ?? '',
    secrets: [login.password, ...known.values()],
  };
}
