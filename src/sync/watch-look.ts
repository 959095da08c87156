// What Cloud Eye and the message service tell about an instance. Lists are shared by all Rds of a project, and values of
// a single instance are read rarely, or when something may have to be decided. A failure here concerns the autopilot
// alone.

import type { Cloud, Flavor, Instance } from '../otc/cloud.ts';
import type { Alarm, AlarmSnapshot, MetricSeries, Period } from '../otc/monitoring.ts';
import { type AlarmWanted, alarmRule, isSameRule, watchesSame } from '../otc/rds-alarms.ts';
import { measureReading, usedDiskReading } from '../otc/rds-metrics.ts';
import { type Autopilot, autopilotOf, METERS, type Meter, thresholdOf } from '../rds/autopilot.ts';
import { findCondition } from '../rds/conditions.ts';
import { ANNOTATIONS, alarmName, topicName } from '../rds/names.ts';
import { orderValue } from '../rds/object.ts';
import type { Reason } from '../rds/reasons.ts';
import { nextSmaller } from './decide/autopilot/quiet.ts';
import { BY_VALUES } from './decide/autopilot/report.ts';
import type { Details, Observed, Point, SeenAlarm, WatchView } from './decide/observed.ts';
import { toFailure } from './failure.ts';

/** An alarm needs a quarter of an hour to go off; a push makes us look at once. */
const ALARMS_SECONDS = 90;
/** Shared even by those who are about to write: many Rds may want alarms at the same time. */
const FRESH_ALARMS_SECONDS = 10;
const RARELY_SECONDS = 6 * 3_600;
const UNCONFIRMED_SECONDS = 60;
const QUIET_SECONDS = 3_600;
const HOUR_MS = 3_600_000;
const TREND = { spanMs: 7 * 24 * HOUR_MS, periodSeconds: 14_400 } as const;

export const MEASURES: Record<Meter, AlarmWanted['measure']> = {
  disk: 'diskRatio',
  cpu: 'cpuRatio',
  memory: 'memoryRatio',
};

type Asked = Pick<Observed, 'rds' | 'spec' | 'userSet' | 'nowMs'>;
type Look = { how: 'shared' | 'fresh'; at?: number; watched?: boolean };
type Found = Pick<Details, 'watch' | 'flavors'>;

/** Nothing for an Rds that has no autopilot and never had one. */
export async function readWatch(
  cloud: Cloud,
  asked: Asked,
  instance: Instance,
  { flavors, replicas }: Details,
  look: Look,
): Promise<Found> {
  const autopilot = autopilotOf(asked.spec);
  const isOn = autopilot.mode !== 'Off';
  if (instance.ip === undefined || (!isOn && !look.watched && !asked.rds.status?.alarms)) return {};
  let known = flavors;
  try {
    if (isOn) known ??= await cloud.flavors(instance.engine, instance.version);
    const maxAge = look.how === 'fresh' ? FRESH_ALARMS_SECONDS : ALARMS_SECONDS;
    const list = await cloud.alarms(maxAge);
    const alarms = seenAlarms(list, asked, instance);
    if (!isOn) return { watch: { at: list.at, alarms } };
    const one: One = { cloud, asked, autopilot, instance, list, look };
    const watch = await withValues(one, { at: list.at, alarms }, { flavors: known, replicas });
    return { watch, ...(known ? { flavors: known } : {}) };
  } catch (error) {
    return { watch: { at: 0, alarms: [], failure: toFailure(error) }, ...(known ? { flavors: known } : {}) };
  }
}

/** By name alone: the instance may be gone. */
export async function readLeftAlarms(cloud: Cloud, asked: Asked): Promise<WatchView> {
  try {
    const list = await cloud.alarms(FRESH_ALARMS_SECONDS);
    return { at: list.at, alarms: seenAlarms(list, asked, undefined) };
  } catch (error) {
    return { at: 0, alarms: [], failure: toFailure(error) };
  }
}

function seenAlarms(
  { byName }: AlarmSnapshot,
  { rds, spec }: Asked,
  instance: Instance | undefined,
): SeenAlarm[] {
  const { uid } = rds.metadata;
  return METERS.flatMap((meter) =>
    [...(byName.get(alarmName(uid, meter)) ?? [])]
      // Their ids begin with the time at which they were made: every replica keeps the same one.
      .sort((a, b) => (a.id < b.id ? -1 : 1))
      .map((alarm) => {
        const fits = instance ? fitOf(alarm, { uid, spec, instance, meter }) : 'other';
        return { id: alarm.id, meter, state: alarm.state, fits };
      }),
  );
}

function fitOf(
  alarm: Alarm,
  { uid, spec, instance, meter }: Pick<Asked, 'spec'> & { uid: string; instance: Instance; meter: Meter },
): SeenAlarm['fits'] {
  const autopilot = autopilotOf(spec);
  const urn = ourTopic(alarm, uid);
  const rule = alarmRule(instance, {
    name: alarm.name,
    measure: MEASURES[meter],
    thresholdPercent: thresholdOf(autopilot, meter),
    topicUrns: autopilot.endpoint === undefined ? [] : [urn ?? 'missing'],
  });
  if (!watchesSame(alarm, rule)) return 'other';
  return isSameRule(alarm, rule) ? 'asWanted' : 'changed';
}

