// docs/resource.md: every field of the resource, from the schema that also validates it.

import { RdsBackupSpecSchema, RdsBackupStatusSchema } from '../src/rds/backup.ts';
import { BACKUP_CHANGE_RULES, BACKUP_RULES } from '../src/rds/backup-rules.ts';
import { CHANGE_RULES, SPEC_RULES } from '../src/rds/rules.ts';
import { RdsSpecSchema } from '../src/rds/spec.ts';
import { RdsStatusSchema } from '../src/rds/status.ts';

type Schema = {
  type?: string;
  description?: string;
  default?: unknown;
  enum?: string[];
  minimum?: number;
  maximum?: number;
  properties?: Record<string, Schema>;
  items?: Schema;
};

function typeOf(schema: Schema): string {
  if (schema.enum) return schema.enum.join(' \\| ');
  if (schema.items) return `list of ${typeOf(schema.items)}`;
  const range = schema.minimum === undefined ? '' : ` ${schema.minimum}-${schema.maximum}`;
  return `${schema.type}${range}`;
}

function rows(schema: Schema, path: string): string[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
    const inner = field.properties ? field : field.items?.properties ? field.items : undefined;
    const here = `${path}${name}${field.items ? '[]' : ''}`;
    const fallback = field.default === undefined ? '' : `\`${field.default}\``;
    const row = `| \`${here}\` | ${typeOf(field)} | ${fallback} | ${field.description ?? ''} |`;
    return inner ? [row, ...rows(inner, `${here}.`)] : [row];
  });
}

function section(title: string, schema: unknown, path: string): string[] {
  return [
    `## ${title}`,
    '',
    '| field | type | default | meaning |',
    '|---|---|---|---|',
    ...rows(schema as Schema, path),
    '',
  ];
}

function refusals(title: string, rules: readonly { field: string; message: string }[]): string[] {
  return [`### ${title}`, '', ...rules.map(({ field, message }) => `- \`${field}\`: ${message}.`), ''];
}

export function resourceReference(): string {
  return [
    '<!-- Generated from src/rds by `npm run generate`; do not edit. -->',
    '# Resource reference',
    '',
    '`apiVersion: otc.mcsps.de/v1alpha1`. Fields in lower case are those of the old operator and keep their meaning.',
    '',
    ...section('Rds: spec', RdsSpecSchema, 'spec.'),
    ...refusals('Refused at admission', SPEC_RULES),
    ...refusals('Refused as a change', CHANGE_RULES),
    ...section('Rds: status', RdsStatusSchema, 'status.'),
    ...section('RdsBackup: spec', RdsBackupSpecSchema, 'spec.'),
    ...refusals('An RdsBackup that is refused at admission', BACKUP_RULES),
    ...refusals('A change of an RdsBackup that is refused', BACKUP_CHANGE_RULES),
    ...section('RdsBackup: status', RdsBackupStatusSchema, 'status.'),
  ].join('\n');
}
