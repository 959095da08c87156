// Planted canaries: every secret of a schedule carries a mark that must not turn up where people can read.

import { DEMO_USER } from '../../src/simulator/demo-account.ts';

export const CANARY = 'CNRYx7';

/** Fits the rules of every engine. */
export function passwordOf(random: () => number): string {
  const digits = Math.floor(random() * 4_294_967_296)
    .toString(16)
    .padStart(8, '0');
  return `${CANARY}-${digits}aZ`;
}

export function findSecret(text: string, tokens: Iterable<string>): string | undefined {
  if (text.includes(CANARY)) return 'a password';
  if (text.includes(DEMO_USER.password)) return 'the password of the cloud account';
  for (const token of tokens) if (text.includes(token)) return 'a token';
  return undefined;
}
