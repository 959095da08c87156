// Spec against instance: what differs, in the order in which it is carried out, and when each part may run.
// Only fields that a person set count.

import type { Instance } from '../../../otc/cloud.ts';
import { isoTime } from '../../../rds/conditions.ts';
import { hashHex } from '../../../rds/hash.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import { annotation } from '../../../rds/object.ts';
import { passwordProblem } from '../../../rds/passwords.ts';
import type { PlannedChange } from '../../../rds/status.ts';
import { stateOf } from '../instance-state.ts';
import type { Observed } from '../observed.ts';
import { passwordState, passwordVersion, toldVersion } from '../password.ts';
import { readJournal } from '../remembered.ts';
import { machine, standby, storage } from './capacity.ts';
import { parameters, pendingRestart } from './parameters.ts';
import { minorUpgrade, power } from './power.ts';
import { grownReplicas, newReplicas, removedReplicas, shrunkReplicas } from './replicas.ts';
import {
  backupPolicy,
  failover,
  fixed,
  maintenanceHours,
  port,
  replication,
  securityGroup,
  ssl,
  tags,
} from './settings.ts';
import { opening } from './window.ts';
import type { Case, Wish } from './wish.ts';

/** `order`: may be sent now. `waits`: may be sent later, or with consent. */
export type Change = PlannedChange & { order?: Wish['order']; waits?: true };

/** The order is the protocol: what a later change needs comes first, what ends everything comes last. */
const SOURCES: readonly ((one: Case) => Wish[])[] = [
  rootPassword,
  grownReplicas,
  storage,
  machine,
  shrunkReplicas,
  standby,
  replication,
  failover,
  port,
  securityGroup,
  backupPolicy,
  parameters,
  tags,
  ssl,
  maintenanceHours,
  newReplicas,
  removedReplicas,
  minorUpgrade,
  pendingRestart,
  power,
  fixed,
];

const MAX_SHOWN = 64;
const MAX_TEXT = 256;

const found = new WeakMap<Observed, { instance: Instance; changes: Change[] }>();

/** Told and acted upon in one decision: found once. */
export function pendingChanges(o: Observed, instance: Instance): Change[] {
  const known = found.get(o);
  if (known?.instance === instance) return known.changes;
  const changes = findChanges(o, instance);
  found.set(o, { instance, changes });
  return changes;
}

function findChanges(o: Observed, instance: Instance): Change[] {
  const details = o.cloud.kind === 'glance' || o.cloud.kind === 'fresh' ? o.cloud.details : {};
  const one: Case = { o, instance, details };
  const wishes = SOURCES.flatMap((source) => source(one)).slice(0, MAX_SHOWN);
  const hash = planHash(wishes, o.rds.metadata.generation);
  return wishes.map((wish) => scheduled(o, instance, wish, hash));
}

/** The values are secrets; the plan names only where the new one comes from. */
function rootPassword({ o, instance }: Case): Wish[] {
  if (passwordState(o) !== 'reset' || isOldDrawing(o)) return [];
  const problem = passwordProblem(o.password.value ?? '', o.spec.datastoretype);
  const version = passwordVersion(o);
  const wish: Wish = {
    field: 'root password',
    from: 'the present one',
    to: o.password.from === 'spec' ? 'spec.password' : 'the changed Secret',
    // Where another login is published, no client uses the one of root.
    impact: toldVersion(o) === undefined ? 'disconnect' : 'none',
  };
  if (problem) return [{ ...wish, impact: 'impossible', refused: `it ${problem}` }];
  return [
    {
      ...wish,
      order: {
        op: { kind: 'password', key: version },
        write: { do: 'password', instanceId: instance.id, version },
      },
    },
  ];
}

/** Another drawing than the one that counts: it would bring an old password back into force. */
function isOldDrawing(o: Observed): boolean {
  const draw = readJournal(o)?.draw;
  return o.password.from === 'generated' && draw !== undefined && o.password.mark !== draw.mark;
}

function scheduled(o: Observed, instance: Instance, wish: Wish, hash: string): Change {
  const { field, from, to, impact, order, refused, later, note } = wish;
  const told = { field, from: clipped(from), to: clipped(to), impact };
  if (later) return { ...told, when: later };
  if (!order) return { ...told, when: clipped(refused ? `refused: ${refused}` : 'never', 1_000) };
  const blocked = blockedByState(instance, order.op.kind);
  if (blocked) return { ...told, when: blocked };
  const wait = waitsFor(o, wish, hash);
  if (wait) return { ...told, when: wait, waits: true, order };
  return { ...told, when: note ? `now; ${note}` : 'now', order };
}

function clipped(text: string, max: number = MAX_TEXT): string {
  return text.length <= max ? text : `${text.slice(0, max - 1)}…`;
}

/** In a state other than ACTIVE the cloud takes only what leads out of it. */
function blockedByState(instance: Instance, kind: string): string | undefined {
  const { status } = instance;
  if (status === 'SHUTDOWN') return kind === 'start' ? undefined : 'when the instance is started again';
  if (status === 'STORAGE FULL') return kind === 'enlarge' ? undefined : 'when the disk has room again';
  if (status === 'ACTIVE' || stateOf(instance).transitional) return undefined;
  return kind === 'restart' ? undefined : 'when the instance works again';
}

const DISRUPTIVE: readonly string[] = ['disconnect', 'restart', 'newServer'];

/** undefined: now. */
function waitsFor(o: Observed, wish: Wish, hash: string): string | undefined {
  const disrupts = wish.disrupts ?? DISRUPTIVE.includes(wish.impact);
  if ((!disrupts && !wish.needsConsent) || isApproved(o, wish, hash)) return undefined;
  const { maintenanceWindow } = o.spec;
  const consent = `or now with the annotation ${ANNOTATIONS.approve}: ${hash}`;
  if (!maintenanceWindow) {
    if (!wish.needsConsent) return undefined;
    return `with the next restart that you order (${ANNOTATIONS.restart}), ${consent}`;
  }
  const { at, isOpen } = opening(maintenanceWindow, o.nowMs);
  return isOpen ? undefined : `in the maintenance window from ${isoTime(at)}, ${consent}`;
}

const target = ({ field, to }: Pick<PlannedChange, 'field' | 'to'>): string => `${field}>${to}`;

/** Consent names the hash of a whole plan; the journal keeps it for the rest while its parts are carried out. */
function isApproved(o: Observed, wish: Wish, hash: string): boolean {
  if (annotation(o.rds, ANNOTATIONS.approve) === hash) return true;
  const approved = readJournal(o)?.approved;
  return approved?.generation === o.rds.metadata.generation && approved.targets.includes(target(wish));
}

/** What the journal notes together with the first change of an approved plan. */
export function approval(o: Observed, changes: readonly Change[]) {
  const { generation } = o.rds.metadata;
  if (annotation(o.rds, ANNOTATIONS.approve) !== planHash(changes, generation)) return undefined;
  return { generation, targets: changes.map(target) };
}

export function reportedPlan(changes: readonly Change[]): PlannedChange[] {
  return changes.map(({ field, from, to, impact, when }) => ({ field, from, to, impact, when }));
}

/** The generation is part of it: the same change planned again later needs new consent (protocol C12). */
export function planHash(
  plan: readonly Pick<PlannedChange, 'field' | 'from' | 'to'>[],
  generation: number,
): string {
  const what = plan.map(({ field, from, to }) => `${field}:${clipped(from)}>${clipped(to)}`).join('|');
  return hashHex(`${generation}|${what}`, 8);
}
