// Rules that a JSON schema cannot express, each written twice side by side: in CEL for the API server, and
// in TypeScript for the hook (objects stored before the rule existed, curl, the memory store). A test on a
// real API server compares the two on the same objects.

import { CRON_PATTERN } from './cron.ts';
import type { FullSpec } from './defaults.ts';
import { graceMs, hoursMs } from './rotation.ts';

export type SpecRule = { field: string; message: string; cel: string; holds: (spec: FullSpec) => boolean };

export type ChangeRule = {
  field: string;
  message: string;
  cel: string;
  holds: (next: FullSpec, previous: FullSpec) => boolean;
};

const PORTS: Record<FullSpec['datastoretype'], (port: number) => boolean> = {
  MySQL: (port) => port >= 1024 && port <= 65535 && port !== 12017 && port !== 33071,
  PostgreSQL: (port) => port >= 2100 && port <= 9500,
  SQLServer: (port) => port === 1433 || (port >= 2100 && port <= 9500 && port !== 5355 && port !== 5985),
};

const REPLICATION_MODES: Record<FullSpec['datastoretype'], readonly string[]> = {
  MySQL: ['async', 'semisync'],
  PostgreSQL: ['async', 'sync'],
  SQLServer: ['sync'],
};

/** Minutes since midnight of `hh:mm`; -1 for anything else. */
function minutesOf(clock: string): number {
  const match = /^([01][0-9]|2[0-3]):([0-5][0-9])$/.exec(clock);
  return match ? Number(match[1]) * 60 + Number(match[2]) : -1;
}

function lastsMinutes(start: string, end: string, wanted: number): boolean {
  const [from, to] = [minutesOf(start), minutesOf(end)];
  return from >= 0 && to >= 0 && (to - from + 1440) % 1440 === wanted;
}

function celMinutes(path: string, at: number): string {
  return `int(${path}.substring(${at}, ${at + 2})) * 60 + int(${path}.substring(${at + 3}, ${at + 5}))`;
}

const celHours = (path: string): string => `int(${path}.substring(0, ${path}.size() - 1))`;
const CEL_GRACE = `(has(self.rotationGrace) ? ${celHours('self.rotationGrace')} : 24)`;

function countSources(from: NonNullable<FullSpec['restoreFrom']>): boolean {
  const byObject = from.backup !== undefined;
  const byId = from.backupId !== undefined;
  const byTime = from.pointInTime !== undefined;
  if (Number(byObject) + Number(byId) + Number(byTime) !== 1) return false;
  if (byId) return from.instanceId !== undefined && from.rds === undefined;
  if (byTime) return (from.instanceId !== undefined) !== (from.rds !== undefined);
  return from.instanceId === undefined && from.rds === undefined;
}

function sameSource(one: FullSpec['restoreFrom'], other: FullSpec['restoreFrom']): boolean {
  const fields = ['backup', 'backupId', 'instanceId', 'rds', 'pointInTime'] as const;
  return (
    (one === undefined) === (other === undefined) && fields.every((field) => one?.[field] === other?.[field])
  );
}

const isCron = new RegExp(CRON_PATTERN);
const HAS_DRILL = 'has(self.backup) && has(self.backup.drill)';

