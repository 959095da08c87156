// Stopping and starting. A stopped instance starts by itself after seven days.
import { optionalBodyOf } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { schedule } from '../world.ts';
import { instanceOf, requireActive, requireIdle, wrongState } from './guards.ts';
import { begin, lasting } from './operations.ts';

const RESTARTS_AFTER_MS = 7 * 24 * 3_600_000;

export function startUp(call: Call): Answer {
  const instance = instanceOf(call);
  optionalBodyOf(call);
  requireIdle(instance);
  if (instance.status !== 'SHUTDOWN') throw wrongState(instance);
  const { startMs } = call.settings.durations;
  const replicas = Object.values(call.world.instances).filter((other) => other.replicaOf === instance.id);
  for (const replica of replicas)
    if (replica.status === 'SHUTDOWN')
      begin(call, replica, { kind: 'start', durationMs: startMs, effect: { do: 'started' } });
  const job = begin(call, instance, { kind: 'start', durationMs: startMs, effect: { do: 'started' } });
  return json(200, { job_id: job.id });
}

export function shutDown(call: Call): Answer {
  const instance = instanceOf(call);
  optionalBodyOf(call);
  if (instance.type === 'Replica') throw refuse(400, 'DBS.201014', 'A read replica cannot be stopped alone.');
  const replicas = Object.values(call.world.instances).filter((other) => other.replicaOf === instance.id);
  for (const one of [instance, ...replicas]) requireActive(one, ['STORAGE FULL']);
  const { stopMs } = call.settings.durations;
  for (const replica of replicas)
    begin(call, replica, { kind: 'stop', durationMs: stopMs, effect: { do: 'stopped' } });
  const job = begin(call, instance, { kind: 'stop', durationMs: stopMs, effect: { do: 'stopped' } });
  const stoppedAt = call.now + lasting(call, stopMs);
  const effect = { do: 'started-by-itself', stoppedAt } as const;
  for (const one of [instance, ...replicas])
    schedule(call.world, { at: stoppedAt + RESTARTS_AFTER_MS, kind: 'effect', instanceId: one.id, effect });
  return json(200, { job_id: job.id });
}
