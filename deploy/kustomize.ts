// Writes deploy/kustomize from the chart, so that both install the same: `HELM=helm node deploy/kustomize.ts`.
// A test compares.
import { execFileSync } from 'node:child_process';
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

export const CHART = join(import.meta.dirname, 'chart');
const HEADER = '# Generated from deploy/chart by `node deploy/kustomize.ts`; do not edit.\n';
const NAMESPACE = `${HEADER}apiVersion: v1
kind: Namespace
metadata:
  name: rds-pilot
  labels:
    pod-security.kubernetes.io/enforce: restricted
`;
/** They come from metacontroller/, where they are made. */
const NOT_COPIED = 'crds';

/** Optional parts of the chart. Each only adds objects, so that it can be a component. */
export const PARTS: Record<string, string[]> = {
  'cert-manager': ['tls.mode=certManager'],
  'alarm-ingress': [
    'alarms.ingress.enabled=true',
    'alarms.ingress.host=alarms.example.org',
    'alarms.ingress.tlsSecret=rds-pilot-alarms-tls',
  ],
  sharing: ['sharing.enabled=true'],
  'service-monitor': ['monitoring.serviceMonitor.enabled=true'],
  alerts: ['monitoring.alerts.enabled=true'],
  dashboards: ['monitoring.dashboards.enabled=true'],
};

/** With given secrets, as kustomize can generate none, and without what only Helm runs. */
export function templateArguments(settings: string[]): string[] {
  const given = [
    'tls.mode=existing',
    'tls.existingSecret=rds-pilot-tls',
    'hookToken.existingSecret=rds-pilot-hook',
  ];
  const sets = [...given, ...settings].flatMap((setting) => ['--set', setting]);
  return ['template', 'rds-pilot', CHART, '--namespace', 'rds-pilot', '--no-hooks', ...sets];
}

type Document = { source: string; text: string };

function documentsOf(rendered: string): Document[] {
  return rendered
    .split(/^---$/m)
    .map((text) => ({
      source: /^# Source: .*\/(.+)\.yaml$/m.exec(text)?.[1] ?? '',
      text: text
        .replace(/^# Source: .*\n/m, '')
        .replaceAll(/^\s+(helm\.sh\/chart|app\.kubernetes\.io\/managed-by): .*\n/gm, '')
        .trim(),
    }))
    .filter(({ source, text }) => source !== NOT_COPIED && /^kind: /m.test(text));
}

const listing = (kind: string, lines: string): string => `${HEADER}${kind}\n${lines}`;
const joined = (documents: Document[]): string =>
  `${HEADER}${documents.map(({ text }) => text).join('\n---\n')}\n`;

/** Path under deploy/kustomize -> content. */
export function kustomizeFiles(render: (settings: string[]) => string): Record<string, string> {
  const base = documentsOf(render([]));
  const groups = Map.groupBy(base, ({ source }) => source);
  const files: Record<string, string> = { 'base/namespace.yaml': NAMESPACE };
  for (const [source, documents] of groups) files[`base/${source}.yaml`] = joined(documents);
  const resources = [
    '../../../metacontroller',
    'namespace.yaml',
    ...[...groups.keys()].map((name) => `${name}.yaml`),
  ];
  files['base/kustomization.yaml'] = listing(
    'apiVersion: kustomize.config.k8s.io/v1beta1\nkind: Kustomization',
    `labels:
  - pairs:
      app.kubernetes.io/name: rds-pilot
      app.kubernetes.io/part-of: rds-pilot
resources:
${resources.map((name) => `  - ${name}\n`).join('')}`,
  );
  const known = new Set(base.map(({ text }) => text));
  for (const [part, settings] of Object.entries(PARTS)) {
    const added = documentsOf(render(settings)).filter(({ text }) => !known.has(text));
    files[`components/${part}/objects.yaml`] = joined(added);
    files[`components/${part}/kustomization.yaml`] = listing(
      'apiVersion: kustomize.config.k8s.io/v1alpha1\nkind: Component',
      'resources:\n  - objects.yaml\n',
    );
  }
  return files;
}

if (import.meta.main) {
  const folder = join(import.meta.dirname, 'kustomize');
  const render = (settings: string[]): string =>
    execFileSync(process.env.HELM ?? 'helm', templateArguments(settings), { encoding: 'utf8' });
  const files = kustomizeFiles(render);
  rmSync(folder, { recursive: true, force: true });
  for (const [path, text] of Object.entries(files)) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}