export const SPEC_RULES: readonly SpecRule[] = [
  {
    field: 'spec.port',
    message:
      'port is not allowed for this engine: MySQL takes 1024-65535 without 12017 and 33071, PostgreSQL 2100-9500, ' +
      'SQLServer 1433 or 2100-9500 without 5355 and 5985',
    cel:
      "self.datastoretype == 'MySQL' ? (int(self.port) >= 1024 && int(self.port) <= 65535 && !(self.port in ['12017', '33071']))" +
      " : self.datastoretype == 'PostgreSQL' ? (int(self.port) >= 2100 && int(self.port) <= 9500)" +
      " : (self.port == '1433' || (int(self.port) >= 2100 && int(self.port) <= 9500 && !(self.port in ['5355', '5985'])))",
    holds: (spec) => PORTS[spec.datastoretype](Number(spec.port)),
  },
  {
    field: 'spec.password',
    message: 'set password or passwordSecretRef, not both; a generated password needs neither',
    cel: '!(has(self.password) && has(self.passwordSecretRef))',
    holds: (spec) => !(spec.password !== undefined && spec.passwordSecretRef !== undefined),
  },
  {
    field: 'spec.flavorref',
    message:
      'an HA instance (hamode: Ha) needs a flavor that ends in .ha, a single instance one that does not',
    cel: "has(self.hamode) == self.flavorref.endsWith('.ha')",
    holds: (spec) => (spec.hamode !== undefined) === spec.flavorref.endsWith('.ha'),
  },
  {
    field: 'spec.availabilityzone',
    message:
      'an HA instance needs two availability zones separated by a comma (eu-de-01,eu-de-02), a single one only one',
    cel: "has(self.hamode) ? self.availabilityzone.split(',').size() == 2 : !self.availabilityzone.contains(',')",
    holds: (spec) => spec.availabilityzone.split(',').length === (spec.hamode === undefined ? 1 : 2),
  },
  {
    field: 'spec.hareplicationmode',
    message:
      'hareplicationmode does not fit the engine: MySQL takes async or semisync, PostgreSQL async or sync, SQLServer sync',
    cel:
      "!has(self.hareplicationmode) || (self.datastoretype == 'MySQL' ? self.hareplicationmode in ['async', 'semisync']" +
      " : self.datastoretype == 'PostgreSQL' ? self.hareplicationmode in ['async', 'sync'] : self.hareplicationmode == 'sync')",
    holds: (spec) =>
      spec.hareplicationmode === undefined ||
      REPLICATION_MODES[spec.datastoretype].includes(spec.hareplicationmode),
  },
  {
    field: 'spec.backupstarttime',
    message: 'backupstarttime must be one hour on a quarter, as in 01:00-02:00 or 23:45-00:45 (UTC)',
    cel:
      "self.backupstarttime.matches('^([01][0-9]|2[0-3]):(00|15|30|45)-([01][0-9]|2[0-3]):(00|15|30|45)$') && " +
      `((${celMinutes('self.backupstarttime', 6)}) - (${celMinutes('self.backupstarttime', 0)}) + 1440) % 1440 == 60`,
    holds: ({ backupstarttime }) =>
      /^\d\d:(00|15|30|45)-\d\d:(00|15|30|45)$/.test(backupstarttime) &&
      lastsMinutes(backupstarttime.slice(0, 5), backupstarttime.slice(6), 60),
  },
  {
    field: 'spec.maintenanceWindow',
    message: 'maintenanceWindow must be exactly four hours, as in 22:00 to 02:00 (UTC)',
    cel:
      '!has(self.maintenanceWindow) || ' +
      `((${celMinutes('self.maintenanceWindow.end', 0)}) - (${celMinutes('self.maintenanceWindow.start', 0)}) + 1440) % 1440 == 240`,
    holds: ({ maintenanceWindow }) =>
      maintenanceWindow === undefined || lastsMinutes(maintenanceWindow.start, maintenanceWindow.end, 240),
  },
  {
    field: 'spec.restoreFrom',
    message:
      'restoreFrom takes exactly one of: backup (an RdsBackup), backupId with instanceId, or pointInTime with rds or instanceId',
    cel:
      '!has(self.restoreFrom) || (' +
      '(has(self.restoreFrom.backup) && !has(self.restoreFrom.backupId) && !has(self.restoreFrom.pointInTime) && !has(self.restoreFrom.instanceId) && !has(self.restoreFrom.rds)) || ' +
      '(!has(self.restoreFrom.backup) && has(self.restoreFrom.backupId) && !has(self.restoreFrom.pointInTime) && has(self.restoreFrom.instanceId) && !has(self.restoreFrom.rds)) || ' +
      '(!has(self.restoreFrom.backup) && !has(self.restoreFrom.backupId) && has(self.restoreFrom.pointInTime) && (has(self.restoreFrom.instanceId) != has(self.restoreFrom.rds))))',
    holds: ({ restoreFrom }) => restoreFrom === undefined || countSources(restoreFrom),
  },
  {
    field: 'spec.backup.drill.schedule',
    message:
      'backup.drill.schedule must be a cron expression in UTC with five fields (minute, hour, day, month, weekday) of numbers, lists, ranges and steps, as in 0 3 * * 0',
    cel: `!(${HAS_DRILL}) || self.backup.drill.schedule.matches(${JSON.stringify(CRON_PATTERN)})`,
    holds: ({ backup }) => backup?.drill === undefined || isCron.test(backup.drill.schedule),
  },
  {
    field: 'spec.backup.drill.flavor',
    message: 'backup.drill.flavor must be the flavor of a single instance: none that ends in .ha or .rr',
    cel: `!(${HAS_DRILL} && has(self.backup.drill.flavor)) || !self.backup.drill.flavor.matches('[.](ha|rr)$')`,
    holds: ({ backup }) => !/[.](ha|rr)$/.test(backup?.drill?.flavor ?? ''),
  },
  {
    field: 'spec.users',
    message:
      'rotateEvery draws passwords itself: take password and passwordSecretRef of that user out, or rotateEvery',
    cel: '!has(self.users) || self.users.all(u, !has(u.rotateEvery) || !(has(u.password) || has(u.passwordSecretRef)))',
    holds: ({ users = [] }) =>
      users.every((one) => one.rotateEvery === undefined || !(one.password ?? one.passwordSecretRef)),
  },
  {
    field: 'spec.rootRotateEvery',
    message:
      'rootRotateEvery needs MySQL or PostgreSQL and a generated root password: take password and passwordSecretRef out, or rootRotateEvery',
    cel: "!has(self.rootRotateEvery) || (self.datastoretype != 'SQLServer' && !has(self.password) && !has(self.passwordSecretRef))",
    holds: ({ rootRotateEvery, datastoretype, password, passwordSecretRef }) =>
      rootRotateEvery === undefined ||
      (datastoretype !== 'SQLServer' && password === undefined && passwordSecretRef === undefined),
  },
  {
    field: 'spec.rotationGrace',
    message: 'rotationGrace (24h when absent) must be shorter than rootRotateEvery and every rotateEvery',
    cel:
      `(!has(self.rootRotateEvery) || ${celHours('self.rootRotateEvery')} > ${CEL_GRACE}) && ` +
      `(!has(self.users) || self.users.all(u, !has(u.rotateEvery) || ${celHours('u.rotateEvery')} > ${CEL_GRACE}))`,
    holds: ({ users = [], rootRotateEvery, rotationGrace }) =>
      [rootRotateEvery, ...users.map((one) => one.rotateEvery)].every(
        (every) => every === undefined || hoursMs(every) > graceMs(rotationGrace),
      ),
  },
];

