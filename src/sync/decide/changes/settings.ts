// Settings that the instance itself reports: replication, failover, port, group, backups, tags, TLS, window.

import { OWN_TAGS } from '../../../rds/names.ts';
import { remembered } from '../remembered.ts';
import { type Case, isSet, orderOf, type Wish } from './wish.ts';

export function replication(one: Case): Wish[] {
  const { o, instance } = one;
  const wanted = o.spec.hareplicationmode;
  const present = instance.replicationMode ?? 'none';
  if (!isSet(one, 'hareplicationmode') || wanted === undefined || wanted === present) return [];
  const wish: Wish = { field: 'spec.hareplicationmode', from: present, to: wanted, impact: 'none' };
  // A standby that is still to come brings its mode along; then this comes round again.
  if (instance.type !== 'Ha') {
    return o.spec.hamode
      ? []
      : [{ ...wish, impact: 'impossible', refused: 'only an HA instance replicates; set hamode: Ha' }];
  }
  return [{ ...wish, order: orderOf(instance.id, { kind: 'replicationMode', mode: wanted }, wanted) }];
}

export function failover(one: Case): Wish[] {
  const { o, instance } = one;
  const wanted = o.spec.failoverStrategy;
  const present = instance.failoverStrategy ?? 'none';
  if (!isSet(one, 'failoverStrategy') || wanted === undefined || wanted === present) return [];
  const wish: Wish = { field: 'spec.failoverStrategy', from: present, to: wanted, impact: 'none' };
  if (instance.type !== 'Ha') {
    return o.spec.hamode
      ? []
      : [{ ...wish, impact: 'impossible', refused: 'only an HA instance fails over; set hamode: Ha' }];
  }
  return [{ ...wish, order: orderOf(instance.id, { kind: 'failoverStrategy', strategy: wanted }, wanted) }];
}

export function port(one: Case): Wish[] {
  const { o, instance } = one;
  const wanted = Number(o.spec.port);
  if (!isSet(one, 'port') || wanted === instance.port) return [];
  return [
    {
      field: 'spec.port',
      from: `${instance.port}`,
      to: `${wanted}`,
      impact: 'restart',
      order: orderOf(instance.id, { kind: 'port', port: wanted }, `${wanted}`),
    },
  ];
}

export function securityGroup(one: Case): Wish[] {
  const { o, instance, details } = one;
  const { securityGroup: wanted } = details;
  if (!isSet(one, 'securitygroup') || wanted === undefined) return [];
  const wish = { field: 'spec.securitygroup', from: instance.securityGroupId, to: o.spec.securitygroup };
  if ('unknown' in wanted) return [{ ...wish, impact: 'impossible', refused: wanted.unknown }];
  if (wanted.id === instance.securityGroupId) return [];
  const change = { kind: 'securityGroup', securityGroupId: wanted.id } as const;
  return [{ ...wish, impact: 'none', order: orderOf(instance.id, change, wanted.id) }];
}

/** `01:00-02:00, 12 days` or `off`. */
export function backupPolicyText(startTime: string, keepDays: number): string {
  return keepDays === 0 ? 'off' : `${startTime}, ${keepDays} days`;
}

export function backupPolicy(one: Case): Wish[] {
  const { o, instance } = one;
  const keepDays = isSet(one, 'backupkeepdays') ? o.spec.backupkeepdays : instance.backupKeepDays;
  const startTime = isSet(one, 'backupstarttime') ? o.spec.backupstarttime : instance.backupStartTime;
  const from = backupPolicyText(instance.backupStartTime, instance.backupKeepDays);
  const to = backupPolicyText(startTime, keepDays);
  if (from === to) return [];
  const field = instance.backupKeepDays === keepDays ? 'spec.backupstarttime' : 'spec.backupkeepdays';
  const change = { kind: 'backupPolicy', startTime, keepDays } as const;
  return [{ field, from, to, impact: 'none', order: orderOf(instance.id, change, to) }];
}

/** Tags that others set are theirs; those that came from the spec go when they leave it. */
export function tags(one: Case): Wish[] {
  const { o, instance } = one;
  const wanted = isSet(one, 'tags') ? (o.spec.tags ?? {}) : {};
  const set = Object.fromEntries(
    Object.entries(wanted).filter(([key, value]) => !OWN_TAGS.includes(key) && instance.tags[key] !== value),
  );
  const left = remembered(o).tags.filter((key) => !(key in wanted) && key in instance.tags);
  const remove = [...left, ...Object.keys(set).filter((key) => key in instance.tags)];
  if (Object.keys(set).length === 0 && remove.length === 0) return [];
  const show = (values: [string, string | undefined][]) =>
    values.map(([key, value]) => `${key}=${value ?? ''}`).join(',') || 'none';
  const touched = [...new Set([...remove, ...Object.keys(set)])].sort();
  const key = JSON.stringify({ set, left });
  return [
    {
      field: 'spec.tags',
      from: show(touched.filter((name) => name in instance.tags).map((name) => [name, instance.tags[name]])),
      to: show(touched.filter((name) => name in set).map((name) => [name, set[name]])),
      impact: 'none',
      order: orderOf(instance.id, { kind: 'tags', set, remove }, key),
    },
  ];
}

export function ssl(one: Case): Wish[] {
  const { o, instance } = one;
  if (!isSet(one, 'ssl') || o.spec.ssl === undefined || o.spec.ssl === instance.ssl) return [];
  const word = (on: boolean) => (on ? 'on' : 'off');
  const wish = { field: 'spec.ssl', from: word(instance.ssl), to: word(o.spec.ssl) };
  if (instance.engine !== 'MySQL') {
    const refused = `the cloud switches TLS only for MySQL; ${instance.engine} decides it by itself`;
    return [{ ...wish, impact: 'impossible', refused }];
  }
  const order = orderOf(instance.id, { kind: 'ssl', on: o.spec.ssl }, wish.to);
  return [{ ...wish, impact: 'reload', order }];
}

/** The cloud keeps the hours for its own maintenance; the days are ours alone. */
export function maintenanceHours(one: Case): Wish[] {
  const { o, instance } = one;
  const wanted = o.spec.maintenanceWindow;
  if (!wanted) return [];
  const to = `${wanted.start}-${wanted.end}`;
  if (to === instance.maintenanceWindow) return [];
  const change = { kind: 'window', start: wanted.start, end: wanted.end } as const;
  return [
    {
      field: 'spec.maintenanceWindow',
      from: instance.maintenanceWindow ?? 'none',
      to,
      impact: 'none',
      order: orderOf(instance.id, change, to),
    },
  ];
}

/** What the cloud cannot do at all. */
export function fixed(one: Case): Wish[] {
  const { o, instance } = one;
  const candidates = [
    {
      name: 'datastoreversion',
      from: instance.version,
      to: o.spec.datastoreversion,
      refused: 'restore into a new Rds with the other version',
    },
    {
      name: 'volumetype',
      from: instance.volumeType,
      to: o.spec.volumetype,
      refused: 'restore into a new Rds with the other kind of disk',
    },
  ];
  return candidates
    .filter(({ name, from, to }) => isSet(one, name) && from !== to)
    .map(({ name, from, to, refused }) => ({
      field: `spec.${name}`,
      from,
      to,
      impact: 'impossible',
      refused,
    }));
}
