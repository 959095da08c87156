// When the cloud backs up by itself, and for how long it keeps what it made.
import { bodyOf, integer, object, optionalText } from '../fields.ts';
import { type Answer, type Call, empty, json } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { rescheduleBackups } from './automated-backups.ts';
import { checkBackupWindow, checkKeepDays } from './create-rules.ts';
import { instanceOf } from './guards.ts';

export function showBackupPolicy(call: Call): Answer {
  const instance = instanceOf(call);
  return json(200, {
    backup_policy: {
      keep_days: instance.backupKeepDays,
      start_time: instance.backupWindow,
      period: instance.backupPeriod,
    },
  });
}

/** Start time and days may be left out only when backups are switched off. */
export function setBackupPolicy(call: Call): Answer {
  const instance = instanceOf(call);
  if (instance.type === 'Replica') throw refuse(400, 'DBS.201014', 'A read replica has no backup policy.');
  const policy = object(bodyOf(call), 'backup_policy');
  const keepDays = checkKeepDays(integer(policy, 'keep_days'), 'DBS.201101');
  const window = optionalText(policy, 'start_time');
  const period = optionalText(policy, 'period');
  if (keepDays > 0 && !window) throw refuse(400, 'DBS.201103', 'The start time is missing.');
  if (keepDays > 0 && !period) throw refuse(400, 'DBS.201106', 'The backup period is missing.');
  if (period && !/^[1-7](,[1-7])*$/.test(period))
    throw refuse(400, 'DBS.201106', `The backup period ${period} is invalid.`);
  if (window) instance.backupWindow = checkBackupWindow(window, 'DBS.201103');
  if (period) instance.backupPeriod = period;
  instance.backupKeepDays = keepDays;
  rescheduleBackups(call.world, instance, call.now);
  return empty(200);
}
