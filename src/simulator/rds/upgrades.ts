// Newer versions: the minor one in place, and PostgreSQL's major one with its inspection before.
import { bodyOf, flag, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { rdsTime } from '../time.ts';
import { factsOf } from './engines.ts';
import { instanceOf, requireActive } from './guards.ts';
import { begin, newJob } from './operations.ts';
import type { Instance } from './types.ts';

export function upgradeMinor(call: Call): Answer {
  const instance = instanceOf(call);
  flag(bodyOf(call), 'is_delayed');
  if (instance.engine === 'SQLServer')
    throw refuse(400, 'DBS.200040', 'SQLServer does not support this call.');
  requireActive(instance);
  const parts = instance.completeVersion.split('.');
  const completeVersion = [...parts.slice(0, -1), Number(parts.at(-1)) + 1].join('.');
  const { upgradeMs } = call.settings.durations;
  const job = begin(call, instance, {
    kind: 'upgrade',
    durationMs: upgradeMs,
    effect: { do: 'upgraded', completeVersion },
  });
  return json(202, { job_id: job.id });
}

function postgresOf(call: Call): Instance {
  const instance = instanceOf(call);
  if (instance.engine !== 'PostgreSQL')
    throw refuse(400, 'DBS.200040', `${instance.engine} does not support this call.`);
  return instance;
}

const newerVersions = (instance: Instance): string[] =>
  factsOf(instance.engine).versions.filter((version) => Number(version) > Number(instance.version));

function readTarget(call: Call, instance: Instance): string {
  const target = text(bodyOf(call), 'target_version');
  if (!newerVersions(instance).includes(target))
    throw refuse(400, 'DBS.200041', `The version ${target} is not available.`);
  return target;
}

export const listMajorVersions = (call: Call): Answer =>
  json(200, { available_versions: newerVersions(postgresOf(call)) });

export function inspectForUpgrade(call: Call): Answer {
  const instance = postgresOf(call);
  const target = readTarget(call, instance);
  requireActive(instance);
  instance.upgradeCheck = { target, at: call.now };
  return json(200, { job_id: newJob(call, instance, 'InspectMajorVersionUpgrade').id });
}

export function upgradeMajor(call: Call): Answer {
  const instance = postgresOf(call);
  const version = readTarget(call, instance);
  flag(bodyOf(call), 'is_change_private_ip');
  requireActive(instance);
  if (instance.upgradeCheck?.target !== version)
    throw refuse(400, 'DBS.201014', 'An inspection for this version must pass first.');
  const { upgradeMs } = call.settings.durations;
  instance.upgrades.push({
    target: version,
    from: instance.version,
    startedAt: call.now,
    endedAt: undefined,
  });
  const effect = { do: 'major-upgraded', version } as const;
  const job = begin(call, instance, { kind: 'major-upgrade', durationMs: upgradeMs, effect });
  return json(200, { job_id: job.id });
}

export function showUpgradeStatus(call: Call): Answer {
  const instance = postgresOf(call);
  const action = call.query.get('action');
  if (action === 'check')
    return json(200, {
      status: instance.upgradeCheck ? 'success' : '',
      target_version: instance.upgradeCheck?.target ?? '',
      start_time: instance.upgradeCheck ? rdsTime(instance.upgradeCheck.at) : '',
      check_expiration_time: instance.upgradeCheck ? rdsTime(instance.upgradeCheck.at + 24 * 3_600_000) : '',
      detail: '',
    });
  if (action !== 'upgrade') throw new BadField('action', 'it must be check or upgrade');
  const last = instance.upgrades.at(-1);
  const status = last?.endedAt === undefined ? 'running' : 'success';
  return json(200, {
    status: last ? status : '',
    target_version: last?.target ?? '',
    start_time: last ? rdsTime(last.startedAt) : '',
    detail: '',
  });
}

export function listInspections(call: Call): Answer {
  const check = postgresOf(call).upgradeCheck;
  const rows = check
    ? [{ check_time: rdsTime(check.at), target_version: check.target, check_result: 'success' }]
    : [];
  return json(200, { total_count: rows.length, inspection_reports: rows });
}

export function listUpgrades(call: Call): Answer {
  const rows = postgresOf(call).upgrades.map((upgrade) => ({
    start_time: rdsTime(upgrade.startedAt),
    end_time: upgrade.endedAt === undefined ? '' : rdsTime(upgrade.endedAt),
    src_database_version: upgrade.from,
    dst_database_version: upgrade.target,
    result: upgrade.endedAt === undefined ? 'running' : 'success',
  }));
  return json(200, { total_count: rows.length, upgrade_reports: rows });
}
