// The cloud's JSON is untrusted: these readers give a typed value or nothing, and `need` says what is missing.

export type Json = Record<string, unknown>;

/** An answer that came, but that we do not understand. The message names a field, never a value. */
export class Unreadable extends Error {}

function isRecord(value: unknown): value is Json {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** An empty text is an empty object: many OTC writes answer with no body at all. */
export function parseObject(text: string): Json {
  if (text.trim() === '') return {};
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    // The parser's own message quotes the text, which may hold a secret.
    throw new Unreadable('the answer is not JSON');
  }
  if (!isRecord(value)) throw new Unreadable('the answer is not a JSON object');
  return value;
}

export function need<T>(value: T | undefined, name: string): T {
  if (value === undefined) throw new Unreadable(`the answer has no ${name}`);
  return value;
}

/** A non-empty string; OTC writes "" for "not yet". */
export function textOf(from: Json, key: string): string | undefined {
  const value = from[key];
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** A number, or a string that is one: OTC uses both for ports, sizes and times. */
export function numberOf(from: Json, key: string): number | undefined {
  const value = from[key];
  const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
}

export function objectOf(from: Json, key: string): Json {
  const value = from[key];
  return isRecord(value) ? value : {};
}

export function objectsOf(from: Json, key: string): Json[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter(isRecord) : [];
}

/** For lists whose absence must not be taken for "nothing there". */
export function neededObjects(from: Json, key: string): Json[] {
  const value = from[key];
  if (!Array.isArray(value) || !value.every(isRecord)) throw new Unreadable(`the answer has no list ${key}`);
  return value;
}

export function textsOf(from: Json, key: string): string[] {
  const value = from[key];
  return Array.isArray(value) ? value.filter((item) => typeof item === 'string' && item !== '') : [];
}

/** `2025-01-01T10:00:00+0000` (RDS leaves the colon out), or without offset, which means UTC. */
export function timeOf(from: Json, key: string): number | undefined {
  const text = textOf(from, key);
  if (text === undefined) return undefined;
  const withColon = text.replace(/([+-]\d\d)(\d\d)$/, '$1:$2');
  const ms = Date.parse(/(Z|[+-]\d\d:\d\d)$/i.test(withColon) ? withColon : `${withColon}Z`);
  return Number.isNaN(ms) ? undefined : ms;
}
