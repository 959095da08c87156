// Ids of things that exist before any call (networks, flavors, templates): derived from names, equal in every run.
import { createHash } from 'node:crypto';

const known = new Map<string, string>();

/** The names are few, and asked for with every list of flavors and every login. */
export function fixedHex(name: string): string {
  const hex = known.get(name) ?? createHash('sha256').update(name).digest('hex').slice(0, 32);
  known.set(name, hex);
  return hex;
}

export function fixedUuid(name: string): string {
  const hex = fixedHex(name);
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
}
