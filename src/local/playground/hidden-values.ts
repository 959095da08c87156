// Passwords that somebody wrote into a manifest do not leave the server again: the editor shows a mark in their
// place, and the mark stands for the stored value when the manifest comes back.

import { isRecord, type JsonRecord } from '../json.ts';

const MARK = '(hidden)';

const listOf = (value: unknown): JsonRecord[] => (Array.isArray(value) ? value.filter(isRecord) : []);
const isSame = (one: JsonRecord, other: JsonRecord) => one.name === other.name && one.host === other.host;

/** Replaces each password by what `next` says about it. */
function mapPasswords(spec: JsonRecord, next: (password: unknown, user?: JsonRecord) => unknown): JsonRecord {
  const mapped = { ...spec };
  if (spec.password !== undefined) mapped.password = next(spec.password);
  if (Array.isArray(spec.users))
    mapped.users = spec.users.map((user: unknown) =>
      isRecord(user) && user.password !== undefined ? { ...user, password: next(user.password, user) } : user,
    );
  return mapped;
}

export const withHiddenValues = (spec: JsonRecord): JsonRecord => mapPasswords(spec, () => MARK);

export function withStoredValues(spec: JsonRecord, stored: JsonRecord | undefined): JsonRecord {
  if (!stored) return spec;
  return mapPasswords(spec, (password, user) => {
    if (password !== MARK) return password;
    const source = user ? listOf(stored.users).find((one) => isSame(one, user)) : stored;
    return source?.password ?? password;
  });
}

/** A mark without a stored value behind it would become the password itself. */
export function strayMark(spec: JsonRecord): string | undefined {
  if (spec.password === MARK) return 'spec.password';
  const index = (Array.isArray(spec.users) ? spec.users : []).findIndex(
    (user: unknown) => isRecord(user) && user.password === MARK,
  );
  return index < 0 ? undefined : `spec.users.${index}.password`;
}
