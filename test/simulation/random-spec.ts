// Changes of a spec, made from the whole schema: mostly valid values, some that the schema or a rule refuses. Every
// field can come, also those that a running instance cannot follow.

import { RdsSpecSchema } from '../../src/rds/spec.ts';
import type { Chance } from './random.ts';

type Schema = {
  type?: string;
  enum?: readonly unknown[];
  default?: unknown;
  minimum?: number;
  maximum?: number;
  multipleOf?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
  required?: readonly string[];
};

const fields = (RdsSpecSchema as Schema).properties ?? {};

/** Values with a meaning that the schema cannot tell. */
const POOLS: Record<string, readonly unknown[]> = {
  availabilityzone: ['eu-de-01', 'eu-de-02', 'eu-de-01,eu-de-02'],
  backupstarttime: ['01:00-02:00', '03:00-04:00', '23:45-00:45', '03:00-05:00'],
  flavorref: ['rds.mysql.c2.medium', 'rds.mysql.c2.large', 'rds.mysql.c2.medium.ha', 'rds.no.such'],
  datastoreversion: ['8.0', '5.7', '9.6'],
  port: ['3306', '3307', '4406', '80', '12017'],
  securitygroup: ['default', 'spare', 'nowhere'],
  vpc: ['default', 'spare'],
  subnet: ['default', 'spare'],
  region: ['eu-de', 'eu-nl'],
  parameters: [
    {},
    { max_connections: '150' },
    { max_connections: '200' },
    { binlog_format: 'MIXED' },
    { no_such: '1' },
  ],
  tags: [{}, { team: 'a' }, { team: 'b', stage: 'test' }],
  endpoint: ['https://alarms.example.com/', 'https://other.example.com/x', 'http://alarms.example.com/'],
  maxFlavor: ['rds.mysql.c2.xlarge', 'rds.mysql.c2.large', 'rds.no.such'],
  minFlavor: ['rds.mysql.c2.medium', 'rds.mysql.c2.large'],
  maxGb: [60, 90, 200],
  thresholdPercent: [80, 90],
  /** A quiet time that ends within a schedule would look like a change for no reason. */
  forMinutes: [43_200],
  start: ['22:00', '02:00'],
  end: ['02:00', '06:00'],
  schedule: ['*/2 * * * *', '*/5 * * * *', '0 3 30 2 *', 'daily'],
  flavor: ['rds.mysql.c2.medium', 'rds.no.such', 'rds.mysql.c2.medium.ha'],
  backuprestoretime: ['2026-11-16T07:00:00Z'],
};

/** Their Secrets would have to exist: an Rds without its password or account only says so. */
const WITH_SECRETS: ReadonlySet<string> = new Set([
  'password',
  'passwordSecretRef',
  'credentialsSecretRef',
  'users',
]);

/** Sizes of generated numbers stay near the lower bound: a disk of 4 TB tells no more than one of 60 GB. */
const SPREAD = 6;

function integer(
  { minimum = 0, maximum = 100, multipleOf = 1 }: Schema,
  chance: Chance,
  name: string,
): number {
  return Math.min(maximum, minimum + multipleOf * chance.below(`${name} number`, SPREAD));
}

function valueFor(key: string, schema: Schema, chance: Chance, name: string): unknown {
  const pool = POOLS[key] ?? schema.enum;
  if (pool) return chance.pick(`${name} pool`, pool);
  switch (schema.type) {
    case 'integer':
      return integer(schema, chance, name);
    case 'boolean':
      return chance.of(`${name} flag`) < 0.5;
    case 'array':
      return chance.of(`${name} many`) < 0.5 || !schema.items
        ? []
        : [valueFor(`${key}[]`, schema.items, chance, `${name} item`)];
    case 'object':
      return objectFor(schema, chance, name);
    default:
      return schema.default ?? `x${chance.below(`${name} text`, 3)}`;
  }
}

function objectFor({ properties = {}, required = [] }: Schema, chance: Chance, name: string): unknown {
  const wanted = Object.entries(properties).filter(
    ([key]) => required.includes(key) || chance.of(`${name} has ${key}`) < 0.4,
  );
  return Object.fromEntries(
    wanted.map(([key, schema]) => [key, valueFor(key, schema, chance, `${name} ${key}`)]),
  );
}

const WRONG = [-1, 'not a value', { a: 1 }, true, ['x'], 999_999] as const;

/** One or two fields; `undefined` takes a field out. */
export function randomChange(chance: Chance, name: string): Record<string, unknown> {
  const keys = Object.keys(fields).filter((key) => !WITH_SECRETS.has(key) && key !== 'paused');
  const change: Record<string, unknown> = {};
  for (let index = 0; index <= chance.below(`${name} count`, 2); index += 1) {
    const one = `${name} ${index}`;
    const key = chance.pick(`${one} key`, keys);
    const kind = chance.of(`${one} kind`);
    if (kind < 0.12) change[key] = chance.pick(`${one} wrong`, WRONG);
    else if (kind < 0.2) change[key] = undefined;
    else change[key] = valueFor(key, fields[key] ?? {}, chance, one);
  }
  return change;
}
