// Strong random passwords that every engine of the cloud accepts.

import { randomInt } from 'node:crypto';
import { GENERATED_ALPHABET } from '../rds/passwords.ts';

const LENGTH = 28;

/** `pick(n)` gives a number below n; one character of each kind is certain, the rest is free. */
export function drawPassword(pick: (below: number) => number = randomInt): string {
  const kinds = Object.values(GENERATED_ALPHABET);
  const all = kinds.join('');
  const one = (alphabet: string) => alphabet.charAt(pick(alphabet.length));
  const chars = [...kinds.map(one), ...Array.from({ length: LENGTH - kinds.length }, () => one(all))];
  for (let index = chars.length - 1; index > 0; index -= 1) {
    const other = pick(index + 1);
    [chars[index], chars[other]] = [chars[other] ?? '', chars[index] ?? ''];
  }
  // A letter first: some clients take a leading dash for an option.
  const letter = chars.findIndex((char) => /[A-Za-z]/.test(char));
  [chars[0], chars[letter]] = [chars[letter] ?? '', chars[0] ?? ''];
  return chars.join('');
}
