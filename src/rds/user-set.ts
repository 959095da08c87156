// Which spec fields a person set, as opposed to defaults that the API server filled in: a default is used
// for the create and is never a wish to change an existing instance.

import { defaultOf } from './defaults.ts';
import type { Rds } from './object.ts';

const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

function lastAppliedFields(rds: Rds): string[] {
  const text = rds.metadata.annotations?.[LAST_APPLIED];
  if (text === undefined) return [];
  try {
    const applied: unknown = JSON.parse(text);
    const spec = (applied as { spec?: unknown } | null)?.spec;
    return typeof spec === 'object' && spec !== null ? Object.keys(spec) : [];
  } catch {
    return [];
  }
}

function managedSpecFields(rds: Rds, operation: 'Apply' | 'Update'): string[] {
  const fields: string[] = [];
  for (const entry of rds.metadata.managedFields ?? []) {
    const spec = entry.operation === operation && !entry.subresource ? entry.fieldsV1?.['f:spec'] : undefined;
    if (typeof spec !== 'object' || spec === null) continue;
    for (const key of Object.keys(spec)) if (key.startsWith('f:')) fields.push(key.slice(2));
  }
  return fields;
}

const known = new WeakMap<Rds, ReadonlySet<string>>();

/** Asked several times for each call: the managed fields are walked once. */
export function userSetFields(rds: Rds): ReadonlySet<string> {
  const asked = known.get(rds);
  if (asked) return asked;
  const fields = findUserSetFields(rds);
  known.set(rds, fields);
  return fields;
}

/**
 * Apply managers own exactly what they applied, and last-applied lists what kubectl sent. A plain create or
 * update also owns the defaults, so there a value equal to the default tells nothing and does not count.
 */
function findUserSetFields(rds: Rds): ReadonlySet<string> {
  const fields = new Set(managedSpecFields(rds, 'Apply'));
  for (const field of lastAppliedFields(rds)) fields.add(field);
  const spec = rds.spec as Record<string, unknown>;
  const candidates = rds.metadata.managedFields ? managedSpecFields(rds, 'Update') : Object.keys(spec);
  for (const field of candidates)
    if (spec[field] !== undefined && spec[field] !== defaultOf(field)) fields.add(field);
  return fields;
}
