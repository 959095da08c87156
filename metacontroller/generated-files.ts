// What is generated from the one schema: CRDs for the cluster, reference pages for people.

import { stringify } from 'yaml';
import { rdsBackupCrd, rdsCrd } from '../src/rds/crd.ts';
import { REASONS } from '../src/rds/reasons.ts';
import { resourceReference } from './reference.ts';

const HEADER = '# Generated from src/rds by `npm run generate`; do not edit.\n';

function crd(definition: Record<string, unknown>): string {
  return HEADER + stringify(definition, { lineWidth: 0 });
}

function conditions(): string {
  const rows = Object.entries(REASONS)
    .sort(([a], [b]) => a.localeCompare(b))
    .map(([reason, { means, remedy }]) => `| \`${reason}\` | ${means} | ${remedy} |`);
  return [
    '<!-- Generated from src/rds/reasons.ts by `npm run generate`; do not edit. -->',
    '# Conditions',
    '',
    '`kubectl describe rds NAME` shows conditions; each has one of these reasons.',
    '',
    '| reason | what it means | what to do |',
    '|---|---|---|',
    ...rows,
    '',
  ].join('\n');
}

/** Path in the repository -> content. */
export function generatedFiles(): Record<string, string> {
  return {
    'metacontroller/crd-rds.yaml': crd(rdsCrd()),
    'metacontroller/crd-rdsbackup.yaml': crd(rdsBackupCrd()),
    'docs/conditions.md': conditions(),
    'docs/resource.md': resourceReference(),
  };
}
