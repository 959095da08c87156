// Primary and standby: failover, how they replicate, what matters more, and moving the standby.
import { ZONES } from '../demo-account.ts';
import { bodyOf, optionalBodyOf, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { factsOf } from './engines.ts';
import { instanceOf, requireActive, requireIdle, requireType } from './guards.ts';
import { begin, newJob } from './operations.ts';

export function failOver(call: Call): Answer {
  const instance = instanceOf(call);
  optionalBodyOf(call);
  requireType(instance, 'Ha');
  requireActive(instance, ['FAILED', 'STORAGE FULL']);
  const { failoverMs } = call.settings.durations;
  const effect = { do: 'failed-over' } as const;
  const job = begin(call, instance, {
    kind: 'failover',
    status: 'SWITCHOVER',
    durationMs: failoverMs,
    effect,
  });
  const nodeId = instance.nodes.find(({ role }) => role === 'slave')?.id ?? '';
  return json(200, { workflowId: job.id, instanceId: instance.id, nodeId });
}

export function setReplicationMode(call: Call): Answer {
  const instance = instanceOf(call);
  const mode = text(bodyOf(call), 'mode');
  requireType(instance, 'Ha');
  requireIdle(instance, ['backup', 'restart', 'enlarge']);
  if (instance.engine === 'SQLServer' || !factsOf(instance.engine).replicationModes.includes(mode))
    throw refuse(400, 'DBS.200043', `The replication mode ${mode} is invalid for ${instance.engine}.`);
  instance.replicationMode = mode;
  const job = newJob(call, instance, 'ModifyReplicationMode');
  return json(200, { workflowId: job.id, instanceId: instance.id, replicationMode: mode });
}

export function setStrategy(call: Call): Answer {
  const instance = instanceOf(call);
  const strategy = text(bodyOf(call), 'repairStrategy');
  requireType(instance, 'Ha');
  requireIdle(instance, ['backup', 'restart', 'enlarge', 'resize']);
  if (strategy !== 'reliability' && strategy !== 'availability')
    throw new BadField('repairStrategy', 'it must be reliability or availability');
  instance.strategy = strategy;
  return json(200, {});
}

export function migrateStandby(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const nodeId = text(body, 'nodeId');
  const zone = text(body, 'azCode');
  requireType(instance, 'Ha');
  if (instance.engine === 'SQLServer')
    throw refuse(400, 'DBS.200040', 'SQLServer does not support this call.');
  if (!instance.nodes.some((node) => node.id === nodeId && node.role === 'slave'))
    throw refuse(404, 'DBS.200013', `The standby node ${nodeId} does not exist.`);
  if (!ZONES.includes(zone)) throw refuse(404, 'DBS.200470', `The availability zone ${zone} does not exist.`);
  requireActive(instance);
  const { migrateMs } = call.settings.durations;
  const effect = { do: 'migrated', nodeId, zone } as const;
  const job = begin(call, instance, { kind: 'migrate', status: 'MIGRATING', durationMs: migrateMs, effect });
  return json(200, { workflowId: job.id });
}

export function showReplicationStatus(call: Call): Answer {
  const instance = instanceOf(call);
  if (instance.engine === 'PostgreSQL')
    throw refuse(400, 'DBS.200040', 'PostgreSQL does not support this call.');
  return json(200, { replication_status: instance.type === 'Single' ? '' : 'normal', abnormal_reason: '' });
}
