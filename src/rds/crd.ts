// TypeBox schema -> CustomResourceDefinition. Anything a structural schema does not know makes the converter
// throw with its path, so that a slip shows at build time and not as a field that the API server prunes.

import type { TSchema } from 'typebox';
import { RdsBackupSpecSchema, RdsBackupStatusSchema } from './backup.ts';
import { BACKUP_CHANGE_RULES, BACKUP_RULES } from './backup-rules.ts';
import { CHANGE_RULES, NAME_RULE, SPEC_PRESENT_RULE, SPEC_RULES } from './rules.ts';
import { RdsSpecSchema } from './spec.ts';
import { RdsStatusSchema } from './status.ts';

export const GROUP = 'otc.mcsps.de';
export const VERSION = 'v1alpha1';
export const API_VERSION = `${GROUP}/${VERSION}`;

type Json = Record<string, unknown>;

const COPIED = new Set([
  'type',
  'description',
  'default',
  'enum',
  'pattern',
  'format',
  'minLength',
  'maxLength',
  'minimum',
  'maximum',
  'multipleOf',
  'minItems',
  'maxItems',
  'maxProperties',
  'required',
  'x-kubernetes-list-type',
  'x-kubernetes-list-map-keys',
  'x-kubernetes-validations',
]);

export function toStructural(schema: unknown, path = '$'): Json {
  const structural: Json = {};
  for (const [keyword, value] of Object.entries(schema as Json)) {
    if (COPIED.has(keyword)) structural[keyword] = value;
    else if (keyword === 'items') structural.items = toStructural(value, `${path}[]`);
    else if (keyword === 'properties') structural.properties = convertAll(value as Json, path);
    else if (keyword === 'patternProperties')
      structural.additionalProperties = valueSchema(value as Json, path);
    else throw new Error(`${path}: a structural schema has no keyword ${keyword}`);
  }
  if (typeof structural.type !== 'string') throw new Error(`${path}: a structural schema needs a type`);
  return structural;
}

function convertAll(properties: Json, path: string): Json {
  return Object.fromEntries(
    Object.entries(properties).map(([name, property]) => [name, toStructural(property, `${path}.${name}`)]),
  );
}

/** TypeBox writes a record as one patternProperties entry, Kubernetes as additionalProperties. */
function valueSchema(patterns: Json, path: string): Json {
  const [only, ...others] = Object.values(patterns);
  if (only === undefined || others.length > 0) throw new Error(`${path}: a record needs exactly one pattern`);
  return toStructural(only, `${path}{}`);
}

type Column = { name: string; type: string; jsonPath: string; priority?: number };

type Kind = {
  kind: string;
  plural: string;
  singular: string;
  shortNames: string[];
  spec: TSchema;
  specValidations: Json[];
  status: TSchema;
  columns: Column[];
};

function definition(kind: Kind): Json {
  const spec = toStructural(kind.spec, 'spec');
  if (kind.specValidations.length > 0) spec['x-kubernetes-validations'] = kind.specValidations;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${kind.plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind: kind.kind,
        listKind: `${kind.kind}List`,
        plural: kind.plural,
        singular: kind.singular,
        shortNames: kind.shortNames,
        categories: ['otc'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: kind.columns,
          schema: {
            openAPIV3Schema: {
              type: 'object',
              description:
                kind.kind === 'Rds'
                  ? 'A managed database server on Open Telekom Cloud.'
                  : 'A backup of an Rds.',
              properties: {
                apiVersion: { type: 'string' },
                kind: { type: 'string' },
                metadata: { type: 'object' },
                spec,
                status: toStructural(kind.status, 'status'),
              },
              'x-kubernetes-validations':
                kind.kind === 'Rds' ? [SPEC_PRESENT_RULE, NAME_RULE] : [SPEC_PRESENT_RULE],
            },
          },
        },
      ],
    },
  };
}

const age: Column = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const ready: Column = {
  name: 'Ready',
  type: 'string',
  jsonPath: '.status.conditions[?(@.type=="Ready")].status',
};

export const rdsCrd = (): Json =>
  definition({
    kind: 'Rds',
    plural: 'rdss',
    singular: 'rds',
    shortNames: ['rds'],
    spec: RdsSpecSchema,
    specValidations: [...SPEC_RULES, ...CHANGE_RULES].map(({ cel, message }) => ({ rule: cel, message })),
    status: RdsStatusSchema,
    columns: [
      ready,
      { name: 'Status', type: 'string', jsonPath: '.status.phase' },
      { name: 'Engine', type: 'string', jsonPath: '.spec.datastoretype' },
      { name: 'Version', type: 'string', jsonPath: '.status.engineVersion' },
      { name: 'Flavor', type: 'string', jsonPath: '.status.flavor' },
      { name: 'Volume', type: 'integer', jsonPath: '.status.volumeGb' },
      { name: 'IP', type: 'string', jsonPath: '.status.ip' },
      age,
      {
        name: 'Reason',
        type: 'string',
        priority: 1,
        jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      },
    ],
  });

export const rdsBackupCrd = (): Json =>
  definition({
    kind: 'RdsBackup',
    plural: 'rdsbackups',
    singular: 'rdsbackup',
    shortNames: ['rdsbackup'],
    spec: RdsBackupSpecSchema,
    specValidations: [...BACKUP_RULES, ...BACKUP_CHANGE_RULES].map(({ cel, message }) => ({
      rule: cel,
      message,
    })),
    status: RdsBackupStatusSchema,
    columns: [
      ready,
      { name: 'Status', type: 'string', jsonPath: '.status.phase' },
      { name: 'Rds', type: 'string', jsonPath: '.spec.rds' },
      { name: 'Backup', type: 'string', jsonPath: '.status.id' },
      { name: 'Size-KB', type: 'integer', jsonPath: '.status.sizeKb' },
      age,
      {
        name: 'Reason',
        type: 'string',
        priority: 1,
        jsonPath: '.status.conditions[?(@.type=="Ready")].reason',
      },
    ],
  });
