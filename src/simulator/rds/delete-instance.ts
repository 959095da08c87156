// `DELETE /instances/{id}`: refused while anything runs; the row stays as it is until the job is done.
import { type Answer, type Call, json } from '../protocol.ts';
import { instanceOf, requireIdle, requireNoSslSwitch } from './guards.ts';
import { begin } from './operations.ts';

export function deleteInstance(call: Call): Answer {
  const instance = instanceOf(call);
  requireIdle(instance);
  requireNoSslSwitch(instance, call.now);
  for (const other of Object.values(call.world.instances))
    if (other.replicaOf === instance.id) requireIdle(other);
  const job = begin(call, instance, {
    kind: 'delete',
    durationMs: call.settings.durations.deleteMs,
    effect: { do: 'deleted' },
  });
  return json(202, { job_id: job.id });
}
