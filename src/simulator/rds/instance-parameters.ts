// Parameters of one instance. What needs a restart only takes effect with one, and the caller must ask for it.
import { bodyOf, isObject, object } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { rdsTime } from '../time.ts';
import { instanceOf } from './guards.ts';
import { newJob } from './operations.ts';
import { findParameter } from './parameter-catalog.ts';
import { parameterShapes, sortValues } from './parameter-templates.ts';

export function showParameters(call: Call): Answer {
  const instance = instanceOf(call);
  return json(200, {
    datastore_version_name: instance.version,
    datastore_name: instance.engine.toLowerCase(),
    created: rdsTime(instance.createdAt),
    updated: rdsTime(instance.updatedAt),
    configuration_parameters: parameterShapes(instance.engine, instance.parameters),
  });
}

export function changeParameters(call: Call): Answer {
  const instance = instanceOf(call);
  const values = object(bodyOf(call), 'values');
  if (Object.values(values).some(isObject)) throw new BadField('values', 'each value must be a string');
  if (instance.operation)
    throw refuse(403, 'DBS.212033', 'The DB instance is busy: parameters cannot be changed now.');
  const { accepted, ignored } = sortValues(instance.engine, values);
  const needsRestart = Object.keys(accepted).some(
    (name) => findParameter(instance.engine, name)?.needsRestart,
  );
  Object.assign(instance.parameters, accepted);
  instance.needsRestart ||= needsRestart;
  const job = newJob(call, instance, 'ModifyParameters');
  return json(200, { restart_required: needsRestart, job_id: job.id, ignored_params: ignored });
}
