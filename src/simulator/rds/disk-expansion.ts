// The cloud's own growth of disks.
import { bodyOf, flag, optionalInteger } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { instanceOf, requireIdle } from './guards.ts';

export function showDiskExpansion(call: Call): Answer {
  const { isOn, limitGb, triggerPercent } = instanceOf(call).autoExpansion;
  if (!isOn) return json(200, { switch_option: false, limit_size: null, trigger_threshold: null });
  return json(200, { switch_option: true, limit_size: limitGb, trigger_threshold: triggerPercent });
}

export function setDiskExpansion(call: Call): Answer {
  const instance = instanceOf(call);
  const body = bodyOf(call);
  const isOn = flag(body, 'switch_option');
  const limitGb = optionalInteger(body, 'limit_size') ?? 4000;
  const triggerPercent = optionalInteger(body, 'trigger_threshold') ?? 10;
  requireIdle(instance, ['backup', 'enlarge']);
  if (isOn && (limitGb < instance.volumeGb || limitGb > 4000))
    throw new BadField('limit_size', 'it is out of range');
  if (isOn && ![10, 15, 20].includes(triggerPercent))
    throw new BadField('trigger_threshold', 'it must be 10, 15 or 20');
  if (isOn && !['CLOUDSSD', 'ESSD'].includes(instance.volumeType))
    throw refuse(400, 'DBS.200026', `${instance.volumeType} does not support autoscaling.`);
  instance.autoExpansion = { isOn, limitGb, triggerPercent };
  return json(200, {});
}
