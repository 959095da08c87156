// The cloud's rules for the root password, checked before anything is created.

import type { EngineName } from './spec.ts';

const SPECIALS: Record<EngineName, string> = {
  MySQL: '~!@#$%^*-_=+?,()&',
  PostgreSQL: '~!@#$%^*-_=+?,',
  SQLServer: '~!@#$%^*-_+?,',
};

/** Letters, digits and specials that every engine accepts and that need no quoting in URLs or shells. */
export const GENERATED_ALPHABET = {
  upper: 'ABCDEFGHJKLMNPQRSTUVWXYZ',
  lower: 'abcdefghijkmnopqrstuvwxyz',
  digits: '23456789',
  specials: '-_',
};

/** What is wrong with the password, in words that do not contain it; undefined when it will do. */
export function passwordProblem(password: string, engine: EngineName): string | undefined {
  if (password.length < 8 || password.length > 32) return 'must have 8 to 32 characters';
  const specials = SPECIALS[engine];
  const kinds = [/[A-Z]/, /[a-z]/, /[0-9]/].filter((kind) => kind.test(password)).length;
  const others = [...password].filter((char) => !/[A-Za-z0-9]/.test(char));
  if (others.some((char) => !specials.includes(char))) {
    return `may only contain letters, digits and ${specials} (${engine})`;
  }
  if (kinds + (others.length > 0 ? 1 : 0) < 3) {
    return 'needs three of: upper case, lower case, digits, special characters';
  }
  return undefined;
}