/** Immutability is written on the whole spec with has(): a rule on a field misses adding and removing it. */
export const CHANGE_RULES: readonly ChangeRule[] = [
  {
    field: 'spec.volumesize',
    message:
      'volumesize cannot shrink: the cloud only enlarges disks; restore into a new, smaller Rds instead',
    cel: 'self.volumesize >= oldSelf.volumesize',
    holds: (next, previous) => next.volumesize >= previous.volumesize,
  },
  {
    field: 'spec.datastoretype',
    message: 'datastoretype cannot change: create a new Rds with the other engine and move the data',
    cel: 'self.datastoretype == oldSelf.datastoretype',
    holds: (next, previous) => next.datastoretype === previous.datastoretype,
  },
  {
    field: 'spec.vpc',
    message: 'vpc cannot change: restore into a new Rds in the other VPC',
    cel: 'self.vpc == oldSelf.vpc',
    holds: (next, previous) => next.vpc === previous.vpc,
  },
  {
    field: 'spec.subnet',
    message: 'subnet cannot change: restore into a new Rds in the other subnet',
    cel: 'self.subnet == oldSelf.subnet',
    holds: (next, previous) => next.subnet === previous.subnet,
  },
  {
    field: 'spec.restoreFrom',
    message:
      'restoreFrom cannot change: it is read once, when the instance is made; create a new Rds to restore again',
    cel: 'has(self.restoreFrom) == has(oldSelf.restoreFrom) && (!has(self.restoreFrom) || self.restoreFrom == oldSelf.restoreFrom)',
    holds: (next, previous) => sameSource(next.restoreFrom, previous.restoreFrom),
  },
  {
    field: 'spec.hamode',
    message: 'an HA instance cannot become a single one: restore into a new Rds without hamode',
    cel: '!has(oldSelf.hamode) || has(self.hamode)',
    holds: (next, previous) => previous.hamode === undefined || next.hamode !== undefined,
  },
];

/** The Service takes the name of the Rds, so it must be a DNS label. Checked at creation only. */
export const NAME_PATTERN = '^[a-z]([-a-z0-9]*[a-z0-9])?$';
/** At creation only: `required` on the root would keep a stored object without spec from being finalized. */
export const SPEC_PRESENT_RULE = {
  rule: 'oldSelf.hasValue() || has(self.spec)',
  optionalOldSelf: true,
  message: 'spec is missing; an empty one (spec: {}) takes all defaults',
};

export const NAME_RULE = {
  rule: `oldSelf.hasValue() || (self.metadata.name.size() <= 52 && self.metadata.name.matches('${NAME_PATTERN}'))`,
  optionalOldSelf: true,
  message:
    'the name must be a DNS label of at most 52 characters (lower case letters, digits and dashes, a letter first): a Service is named after it',
};
