// Spec against instance: what differs, what it would cost the clients, and which change comes first.
// Only fields that a person set count; a larger disk in the cloud is not drift.

import type { Instance } from '../../otc/cloud.ts';
import { hashHex } from '../../rds/hash.ts';
import { passwordProblem } from '../../rds/passwords.ts';
import type { PlannedChange } from '../../rds/status.ts';
import type { Observed } from './observed.ts';
import { passwordState, passwordVersion } from './password.ts';
import type { Claimed } from './plan.ts';

export type Change = PlannedChange & { write: Claimed | undefined };

const LATER = 'not carried out by this version';

export function pendingChanges(o: Observed, instance: Instance): Change[] {
  const { spec, userSet } = o;
  const changes: Change[] = [];
  if (passwordState(o) === 'reset') changes.push(newPassword(o, instance));
  if (userSet.has('volumesize') && spec.volumesize > instance.volumeGb) {
    changes.push({
      field: 'spec.volumesize',
      from: `${instance.volumeGb}`,
      to: `${spec.volumesize}`,
      impact: 'none',
      when: 'now',
      write: { do: 'enlarge', instanceId: instance.id, sizeGb: spec.volumesize },
    });
  }
  if (userSet.has('flavorref') && spec.flavorref !== instance.flavor) {
    changes.push({
      field: 'spec.flavorref',
      from: instance.flavor,
      to: spec.flavorref,
      impact: 'restart',
      when: 'now',
      write: { do: 'resize', instanceId: instance.id, flavor: spec.flavorref },
    });
  }
  return [...changes, ...notYet(o, instance)];
}

/** The values are secrets; the plan names only where the new one comes from. */
function newPassword(o: Observed, instance: Instance): Change {
  const problem = passwordProblem(o.password.value ?? '', o.spec.datastoretype);
  return {
    field: 'root password',
    from: 'the present one',
    to: o.password.from === 'spec' ? 'spec.password' : 'the changed Secret',
    impact: problem ? 'impossible' : 'disconnect',
    when: problem ? `refused: it ${problem}` : 'now',
    write: problem ? undefined : { do: 'password', instanceId: instance.id, version: passwordVersion(o) },
  };
}

/** Differences that are shown and left alone. */
function notYet({ spec, userSet }: Observed, instance: Instance): Change[] {
  const candidates: Omit<Change, 'when' | 'write'>[] = [
    { field: 'hamode', from: instance.type, to: spec.hamode ?? 'Single', impact: 'newServer' },
    {
      field: 'hareplicationmode',
      from: instance.replicationMode ?? 'none',
      to: spec.hareplicationmode ?? 'none',
      impact: 'none',
    },
    { field: 'port', from: `${instance.port}`, to: spec.port, impact: 'restart' },
    { field: 'backupstarttime', from: instance.backupStartTime, to: spec.backupstarttime, impact: 'none' },
    {
      field: 'backupkeepdays',
      from: `${instance.backupKeepDays}`,
      to: `${spec.backupkeepdays}`,
      impact: 'none',
    },
    { field: 'datastoreversion', from: instance.version, to: spec.datastoreversion, impact: 'impossible' },
    { field: 'volumetype', from: instance.volumeType, to: spec.volumetype, impact: 'impossible' },
  ];
  return candidates
    .filter(({ field, from, to }) => userSet.has(field) && from !== to)
    .map((change) => ({ ...change, field: `spec.${change.field}`, when: LATER, write: undefined }));
}

export function reportedPlan(changes: readonly Change[]): PlannedChange[] {
  return changes.map(({ write: _write, ...told }) => told);
}

/** The generation is part of it: the same change planned again later needs new consent (protocol C12). */
export function planHash(plan: readonly PlannedChange[], generation: number): string {
  const what = plan.map(({ field, from, to }) => `${field}:${from}>${to}`).join('|');
  return hashHex(`${generation}|${what}`, 8);
}

/** Spec fields that this version reads and does not act on, so that nobody waits for them. */
export function unsupportedFields({ rds }: Pick<Observed, 'rds'>): string[] {
  const later = [
    'users',
    'databases',
    'endpoint',
    'autopilot',
    'maintenanceWindow',
    'parameters',
    'tags',
    'ssl',
    'stopped',
    'readReplicas',
    'failoverStrategy',
    'minorUpgrade',
    'backup',
    'backuprestoretime',
    'removal',
  ] as const;
  return later.filter((field) => {
    const value = rds.spec[field];
    return value !== undefined && value !== false && !(Array.isArray(value) && value.length === 0);
  });
}
