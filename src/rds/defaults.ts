// The defaults that the API server fills in, for callers without one (curl, tests, the memory store).

import { type RdsSpec, RdsSpecSchema } from './spec.ts';

type Defaulted =
  | 'availabilityzone'
  | 'backupstarttime'
  | 'backupkeepdays'
  | 'datastoretype'
  | 'datastoreversion'
  | 'flavorref'
  | 'port'
  | 'region'
  | 'subnet'
  | 'securitygroup'
  | 'volumetype'
  | 'volumesize'
  | 'vpc'
  | 'deletionPolicy';

/** A spec in which every field with a default is present. */
export type FullSpec = Omit<RdsSpec, Defaulted> & Required<Pick<RdsSpec, Defaulted>>;

type Schema = { default?: unknown; properties?: Record<string, Schema>; items?: Schema };

/** Defaults as a structural schema applies them: an absent parent object stays absent. */
export function withDefaults(value: unknown, schema: Schema): unknown {
  if (Array.isArray(value)) {
    const { items } = schema;
    return items ? value.map((item) => withDefaults(item, items)) : value;
  }
  if (typeof value !== 'object' || value === null || !schema.properties) return value;
  const filled: Record<string, unknown> = { ...value };
  for (const [name, property] of propertiesWithDefaults(schema)) {
    if (filled[name] === undefined) {
      if (property.default !== undefined) filled[name] = property.default;
    } else {
      filled[name] = withDefaults(filled[name], property);
    }
  }
  return filled;
}

const withDefaultsInside = new WeakMap<Schema, [string, Schema][]>();

/** Most properties have no default, nor has anything in them: they are not looked at. */
function propertiesWithDefaults(schema: Schema): [string, Schema][] {
  const known = withDefaultsInside.get(schema);
  if (known) return known;
  const found = Object.entries(schema.properties ?? {}).filter(([, property]) => hasDefault(property));
  withDefaultsInside.set(schema, found);
  return found;
}

function hasDefault({ default: own, properties = {}, items }: Schema): boolean {
  return (
    own !== undefined || Object.values(properties).some(hasDefault) || (items ? hasDefault(items) : false)
  );
}

const filled = new WeakMap<RdsSpec, FullSpec>();

/** Asked several times for each call: filled once. */
export function fullSpec(spec: RdsSpec): FullSpec {
  const known = filled.get(spec);
  if (known) return known;
  const full = withDefaults(spec, RdsSpecSchema as Schema) as FullSpec;
  filled.set(spec, full);
  return full;
}

export function defaultOf(field: string): unknown {
  return (RdsSpecSchema as Schema).properties?.[field]?.default;
}
