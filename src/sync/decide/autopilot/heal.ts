// An instance that failed or is stuck gets the documented remedy once: the standby takes over, or a restart. Where that
// is not allowed, not known or did not help, people are told what to do.

import type { Instance } from '../../../otc/cloud.ts';
import { autopilotOf } from '../../../rds/autopilot.ts';
import { type ConditionWish, findCondition } from '../../../rds/conditions.ts';
import type { Journal, Trouble } from '../../../rds/journal.ts';
import { ANNOTATIONS } from '../../../rds/names.ts';
import { orderOf } from '../changes/wish.ts';
import { stateOf } from '../instance-state.ts';
import type { Observed } from '../observed.ts';
import type { Claimed, Verdict } from '../plan.ts';
import { readJournal } from '../remembered.ts';

const MINUTE_MS = 60_000;

/** In these the cloud takes a restart; in the others nothing but patience and the support of the cloud helps. */
const STUCK_AFTER_MS: Record<string, number> = {
  REBOOTING: 30 * MINUTE_MS,
  SWITCHOVER: 30 * MINUTE_MS,
  MIGRATING: 120 * MINUTE_MS,
};
/** Backups and restores of large disks take hours. */
const LONG_MS = 6 * 60 * MINUTE_MS;
/** The cloud may repair it by itself. */
const GRACE_MS = 10 * MINUTE_MS;
/** A second remedy within a day would be a fight. */
const AGAIN_AFTER_MS = 24 * 60 * MINUTE_MS;

/** Marks a restart that nobody ordered; no annotation value can be mistaken for it. */
export const HEAL_KEY = 'autopilot=heal/';

type Remedy = NonNullable<Trouble['tried']>;

/** What is wrong; undefined: nothing that a remedy is for. */
function ailment(o: Observed, instance: Instance): { remedy: Remedy | undefined } | undefined {
  if (instance.status === 'FAILED') return { remedy: instance.type === 'Ha' ? 'failover' : 'restart' };
  if (!stateOf(instance).transitional || instance.status === 'BUILD') return undefined;
  const since = findCondition(o.rds.status?.conditions, 'Progressing');
  if (since?.status !== 'True') return undefined;
  const lasts = o.nowMs - Date.parse(since.lastTransitionTime);
  const stuckAfter = STUCK_AFTER_MS[instance.status];
  if (lasts < (stuckAfter ?? LONG_MS)) return undefined;
  return { remedy: stuckAfter === undefined ? undefined : 'restart' };
}

function mayHeal(o: Observed): boolean {
  const { heals, mode } = autopilotOf(o.spec);
  return heals && mode !== 'Recommend' && !o.spec.stopped;
}

const wasTried = ({ triedAt }: Trouble, at: number): boolean =>
  triedAt !== undefined && at < triedAt + AGAIN_AFTER_MS;

export function heal(o: Observed, journal: Journal, instance: Instance, told: Verdict): Verdict | undefined {
  if (o.cloud.kind !== 'fresh')
    return needsLook(o, instance) ? { ...told, action: { kind: 'lookCloser' } } : undefined;
  const ill = ailment(o, instance);
  const { trouble } = journal;
  if (!ill) return trouble?.status === undefined ? undefined : recovered(journal, trouble, told);
  if (!mayHeal(o) || !ill.remedy) return undefined;
  const { at } = o.cloud;
  if (trouble?.status !== instance.status || trouble.since === undefined) {
    const noted: Trouble = { ...trouble, status: instance.status, since: at };
    return { ...told, action: { kind: 'swapJournal', journal: { ...journal, trouble: noted } } };
  }
  if (wasTried(trouble, at) || at < trouble.since + GRACE_MS) return undefined;
  const tried: Trouble = { ...trouble, tried: ill.remedy, triedAt: at };
  const { op, write } = remedyOrder(instance, ill.remedy, trouble.since);
  return { ...told, action: { kind: 'claim', op: { ...op, at }, write, also: { trouble: tried } } };
}

/** It began, it is time for the remedy, or it is over. */
function needsLook(o: Observed, instance: Instance): boolean {
  const said = findCondition(o.rds.status?.conditions, 'Healthy');
  const ill = ailment(o, instance);
  if (!ill) return said?.status === 'False';
  if (!mayHeal(o) || !ill.remedy || said?.reason === 'HealingFailed') return false;
  if (said?.status !== 'False') return true;
  return o.nowMs >= Date.parse(said.lastTransitionTime) + GRACE_MS;
}

function recovered(journal: Journal, { triedAt }: Trouble, told: Verdict): Verdict {
  const { trouble: _over, ...rest } = journal;
  const next = triedAt === undefined ? rest : { ...rest, trouble: { triedAt } };
  return { ...told, action: { kind: 'swapJournal', journal: next } };
}

function remedyOrder({ id }: Instance, remedy: Remedy, since: number) {
  const key = `${HEAL_KEY}${since}`;
  if (remedy === 'failover') return orderOf(id, { kind: 'failover' }, key);
  const write: Claimed = { do: 'restart', instanceId: id, annotated: undefined };
  return { op: { kind: 'restart' as const, key }, write };
}

export function healthCondition(o: Observed, instance: Instance): ConditionWish[] {
  const type = 'Healthy' as const;
  const said = findCondition(o.rds.status?.conditions, type);
  const ill = ailment(o, instance);
  if (!ill) {
    if (said?.status !== 'False' || stateOf(instance).transitional) return [];
    return [{ type, status: 'True', reason: 'Recovered', message: 'The instance works again.' }];
  }
  const trouble = readJournal(o)?.trouble;
  if (mayHeal(o) && ill.remedy && !readJournal(o) && said?.status === 'False') return [];
  const at = o.cloud.kind === 'fresh' ? o.cloud.at : o.nowMs;
  if (mayHeal(o) && ill.remedy && !(trouble && wasTried(trouble, at))) {
    const message = `The instance is ${instance.status}; unless the cloud repairs it, it gets a ${ill.remedy} after ten minutes, once.`;
    return [{ type, status: 'False', reason: 'Healing', message }];
  }
  const message = `The instance is ${instance.status}${triedText(trouble)}. ${advice(o, ill.remedy, trouble)}`;
  return [{ type, status: 'False', reason: 'HealingFailed', message }];
}

const triedText = (trouble: Trouble | undefined): string =>
  trouble?.tried ? `, and a ${trouble.tried} did not help` : '';

function advice(o: Observed, remedy: Remedy | undefined, trouble: Trouble | undefined): string {
  const restore = 'ask the support of the cloud, or restore a backup into a new Rds with spec.restoreFrom';
  if (trouble?.tried || trouble?.triedAt !== undefined || !remedy) return `Recommended: ${restore}.`;
  const allow = autopilotOf(o.spec).heals ? 'spec.autopilot.mode: Act' : 'spec.autopilot.heal: true';
  return `Recommended: a ${remedy}. Order a restart with the annotation ${ANNOTATIONS.restart}, or set ${allow}. If that does not help, ${restore}.`;
}
