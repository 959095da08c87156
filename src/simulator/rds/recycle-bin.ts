// Deleted instances that could be brought back, and for how long.
import { bodyOf, object, queryInteger, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField } from '../refusal.ts';
import { rdsTime } from '../time.ts';
import { isRetained } from './sweep.ts';

const DAY_MS = 24 * 3_600_000;

/** A string here, an integer in the answer to GET. */
export function setRecyclePolicy(call: Call): Answer {
  const days = text(object(bodyOf(call), 'recycle_policy'), 'retention_period_in_days');
  if (!/^[1-7]$/.test(days)) throw new BadField('retention_period_in_days', 'it must be from 1 to 7');
  call.world.recycleDays = Number(days);
  return json(200, { result: 'success' });
}

export const showRecyclePolicy = (call: Call): Answer =>
  json(200, { retention_period_in_days: call.world.recycleDays });

export function listRecycled(call: Call): Answer {
  const offset = queryInteger(call.query, 'offset', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
  const limit = queryInteger(call.query, 'limit', { default: 50, min: 1, max: 50 });
  const rows = Object.values(call.world.deleted).filter(
    (instance) =>
      instance.isRecycled &&
      instance.projectId === call.identity.projectId &&
      isRetained(call.world, instance, call.now),
  );
  return json(200, {
    total_count: rows.length,
    instances: rows.slice(offset, offset + limit).map((instance) => ({
      id: instance.id,
      name: instance.name,
      ha_mode: instance.type,
      engine_name: instance.engine.toLowerCase(),
      engine_version: instance.version,
      pay_model: '0',
      created_at: rdsTime(instance.createdAt),
      deleted_at: rdsTime(instance.deletedAt),
      volume_type: instance.volumeType,
      volume_size: instance.volumeGb,
      data_vip: instance.ip,
      retained_until: rdsTime(instance.deletedAt + call.world.recycleDays * DAY_MS),
      status: 'Active',
    })),
  });
}
