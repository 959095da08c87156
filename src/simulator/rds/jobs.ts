// Jobs one by one, and the same as a list of tasks.
import { queryInteger } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import type { Job } from './types.ts';
import { jobShape, jobStatus, taskShape } from './wire.ts';

const isVisible = (call: Call, job: Job): boolean =>
  job.projectId === call.identity.projectId && job.startedAt + call.settings.jobLagMs <= call.now;

export function showJob(call: Call): Answer {
  const id = call.query.get('id');
  if (!id) throw new BadField('id', 'it is missing');
  const job = call.world.jobs[id];
  if (!job || !isVisible(call, job)) throw refuse(400, 'DBS.200543', `The task ${id} does not exist.`);
  return json(200, { job: jobShape(job, call.now) });
}

export function listTasks(call: Call): Answer {
  const { query } = call;
  const offset = queryInteger(query, 'offset', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = queryInteger(query, 'limit', { default: 10, min: 1, max: 50 });
  const from = queryInteger(query, 'start_time', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const to = queryInteger(query, 'end_time', { default: call.now, min: 0, max: Number.MAX_SAFE_INTEGER });
  const tasks = Object.values(call.world.jobs)
    .filter((job) => isVisible(call, job) && job.startedAt >= from && job.startedAt <= to)
    .filter((job) => !query.get('instance_id') || job.instanceId === query.get('instance_id'))
    .filter((job) => !query.get('id') || job.id === query.get('id'))
    .filter((job) => !query.get('status') || jobStatus(job, call.now) === query.get('status'))
    .reverse();
  return json(200, {
    total_count: tasks.length,
    actions: [...new Set(tasks.map(({ name }) => name))],
    tasks: tasks
      .slice(offset, offset + limit)
      .map((job) => taskShape(job, call.world.instances[job.instanceId]?.status ?? 'DELETED', call.now)),
  });
}
