// Parameter templates: one default per engine and version, and those that users make.
import { fixedHex } from '../fixed-id.ts';
import type { Call } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { rdsTime } from '../time.ts';
import { engines, factsOf } from './engines.ts';
import { findParameter, isInRange, parametersOf } from './parameter-catalog.ts';
import type { Engine, Template } from './types.ts';

const DEFAULTS_MADE_AT = Date.UTC(2024, 0, 1);

const defaultTemplates: Template[] = engines.flatMap(({ engine, idSuffix, versions }) =>
  versions.map((version) => ({
    id: `${fixedHex(`template ${engine} ${version}`)}pr${idSuffix}`,
    projectId: '',
    name: `Default-${engine}-${version}`,
    description: `Default parameter template for ${engine} ${version}`,
    engine,
    version,
    values: {},
    createdAt: DEFAULTS_MADE_AT,
    updatedAt: DEFAULTS_MADE_AT,
  })),
);

export const templatesOf = (call: Call): Template[] => [
  ...defaultTemplates,
  ...Object.values(call.world.templates).filter(({ projectId }) => projectId === call.identity.projectId),
];

export const isDefault = (template: Template): boolean => template.projectId === '';

export function findTemplate(call: Call, id: string): Template {
  const found = templatesOf(call).find((template) => template.id === id);
  if (!found) throw refuse(404, 'DBS.212001', `The parameter template ${id} does not exist.`);
  return found;
}

export function templateValues(
  call: Call,
  id: string,
  of: { engine: Engine; version: string },
): Record<string, string> {
  const template = findTemplate(call, id);
  if (template.engine !== of.engine || template.version !== of.version)
    throw refuse(400, 'DBS.212019', 'The parameter template is for another engine or version.');
  return { ...template.values };
}

/** Names that are unknown, read-only or skipped are left out silently, as the cloud does. */
export function sortValues(
  engine: Engine,
  values: Record<string, unknown>,
  skipped: ReadonlySet<string> = new Set(),
) {
  const accepted: Record<string, string> = {};
  const ignored: string[] = [];
  for (const [name, raw] of Object.entries(values)) {
    const parameter = findParameter(engine, name);
    const value = String(raw);
    if (!parameter || parameter.isReadonly || skipped.has(name)) ignored.push(name);
    else if (!isInRange(parameter, value))
      throw refuse(400, 'DBS.200461', `The value of ${name} is out of range ${parameter.range}.`);
    else accepted[name] = value;
  }
  return { accepted, ignored };
}

export const newTemplateId = (call: Call, engine: Engine): string =>
  `${call.random.hex(32)}pr${factsOf(engine).idSuffix}`;

export const templateShape = (of: Template) => ({
  id: of.id,
  name: of.name,
  description: of.description,
  datastore_name: of.engine.toLowerCase(),
  datastore_version_name: of.version,
  created: rdsTime(of.createdAt),
  updated: rdsTime(of.updatedAt),
  user_defined: !isDefault(of),
});

export const parameterShapes = (engine: Engine, values: Record<string, string>) =>
  parametersOf(engine).map((parameter) => ({
    name: parameter.name,
    value: values[parameter.name] ?? parameter.default,
    restart_required: parameter.needsRestart,
    readonly: parameter.isReadonly,
    value_range: parameter.range,
    type: parameter.type,
    description: '',
  }));
