// The last step of every create: quota, the ordered misfortunes of a build, and the job.
import { type Answer, type Call, json } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { begin, beginForever, type Operation } from './operations.ts';
import type { Instance } from './types.ts';
import { createdShape } from './wire.ts';

/** The instance begins to exist here, whatever becomes of it. */
export function launch(
  call: Call,
  instance: Instance,
  sent: { zone: string; configurationId: string | undefined },
): Answer {
  const used = Object.values(call.world.instances).filter(
    ({ projectId }) => projectId === instance.projectId,
  ).length;
  if (used >= call.settings.instanceQuota) throw refuse(413, 'DBS.200046', 'The instance quota is exceeded.');
  const isFailing = call.faults.takeWorld('failed-build', call.site);
  const isStuck = !isFailing && call.faults.takeWorld('stuck-build', call.site);
  const { createMs, replicaMs } = call.settings.durations;
  const operation: Operation = {
    kind: 'create',
    status: 'BUILD',
    durationMs: instance.type === 'Replica' ? replicaMs : createMs,
    effect: isFailing ? { do: 'build-failed' } : { do: 'built' },
    entities: {
      instance: {
        endpoint: `${instance.ip}:${instance.port}`,
        type: instance.type,
        datastore: { type: instance.engine, version: instance.version },
        ...(instance.replicaOf && { replica_of: instance.replicaOf }),
      },
      resource_ids: [instance.id],
    },
    ...(isFailing && { failReason: 'Failed to create the DB instance.' }),
  };
  call.world.instances[instance.id] = instance;
  const job = isStuck ? beginForever(call, instance, operation) : begin(call, instance, operation);
  return json(202, { instance: createdShape(instance, sent), job_id: job.id });
}
