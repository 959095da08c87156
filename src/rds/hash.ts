// FNV-1a, 32 bit: for names and for spreading load, never for secrets.

export function hash32(value: string): number {
  let hash = 0x811c9dc5;
  for (let index = 0; index < value.length; index += 1) {
    hash ^= value.charCodeAt(index);
    hash = Math.imul(hash, 0x01000193);
  }
  return hash >>> 0;
}

export function hashHex(value: string, length: number): string {
  return hash32(value).toString(16).padStart(8, '0').slice(0, length);
}
