// YAML files as people write them: many documents in a file, some of them broken. Every problem has its place.

import { LineCounter, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../kube/api.ts';
import { isRecord } from './json.ts';
import { findByKind, type Resource } from './resources.ts';

export type ManifestProblem = { file: string; line: number; reason: string };
export type Manifest = { file: string; line: number; resource: Resource; object: KubeObject };

export type ParsedFile = { manifests: Manifest[]; problems: ManifestProblem[] };

/** `source` says where a problem is: the file, and the line its document starts on. */
const readDocument = (
  value: unknown,
  source: { file: string; line: number },
  resources: readonly Resource[],
): Manifest | string => {
  if (!isRecord(value) || typeof value.apiVersion !== 'string' || typeof value.kind !== 'string') {
    return 'not a Kubernetes object: apiVersion and kind are needed';
  }
  const { apiVersion, kind } = value;
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const { name } = metadata;
  if (typeof name !== 'string' || name === '') return `${kind} without metadata.name`;
  const resource = findByKind(resources, { apiVersion, kind });
  if (!resource) return `${kind} of ${apiVersion} is not known here`;
  const namespace = typeof metadata.namespace === 'string' ? metadata.namespace : 'default';
  const object: KubeObject = {
    ...value,
    apiVersion,
    kind,
    metadata: { ...metadata, name, ...(resource.namespaced ? { namespace } : {}) },
  };
  return { ...source, resource, object };
};

export const parseManifests = (file: string, text: string, resources: readonly Resource[]): ParsedFile => {
  const lines = new LineCounter();
  const result: ParsedFile = { manifests: [], problems: [] };
  const documents = parseAllDocuments(text, { lineCounter: lines });
  if (!Array.isArray(documents)) return result;
  for (const document of documents) {
    const line = lines.linePos(document.contents?.range?.[0] ?? document.range[0]).line;
    const [error] = document.errors;
    if (error) {
      const reason = error.message.split('\n')[0] ?? error.code;
      result.problems.push({ file, line: error.linePos?.[0].line ?? line, reason });
      continue;
    }
    const value: unknown = document.toJS();
    if (value === null) continue;
    const read = readDocument(value, { file, line }, resources);
    if (typeof read === 'string') result.problems.push({ file, line, reason: read });
    else result.manifests.push(read);
  }
  return result;
};
