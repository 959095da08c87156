// Ids of things that exist before any call (networks, flavors, templates): derived from names, equal in every run.
import { createHash } from 'node:crypto';

export const fixedHex = (name: string): string =>
  createHash('sha256').update(name).digest('hex').slice(0, 32);

export function fixedUuid(name: string): string {
  const hex = fixedHex(name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
