// Has an operation shown its effect? Asked for one whose answer was lost, and for one that was accepted a moment ago
// and that a list may not show yet.

import type { Instance, Parameter } from '../../../otc/cloud.ts';
import type { Op } from '../../../rds/journal.ts';
import type { Observed } from '../observed.ts';
import { sameValue } from './parameters.ts';
import { findReplica } from './replicas.ts';
import { backupPolicyText } from './settings.ts';
import type { Case } from './wish.ts';

type Check = (instance: Instance, key: string, one: Case, since: number) => boolean;

const during =
  (status: string, check: Check): Check =>
  (instance, key, one, since) =>
    instance.status === status || check(instance, key, one, since);

const EFFECTS: Partial<Record<Op['kind'], Check>> = {
  enlarge: during('MODIFYING', ({ volumeGb }, key) => volumeGb >= Number(key)),
  resize: during('MODIFYING', ({ flavor }, key) => flavor === key),
  addStandby: during('MODIFYING INSTANCE TYPE', ({ type }) => type === 'Ha'),
  replicationMode: ({ replicationMode }, key) => replicationMode === key,
  failoverStrategy: ({ failoverStrategy }, key) => failoverStrategy === key,
  port: during('MODIFYING DATABASE PORT', ({ port }, key) => `${port}` === key),
  securityGroup: ({ securityGroupId }, key) => securityGroupId === key,
  backupPolicy: ({ backupStartTime, backupKeepDays }, key) =>
    backupPolicyText(backupStartTime, backupKeepDays) === key,
  ssl: ({ ssl }, key) => (ssl ? 'on' : 'off') === key,
  window: ({ maintenanceWindow }, key) => maintenanceWindow === key,
  stop: ({ status }) => status === 'SHUTDOWN',
  start: ({ status }) => status !== 'SHUTDOWN',
  // The instance stays ACTIVE for the long time that it takes: only the task list shows it before the end.
  minorUpgrade: ({ version, completeVersion }, key, { o }, since) =>
    !key.endsWith(`/${completeVersion ?? version}`) || hasTask(o, since, /upgrade/i),
  parameters: (_instance, key, { details }) => hasValues(details.parameters, key),
  tags: ({ tags }, key) => {
    const { set, left } = JSON.parse(key) as { set: Record<string, string>; left: string[] };
    return (
      Object.entries(set).every(([name, value]) => tags[name] === value) &&
      left.every((name) => !(name in tags))
    );
  },
  // A backup of a name exists once; a failed one is seen, too.
  safetyBackup: (_instance, key, { o }) =>
    o.cloud.kind === 'fresh' && (o.cloud.backups ?? []).some(({ name }) => name === key),
  restore: ({ status }, _key, { o }, since) =>
    status === 'RESTORING' || hasTask(o, since, /restore|recover/i),
  failover: ({ status }, _key, { o }, since) =>
    status === 'SWITCHOVER' || hasTask(o, since, /failover|switch/i),
  restart: ({ status }, _key, { o }, since) => status === 'REBOOTING' || hasTask(o, since, /restart|reboot/i),
};

/** What the cloud did of late, by its task list. */
function hasTask({ cloud }: Observed, since: number, name: RegExp): boolean {
  if (cloud.kind !== 'fresh') return false;
  return (cloud.tasks ?? []).some((task) => task.createdAt >= since - 1000 && name.test(task.name));
}

function hasValues(parameters: readonly Parameter[] | undefined, key: string): boolean {
  const present = new Map(parameters?.map(({ name, value }) => [name, value]));
  const wanted = JSON.parse(key) as Record<string, string>;
  return Object.entries(wanted).every(([name, value]) => sameValue(present.get(name), value));
}

/** undefined: this kind of operation leaves nothing that could be seen on the instance. */
export function showsEffect(one: Case, op: Op): boolean | undefined {
  const check = EFFECTS[op.kind];
  if (!check) return undefined;
  const [target = '', replica] = op.kind === 'enlarge' || op.kind === 'resize' ? op.key.split('@') : [op.key];
  const subject = replica === undefined ? one.instance : findReplica(one, replica);
  return subject !== undefined && check(subject, target, one, op.at);
}
