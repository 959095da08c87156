// What is generated from the one schema: CRDs for the cluster, reference pages for people.

import { readdirSync, readFileSync } from 'node:fs';
import { stringify } from 'yaml';
import { rdsBackupCrd, rdsCrd } from '../src/rds/crd.ts';
import { REASONS } from '../src/rds/reasons.ts';
import { resourceReference } from './reference.ts';

const HEADER = '# Generated from src/rds by `npm run generate`; do not edit.\n';

function crd(definition: Record<string, unknown>): string {
  // kubectl and Helm read YAML 1.1, where a bare Off is false.
  return HEADER + stringify(definition, { lineWidth: 0, compat: 'yaml-1.1' });
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

/** Helm sees only what is in the chart's own folder. */
function chartFiles(): Record<string, string> {
  const controllers = readdirSync(import.meta.dirname).filter((name) =>
    /^(controller|decorator).*\.yaml$/.test(name),
  );
  return {
    'deploy/chart/files/crd-rds.yaml': crd(rdsCrd()),
    'deploy/chart/files/crd-rdsbackup.yaml': crd(rdsBackupCrd()),
    ...Object.fromEntries(
      controllers.map((name) => [
        `deploy/chart/files/${name}`,
        readFileSync(new URL(name, import.meta.url), 'utf8'),
      ]),
    ),
  };
}

/** Path in the repository -> content. */
export function generatedFiles(): Record<string, string> {
  return {
    'metacontroller/crd-rds.yaml': crd(rdsCrd()),
    'metacontroller/crd-rdsbackup.yaml': crd(rdsBackupCrd()),
    ...chartFiles(),
    'docs/conditions.md': conditions(),
    'docs/resource.md': resourceReference(),
  };
}