const ourTopic = ({ topicUrns }: Alarm, uid: string): string | undefined =>
  topicUrns.find((urn) => urn.endsWith(`:${topicName(uid)}`));

type One = {
  cloud: Cloud;
  asked: Asked;
  autopilot: Autopilot;
  instance: Instance;
  list: AlarmSnapshot;
  look: Look;
};

/** What cannot be read now is left out, and why is told. */
async function withValues(
  one: One,
  watch: WatchView,
  more: { flavors: readonly Flavor[] | undefined; replicas: readonly Instance[] | undefined },
): Promise<WatchView> {
  const full: WatchView = { ...watch };
  try {
    full.subscription = await subscriptionOf(one);
    full.usedGb = await trendOf(one);
    if (more.flavors && worthShrinking(one, more.flavors, more.replicas)) full.quiet = await quietOf(one);
    if (one.look.how === 'fresh' && mustDecide(one, watch)) full.readings = await readingsOf(one);
  } catch (error) {
    full.failure = toFailure(error);
  }
  return full;
}

async function subscriptionOf({ cloud, asked, autopilot, list }: One): Promise<WatchView['subscription']> {
  const { endpoint } = autopilot;
  const { uid } = asked.rds.metadata;
  if (endpoint === undefined) return undefined;
  const urns = METERS.flatMap((meter) => list.byName.get(alarmName(uid, meter)) ?? []);
  const urn = urns.map((alarm) => ourTopic(alarm, uid)).find((found) => found !== undefined);
  if (urn === undefined) return undefined;
  const isWaiting = findCondition(asked.rds.status?.conditions, 'AutopilotReady')?.reason !== 'Watching';
  const found = await cloud.subscriptionsLately(urn, isWaiting ? UNCONFIRMED_SECONDS : RARELY_SECONDS);
  return found?.find((one) => one.protocol === 'https' && one.endpoint === endpoint)?.status ?? 'missing';
}

async function trendOf({ cloud, instance, list }: One): Promise<readonly Point[] | undefined> {
  const query = { ...TREND, wanted: [usedDiskReading(instance)], toMs: list.at, filter: 'average' } as const;
  return (await cloud.metricsLately(query, RARELY_SECONDS))[0]?.points;
}

function worthShrinking(
  { asked, autopilot, instance }: One,
  flavors: readonly Flavor[],
  replicas: readonly Instance[] = [],
): boolean {
  return nextSmaller(autopilot, asked, { instance, flavors, replicas }) !== undefined;
}

/** As coarse as the span is long: some hundred values at most. */
function periodFor(spanMs: number): Period {
  if (spanMs <= 12 * HOUR_MS) return 300;
  if (spanMs <= 48 * HOUR_MS) return 1_200;
  return spanMs <= 7 * 24 * HOUR_MS ? 3_600 : 14_400;
}

async function quietOf({ cloud, instance, autopilot, list, look }: One): Promise<WatchView['quiet']> {
  const forMs = autopilot.compute.scaleDown?.forMs ?? 0;
  const periodSeconds = periodFor(forMs);
  const wanted = [readingId(instance, 'cpu'), readingId(instance, 'memory')];
  const spanMs = forMs + 2 * periodSeconds * 1_000;
  const maxAge = look.how === 'fresh' ? 0 : QUIET_SECONDS;
  const query = { wanted, toMs: list.at, spanMs, periodSeconds, filter: 'average' } as const;
  const [cpu, memory] = await cloud.metricsLately(query, maxAge);
  return { cpu: cpu?.points ?? [], memory: memory?.points ?? [] };
}

function mustDecide({ asked, instance }: One, { alarms }: WatchView): boolean {
  const { rds } = asked;
  const reason = findCondition(rds.status?.conditions, 'AutopilotReady')?.reason as Reason | undefined;
  const push = orderValue(rds, ANNOTATIONS.alarm);
  return (
    instance.status === 'STORAGE FULL' ||
    alarms.some(({ state }) => state === 'alarm') ||
    (reason !== undefined && BY_VALUES.includes(reason)) ||
    (push !== undefined && push !== rds.status?.handled?.[ANNOTATIONS.alarm])
  );
}

/** Up to this very moment: the list of alarms may be some seconds older, and the cloud tells its time in whole ones. */
async function readingsOf({ cloud, instance, list, look }: One): Promise<WatchView['readings']> {
  const toMs = Math.max(list.at, look.at ?? 0) + 1_000;
  const wanted = [usedDiskReading(instance), readingId(instance, 'cpu'), readingId(instance, 'memory')];
  const { value } = await cloud.metricData({
    wanted,
    fromMs: toMs - HOUR_MS,
    toMs,
    periodSeconds: 300,
    filter: 'average',
  });
  const points = (series: MetricSeries | undefined) => series?.points ?? [];
  return { disk: points(value[0]), cpu: points(value[1]), memory: points(value[2]) };
}

function readingId(instance: Instance, meter: 'cpu' | 'memory') {
  const reading = measureReading(instance, MEASURES[meter]);
  if (!reading) throw new Error(`${instance.engine} has no metric for ${meter}`);
  return reading.id;
}
