// The dashboards of the chart, as far as their queries go.
import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DASHBOARDS } from './monitored.ts';

export type Target = { expr: string; legendFormat: string };
export type Panel = {
  title: string;
  type: string;
  fieldConfig: { defaults: { unit?: string; max?: number } };
  targets: Target[];
};
export type Dashboard = { file: string; title: string; uid: string; panels: Panel[] };

export function readDashboards(): Dashboard[] {
  return globSync('*.json', { cwd: DASHBOARDS })
    .sort()
    .map((file) => ({ file, ...JSON.parse(readFileSync(join(DASHBOARDS, file), 'utf8')) }));
}

/** With the variables of the page filled in. */
export const filled = (expr: string, namespace: string, name: string): string =>
  expr.replaceAll('$namespace', namespace).replaceAll('$name', name);
