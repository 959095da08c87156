// Three alarms and, with an address, a topic: what has to be made, put right or taken away. A create cannot be told
// from its repetition, so it is noted in the journal first, and of several with one name the oldest stays (protocol C16).

import { type Autopilot, METERS, type Meter } from '../../../rds/autopilot.ts';
import type { Timing } from '../../../rds/journal.ts';
import { type Watch, watchedSince } from '../../../rds/scale.ts';
import type { SeenAlarm, WatchView } from '../observed.ts';
import type { WatchWork } from '../plan.ts';

/** An address that has not confirmed is asked again after this long. */
const ASK_AGAIN_MS = 3_600_000;

const ofMeter = (alarms: readonly SeenAlarm[], meter: Meter) =>
  alarms.filter((alarm) => alarm.meter === meter);

/** The one that counts. */
function keptAlarm({ alarms }: WatchView, meter: Meter): SeenAlarm | undefined {
  return ofMeter(alarms, meter).find(({ fits }) => fits !== 'other');
}

export const hasAllAlarms = (watch: WatchView): boolean =>
  METERS.every((meter) => keptAlarm(watch, meter)?.fits === 'asWanted') &&
  watch.alarms.length === METERS.length;

export const keptIds = (watch: WatchView): string[] =>
  METERS.flatMap((meter) => keptAlarm(watch, meter)?.id ?? []);

type Asked = { autopilot: Autopilot; watch: WatchView; record: Watch | undefined; timing: Timing };

/** undefined: nothing to do now. */
export function watchWork(asked: Asked): WatchWork | undefined {
  const { watch, record, timing } = asked;
  const mayCreate = (meter: Meter) => {
    const sentAt = record?.alarms[meter];
    return sentAt === undefined || watch.at >= sentAt + timing.settleMs;
  };
  const kept = METERS.map((meter) => ({ meter, alarm: keptAlarm(watch, meter) }));
  const ids = keptIds(watch);
  const work: WatchWork = {
    create: kept.filter(({ meter, alarm }) => !alarm && mayCreate(meter)).map(({ meter }) => meter),
    repair: kept.flatMap(({ meter, alarm }) => (alarm?.fits === 'changed' ? [{ id: alarm.id, meter }] : [])),
    remove: watch.alarms.filter(({ id }) => !ids.includes(id)).map(({ id }) => id),
    subscribe: mustSubscribe(asked) ? asked.autopilot.endpoint : undefined,
    removesTopic: asked.autopilot.endpoint === undefined && mustRemoveTopic(record, watch.at, timing),
  };
  return isNothing(work) ? undefined : work;
}

function isNothing({ create, repair, remove, subscribe, removesTopic }: WatchWork): boolean {
  return create.length + repair.length + remove.length === 0 && !subscribe && !removesTopic;
}

function mustSubscribe({ autopilot: { endpoint }, watch, record }: Asked): boolean {
  if (endpoint === undefined) return false;
  const topic = record?.topic;
  if (topic?.urn === undefined || topic.endpoint !== endpoint) return true;
  if (watch.subscription === 'missing') return true;
  return watch.subscription === 'unconfirmed' && watch.at >= (topic.askedAt ?? 0) + ASK_AGAIN_MS;
}

/** At once, and once more when no create can take effect any longer. */
function mustRemoveTopic(record: Watch | undefined, at: number, { settleMs }: Timing): boolean {
  const topic = record?.topic;
  return topic !== undefined && (!topic.isRemoved || at >= topic.at + settleMs);
}

/** `gone`: proven; `wait`: what was sent lately may still show up. */
export function leftToRemove(record: Watch, watch: WatchView, timing: Timing): WatchWork | 'gone' | 'wait' {
  const work: WatchWork = {
    create: [],
    repair: [],
    remove: watch.alarms.map(({ id }) => id),
    removesTopic: mustRemoveTopic(record, watch.at, timing),
  };
  if (!isNothing(work)) return work;
  return watch.at >= watchedSince(record) + timing.settleMs ? 'gone' : 'wait';
}
