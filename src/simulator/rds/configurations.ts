// The calls on parameter templates.
import { bodyOf, list, optionalObject, optionalText, text } from '../fields.ts';
import { type Answer, type Call, empty, json, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { readDatastore } from './create-rules.ts';
import { newJob } from './operations.ts';
import { findParameter } from './parameter-catalog.ts';
import * as templates from './parameter-templates.ts';
import type { Engine, Template } from './types.ts';

/** PostgreSQL templates silently skip these: they depend on the machine. */
const machineBound = new Set([
  'shared_buffers',
  'max_connections',
  'max_prepared_transactions',
  'effective_cache_size',
  'maintenance_work_mem',
  'max_wal_size',
  'work_mem',
]);

const skippedFor = (engine: Engine): ReadonlySet<string> =>
  engine === 'PostgreSQL' ? machineBound : new Set();

export const listTemplates = (call: Call): Answer =>
  json(200, { configurations: templates.templatesOf(call).map(templates.templateShape) });

function checkName(call: Call, name: string, self?: string): string {
  if (!/^[A-Za-z0-9._-]{1,64}$/.test(name)) throw new BadField('name', `${name} is invalid`);
  if (templates.templatesOf(call).some((other) => other.name === name && other.id !== self))
    throw refuse(409, 'DBS.212006', `The parameter template ${name} already exists.`);
  return name;
}

export function createTemplate(call: Call): Answer {
  const body = bodyOf(call);
  // The cloud's own command line sends the engine of a template in lower case.
  const { engine, version } = readDatastore(body, { isAnyCase: true });
  const { accepted } = templates.sortValues(engine, optionalObject(body, 'values') ?? {}, skippedFor(engine));
  const template: Template = {
    id: templates.newTemplateId(call, engine),
    projectId: call.identity.projectId ?? '',
    name: checkName(call, text(body, 'name')),
    description: optionalText(body, 'description') ?? '',
    engine,
    version,
    values: accepted,
    createdAt: call.now,
    updatedAt: call.now,
  };
  call.world.templates[template.id] = template;
  return json(200, { configuration: templates.templateShape(template) });
}

export function showTemplate(call: Call): Answer {
  const template = templates.findTemplate(call, param(call, 'id'));
  return json(200, {
    ...templates.templateShape(template),
    configuration_parameters: templates.parameterShapes(template.engine, template.values),
  });
}

function ownTemplate(call: Call): Template {
  const template = templates.findTemplate(call, param(call, 'id'));
  if (templates.isDefault(template))
    throw refuse(400, 'DBS.212003', 'A default parameter template cannot be changed.');
  return template;
}

export function updateTemplate(call: Call): Answer {
  const template = ownTemplate(call);
  const body = bodyOf(call);
  const name = optionalText(body, 'name');
  const values = optionalObject(body, 'values') ?? {};
  const { accepted } = templates.sortValues(template.engine, values, skippedFor(template.engine));
  if (name) template.name = checkName(call, name, template.id);
  template.description = optionalText(body, 'description') ?? template.description;
  Object.assign(template.values, accepted);
  template.updatedAt = call.now;
  return empty(200);
}

export function deleteTemplate(call: Call): Answer {
  delete call.world.templates[ownTemplate(call).id];
  return empty(200);
}

export function applyTemplate(call: Call): Answer {
  const template = templates.findTemplate(call, param(call, 'id'));
  const ids = list(bodyOf(call), 'instance_ids').map(String);
  const results = ids.map((id) => applyTo(call, template, id));
  const applied = results.flatMap((result) =>
    result.success ? (call.world.instances[result.instance_id] ?? []) : [],
  );
  return json(200, {
    configuration_id: template.id,
    configuration_name: template.name,
    apply_results: results,
    success: results.every(({ success }) => success),
    job_id: applied[0] ? newJob(call, applied[0], 'ApplyParameterTemplate').id : '',
  });
}

function applyTo(call: Call, template: Template, id: string) {
  const instance = call.world.instances[id];
  const isFit = instance?.engine === template.engine && instance.projectId === call.identity.projectId;
  if (!isFit || instance.version !== template.version || instance.operation)
    return { instance_id: id, instance_name: instance?.name ?? '', restart_required: false, success: false };
  const needsRestart = Object.keys(template.values).some(
    (name) => findParameter(template.engine, name)?.needsRestart,
  );
  instance.parameters = { ...template.values };
  instance.needsRestart ||= needsRestart;
  return { instance_id: id, instance_name: instance.name, restart_required: needsRestart, success: true };
}
