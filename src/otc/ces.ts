// The calls of Cloud Eye: metric data in batches, and alarm rules.

import type { Clock } from '../clock.ts';
import { TerminalError } from '../errors.ts';
import { type Cached, createCached } from './cache.ts';
import type { Call } from './call.ts';
import {
  type AlarmRow,
  readAlarmRow,
  readSeries,
  writeAlarm,
  writeAlarmChange,
  writeMetric,
} from './ces-wire.ts';
import type { Fresh } from './cloud.ts';
import { type Json, need, neededObjects, numberOf, objectOf, textOf } from './json.ts';
import { createLru } from './lru.ts';
import type {
  AlarmSnapshot,
  LatelyQuery,
  MetricId,
  MetricQuery,
  MetricSeries,
  Monitoring,
} from './monitoring.ts';
import { collectPages, type Page } from './pages.ts';

const maxMetrics = 10;
/** Beyond this the cloud silently cuts off the beginning. */
const maxPoints = 3_000;
const rawSeconds = 60;
const maxSeries = 10_000;
const pageLimit = 100;

export function createMonitoring(call: Call): Omit<Monitoring, 'alarms' | 'metricsLately'> {
  const put = async (path: string, id: string, body: Json) => {
    await call({ service: 'ces', method: 'PUT', path, params: { id }, body, read: () => undefined });
  };

  return {
    async metricData(query) {
      let at: number | undefined;
      const found = new Map<string, MetricSeries>();
      for (const batch of batchesOf(query)) {
        const answer = await queryBatch(call, query, batch);
        at ??= answer.at;
        for (const series of answer.value) found.set(keyOf(series), series);
      }
      const nothing = (id: MetricId): MetricSeries => ({ ...id, unit: '', points: [] });
      return { value: query.wanted.map((id) => found.get(keyOf(id)) ?? nothing(id)), at: at ?? 0 };
    },

    async createAlarm(rule) {
      const read = (body: Json) => ({ id: need(textOf(body, 'alarm_id'), 'alarm_id') });
      const body = writeAlarm(rule);
      return (await call({ service: 'ces', method: 'POST', path: '/alarms', body, read })).value;
    },

    updateAlarm: (id, rule) => put('/alarms/{id}', id, writeAlarmChange(rule)),
    enableAlarm: (id, isEnabled) => put('/alarms/{id}/action', id, { alarm_enabled: isEnabled }),

    async deleteAlarm(id) {
      const path = '/alarms/{id}';
      const read = () => undefined;
      await call({ service: 'ces', method: 'DELETE', path, params: { id }, accepted: [404], read });
    },
  };
}

/** Each asks for its own metrics, and the last who asks says until when. */
export function createMetricsLately(clock: Clock, callAlone: () => Call) {
  const kept = createLru<{ query: LatelyQuery; cached: Cached<readonly MetricSeries[]> }>(maxSeries);
  return (query: LatelyQuery): Cached<readonly MetricSeries[]> => {
    const { wanted, spanMs, periodSeconds, filter } = query;
    const one = kept.get(`${wanted.map(keyOf).join()} ${spanMs} ${periodSeconds} ${filter}`, () => {
      const entry: { query: LatelyQuery; cached: Cached<readonly MetricSeries[]> } = {
        query,
        cached: createCached(clock, 'the metrics', async () => {
          const { spanMs: span, ...asked } = entry.query;
          return (await createMonitoring(callAlone()).metricData({ ...asked, fromMs: asked.toMs - span }))
            .value;
        }),
      };
      return entry;
    });
    one.query = query;
    return one.cached;
  };
}

const keyOf = ({ metric, dimension: { name, value } }: MetricId) => `${metric} ${name} ${value}`;

function batchesOf({ wanted, fromMs, toMs, periodSeconds }: MetricQuery): MetricId[][] {
  const points = (toMs - fromMs) / 1_000 / Math.max(periodSeconds, rawSeconds) + 1;
  const size = Math.max(1, Math.min(maxMetrics, Math.floor(maxPoints / points)));
  const unique = [...new Map(wanted.map((id) => [keyOf(id), id])).values()];
  return Array.from({ length: Math.ceil(unique.length / size) }, (_, index) =>
    unique.slice(index * size, (index + 1) * size),
  );
}

function queryBatch(call: Call, query: MetricQuery, batch: MetricId[]): Promise<Fresh<MetricSeries[]>> {
  const { fromMs, toMs, periodSeconds, filter } = query;
  return call({
    service: 'ces',
    method: 'POST',
    path: '/batch-query-metric-data',
    // The period is a string here, and a number in alarm rules.
    body: { metrics: batch.map(writeMetric), from: fromMs, to: toMs, period: String(periodSeconds), filter },
    read: (body) => neededObjects(body, 'metrics').map((row) => readSeries(row, filter)),
  });
}

export function createAlarmSnapshots(
  clock: Clock,
  callAlone: () => Call,
  beforeWaiting?: () => void,
): Cached<AlarmSnapshot> {
  const load = async (): Promise<AlarmSnapshot> => {
    const { value: rows, at } = await fetchAlarms(callAlone());
    const alarms = rows.flatMap(({ alarm }) => alarm ?? []);
    return {
      at,
      byId: new Map(alarms.map((alarm) => [alarm.id, alarm])),
      byName: Map.groupBy(alarms, ({ name }) => name),
    };
  };
  return createCached(clock, 'the list of alarms', load, beforeWaiting);
}

/** A page goes on after the last rule of the one before. */
function fetchAlarms(call: Call): Promise<Fresh<AlarmRow[]>> {
  let last: AlarmRow | undefined;
  const read = (body: Json) => ({
    items: neededObjects(body, 'metric_alarms').map(readAlarmRow),
    total: numberOf(objectOf(body, 'meta_data'), 'total'),
  });
  return collectPages(async (offset) => {
    const query = { limit: pageLimit, ...(offset > 0 && last && { start: last.id }) };
    try {
      const page = await call({ service: 'ces', method: 'GET', path: '/alarms', query, read });
      last = page.value.items.at(-1);
      return page;
    } catch (error) {
      if (offset === 0 || !(error instanceof TerminalError)) throw error;
      return startVanished;
    }
  }, pageLimit);
}

/** The rule that a page should start after was deleted meanwhile: fits no other page. */
const startVanished: Fresh<Page<AlarmRow>> = { value: { items: [], total: -1 }, at: 0 };
