// Restoring onto an instance that exists: the original (not with PostgreSQL) or another of the same version.
import { bodyOf, object, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { instanceById, requireActive } from './guards.ts';
import { begin } from './operations.ts';
import { readRestorePoint } from './restore-point.ts';

/** v3 answers 200, v3.1 answers 202. */
export const recoverWith =
  (status: number) =>
  (call: Call): Answer => {
    const body = bodyOf(call);
    const point = readRestorePoint(call, object(body, 'source'));
    const target = instanceById(call, text(object(body, 'target'), 'instance_id'));
    const isOriginal = target.id === point.from.instanceId;
    if (isOriginal && target.engine === 'PostgreSQL')
      throw refuse(400, 'DBS.280238', 'PostgreSQL cannot be restored to the original DB instance.');
    if (target.engine !== point.engine || target.version !== point.version)
      throw refuse(400, 'DBS.280238', 'The target must have the same engine and version as the source.');
    if (target.volumeGb < point.volumeGb)
      throw refuse(400, 'DBS.280238', 'The target must not be smaller than the source.');
    requireActive(target);
    target.restoredFrom = point.from;
    const { restoreMs } = call.settings.durations;
    const isFailing = call.faults.takeWorld('failed-restore', call.site);
    const job = begin(call, target, {
      kind: 'restore',
      status: 'RESTORING',
      durationMs: restoreMs,
      effect: { do: isFailing ? 'restore-failed' : 'restored' },
    });
    return json(status, { job_id: job.id });
  };
