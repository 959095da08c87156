// What is wrong with a manifest, by line and field: the syntax of the YAML, the shape of the object, and the
// same schema and rules that the API server applies.

import { type Document, isMap, isScalar, isSeq, LineCounter, parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../kube/api.ts';
import { RdsBackupSpecSchema } from '../../rds/backup.ts';
import { backupSpecProblems } from '../../rds/backup-validate.ts';
import { RdsSpecSchema } from '../../rds/spec.ts';
import { type Problem, specProblems } from '../../rds/validate.ts';
import { backupAdmission } from '../backup-admission.ts';
import { isRecord } from '../json.ts';
import { rdsAdmission } from '../rds-admission.ts';
import { apiVersionOf, knownResources, type Resource } from '../resources.ts';
import { strayMark, withStoredValues } from './hidden-values.ts';

export type Finding = { line: number; column: number; field: string; message: string };
export type Wanted = { resource: Resource; object: KubeObject };
export type Checked = { findings: Finding[]; wanted: Wanted[] };
export type FindStored = (kind: string, namespace: string, name: string) => KubeObject | undefined;

const KINDS = ['Rds', 'RdsBackup', 'Secret', 'ConfigMap'];
const LARGEST_TEXT = 512 * 1024;

type Schema = { properties?: Record<string, Schema>; items?: Schema; description?: string; enum?: string[] };

export function checkManifests(text: string, stored: FindStored): Checked {
  const checked: Checked = { findings: [], wanted: [] };
  if (text.length > LARGEST_TEXT) {
    checked.findings.push({ line: 1, column: 1, field: '', message: 'the manifest is larger than 512 kB' });
    return checked;
  }
  const lines = new LineCounter();
  const documents = parseAllDocuments(text, { lineCounter: lines, prettyErrors: false });
  for (const document of Array.isArray(documents) ? documents : [])
    checkOne(document, lines, stored, checked);
  if (checked.findings.length === 0 && checked.wanted.length === 0)
    checked.findings.push({ line: 1, column: 1, field: '', message: 'there is no object in this manifest' });
  checked.findings.sort((one, other) => one.line - other.line);
  return checked;
}

function checkOne(document: Document, lines: LineCounter, stored: FindStored, checked: Checked): void {
  const report = (offset: number, { field, message }: Problem) => {
    const { line, col } = lines.linePos(offset);
    checked.findings.push({ line, column: col, field, message });
  };
  const { errors } = document;
  for (const error of errors) report(error.pos[0], { field: '', message: error.message });
  if (errors.length > 0) return;
  const value = plain(document);
  if (value === null) return;
  const read = readObject(value, stored);
  const problems = 'problem' in read ? [read.problem] : problemsOf(read.wanted, stored);
  for (const problem of problems) report(offsetOf(document, problem.field), problem);
  if (problems.length === 0 && 'wanted' in read) checked.wanted.push(read.wanted);
}

/** A document of aliases that would grow beyond all bounds is refused by the parser with an exception. */
function plain(document: Document): unknown {
  try {
    return document.toJS();
  } catch (error) {
    return error instanceof Error ? { refused: error.message } : {};
  }
}

function readObject(value: unknown, stored: FindStored): { wanted: Wanted } | { problem: Problem } {
  const wrong = (field: string, message: string) => ({ problem: { field, message } });
  if (!isRecord(value)) return wrong('', 'this is not an object: apiVersion, kind and metadata are needed');
  const { apiVersion, kind } = value;
  const resource = knownResources.find((one) => one.kind === kind);
  if (!resource || !KINDS.includes(resource.kind)) return wrong('kind', `must be one of ${KINDS.join(', ')}`);
  if (apiVersion !== apiVersionOf(resource))
    return wrong('apiVersion', `must be ${apiVersionOf(resource)} for ${resource.kind}`);
  const metadata = isRecord(value.metadata) ? value.metadata : {};
  const { name, namespace = 'default' } = metadata;
  if (typeof name !== 'string' || !/^[a-z0-9]([-.a-z0-9]*[a-z0-9])?$/.test(name) || name.length > 253)
    return wrong('metadata.name', 'must be lower case letters, digits and dashes');
  if (typeof namespace !== 'string' || !/^[a-z0-9]([-a-z0-9]*[a-z0-9])?$/.test(namespace))
    return wrong('metadata.namespace', 'must be lower case letters, digits and dashes');
  for (const map of ['labels', 'annotations'])
    if (metadata[map] !== undefined && !isTextMap(metadata[map]))
      return wrong(`metadata.${map}`, 'must be a map of text to text; put numbers and true in quotes');
  const before = stored(resource.kind, namespace, name)?.spec;
  const spec = isRecord(value.spec)
    ? { spec: withStoredValues(value.spec, isRecord(before) ? before : undefined) }
    : {};
  const object = { ...value, ...spec, kind: resource.kind, metadata: { ...metadata, name, namespace } };
  return { wanted: { resource, object: object as KubeObject } };
}

const isTextMap = (value: unknown): boolean =>
  isRecord(value) && Object.values(value).every((item) => typeof item === 'string');

const KNOWN = {
  Rds: { schema: RdsSpecSchema, problems: specProblems, admission: rdsAdmission },
  RdsBackup: { schema: RdsBackupSpecSchema, problems: backupSpecProblems, admission: backupAdmission },
} as const;

function problemsOf({ object }: Wanted, stored: FindStored): Problem[] {
  const known = object.kind === 'Rds' || object.kind === 'RdsBackup' ? KNOWN[object.kind] : undefined;
  if (!known) return [];
  const schema = known.schema as Schema;
  const stray = isRecord(object.spec) ? strayMark(object.spec) : undefined;
  if (stray) return [{ field: stray, message: 'this stands for a stored password, and none is stored here' }];
  const found = [
    ...(isRecord(object.spec) ? known.problems(object.spec) : []).map((problem) =>
      explained(problem, schema),
    ),
    ...unknownFields(object.spec, schema, 'spec'),
  ];
  if (found.length > 0) return found;
  const { namespace = '', name } = object.metadata;
  const verdict = known.admission(object, stored(object.kind, namespace, name));
  if (!('reject' in verdict)) return [];
  const [, field = '', message = ''] = /^([\w.]+): (.*)$/s.exec(verdict.reject.message) ?? [];
  return [field ? { field, message } : { field: 'spec', message: verdict.reject.message }];
}

/** What the schema knows and its checker does not say: the allowed words, and what the field is for. */
function explained({ field, message }: Problem, root: Schema): Problem {
  let schema: Schema | undefined = root;
  for (const part of field.split('.').slice(1))
    schema = /^\d+$/.test(part) ? schema?.items : schema?.properties?.[part];
  const words = schema?.enum ? `: ${schema.enum.join(', ')}` : '';
  const purpose = schema?.description && schema !== root ? ` (${schema.description.replace(/\.$/, '')})` : '';
  return { field, message: `${message}${words}${purpose}` };
}

/** The API server would drop them without a word; a typo deserves one. */
function unknownFields(value: unknown, schema: Schema, path: string): Problem[] {
  const { items, properties } = schema;
  if (Array.isArray(value))
    return items ? value.flatMap((item, index) => unknownFields(item, items, `${path}.${index}`)) : [];
  if (!isRecord(value) || !properties) return [];
  return Object.entries(value).flatMap(([name, field]) => {
    const known = properties[name];
    return known
      ? unknownFields(field, known, `${path}.${name}`)
      : [{ field: `${path}.${name}`, message: 'there is no such field' }];
  });
}

/** Where the field is written, or the nearest thing around it that is. */
function offsetOf({ contents }: Document, field: string): number {
  let node: unknown = contents;
  let offset = contents?.range?.[0] ?? 0;
  for (const part of field.split('.').filter(Boolean)) {
    if (isMap(node)) {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === part);
      if (!pair || !isScalar(pair.key)) break;
      offset = pair.key.range?.[0] ?? offset;
      node = pair.value;
    } else if (isSeq(node)) {
      node = node.items[Number(part)];
      offset = (node as { range?: [number] | undefined } | undefined)?.range?.[0] ?? offset;
    } else break;
  }
  return offset;
}
