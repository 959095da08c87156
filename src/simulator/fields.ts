// Reading JSON bodies and queries the way the cloud does: a wrong type is refused, an absent optional is fine.
import type { Call } from './protocol.ts';
import { BadField, refuse } from './refusal.ts';

export type JsonObject = Record<string, unknown>;

export const isObject = (value: unknown): value is JsonObject =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

export function bodyOf(call: Call): JsonObject {
  const text = call.request.body ?? '';
  if (text.trim() === '') {
    if (call.site.service === 'rds') throw refuse(400, 'DBS.200006', 'The request body is empty.');
    throw new BadField('body', 'it is empty');
  }
  const parsed = parseJson(text);
  if (!isObject(parsed)) throw new BadField('body', 'it is not a JSON object');
  return parsed;
}

/** For calls whose body carries nothing: absent and `{}` are the same. */
export const optionalBodyOf = (call: Call): JsonObject =>
  (call.request.body ?? '').trim() === '' ? {} : bodyOf(call);

export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

export function optionalText(from: JsonObject, name: string): string | undefined {
  const value = from[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'string') throw new BadField(name, 'it must be a string');
  return value;
}

export function text(from: JsonObject, name: string): string {
  const value = optionalText(from, name);
  if (value === undefined || value === '') throw new BadField(name, 'it is missing');
  return value;
}

export function optionalInteger(from: JsonObject, name: string): number | undefined {
  const value = from[name];
  if (isAbsent(value)) return undefined;
  if (typeof value !== 'number' || !Number.isInteger(value))
    throw new BadField(name, 'it must be an integer');
  return value;
}

export function integer(from: JsonObject, name: string): number {
  const value = optionalInteger(from, name);
  if (value === undefined) throw new BadField(name, 'it is missing');
  return value;
}

export function flag(from: JsonObject, name: string): boolean {
  const value = from[name];
  if (typeof value !== 'boolean') throw new BadField(name, 'it must be true or false');
  return value;
}

export function optionalObject(from: JsonObject, name: string): JsonObject | undefined {
  const value = from[name];
  if (isAbsent(value)) return undefined;
  if (!isObject(value)) throw new BadField(name, 'it must be an object');
  return value;
}

export function object(from: JsonObject, name: string): JsonObject {
  const value = optionalObject(from, name);
  if (!value) throw new BadField(name, 'it is missing');
  return value;
}

export function list(from: JsonObject, name: string): unknown[] {
  const value = from[name];
  if (!Array.isArray(value)) throw new BadField(name, 'it must be a list');
  return value;
}

export function objects(from: JsonObject, name: string): JsonObject[] {
  return list(from, name).map((item, index) => {
    if (!isObject(item)) throw new BadField(`${name}[${index}]`, 'it must be an object');
    return item;
  });
}

/** An integer in the query within bounds; absent or empty means the default. */
export function queryInteger(
  query: URLSearchParams,
  name: string,
  bounds: { default: number; min: number; max: number },
) {
  const raw = query.get(name);
  if (raw === null || raw === '') return bounds.default;
  const value = Number(raw);
  if (!/^\d+$/.test(raw) || value < bounds.min || value > bounds.max)
    throw new BadField(name, `it must be an integer from ${bounds.min} to ${bounds.max}`);
  return value;
}
