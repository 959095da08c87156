// What `helm template` and `kustomize build` say, as objects.
import { join } from 'node:path';
import { parseAllDocuments } from 'yaml';
import { CHART } from '../../deploy/kustomize.ts';
import type { KubeObject } from '../../src/kube/api.ts';
import { CHECKOUT } from '../cluster/node-process.ts';
import { type Outcome, runTool } from '../cluster/package-tools.ts';

export type Rendered = KubeObject & { spec?: Record<string, unknown>; rules?: unknown[]; data?: unknown };

function objectsOf(yaml: string): Rendered[] {
  return parseAllDocuments(yaml)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return document.toJS() as Rendered | null;
    })
    .filter((object) => object !== null);
}

export const keyOf = ({ kind, metadata }: KubeObject): string =>
  `${kind} ${metadata.namespace ?? ''}/${metadata.name}`;

export const helmTemplate = (settings: string[] = [], ...more: string[]): Promise<Outcome> =>
  runTool('helm', [
    ...['template', 'rds-pilot', CHART, '--namespace', 'rds-pilot'],
    ...settings.flatMap((setting) => ['--set', setting]),
    ...more,
  ]);

/** Throws what helm or kustomize complained about. */
export async function objectsFrom(outcome: Promise<Outcome>): Promise<Rendered[]> {
  const { ok, stdout, stderr } = await outcome;
  if (!ok) throw new Error(stderr);
  return objectsOf(stdout);
}

export const kustomizeBuild = (folder: string): Promise<Outcome> =>
  runTool('kustomize', ['build', join(CHECKOUT, folder)]);

export function find<T extends Rendered = Rendered>(objects: Rendered[], kind: string, name: string): T {
  const found = objects.find((object) => object.kind === kind && object.metadata.name === name);
  if (!found) throw new Error(`there is no ${kind} ${name} among ${objects.map(keyOf).join(', ')}`);
  return found as T;
}
