// Metrics asked for: which there are, and their data, one by one or ten at once.
import { bodyOf, type JsonObject, objects, optionalInteger, queryInteger, text } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField } from '../refusal.ts';
import { oneOf, PERIODS, readMetric } from './alarm-fields.ts';
import { dimensionNames, metricKinds } from './metric-table.ts';
import { findSeries, NAMESPACE, rolledUp, samplesIn, stepMs } from './series.ts';
import { type Dimension, FILTERS, type Filter, type Metric } from './types.ts';

const MAX_METRICS = 10;
const MAX_POINTS = 3_000;
const MAX_DIMENSIONS = 3;

type Window = { from: number; to: number; period: number; filter: Filter };
type Point = { timestamp: number } & Partial<Record<Filter, number>>;

/** Only whole periods count, so a window inside one period is empty; `from` is rounded down to its period. */
function pointsOf(call: Call, metric: Metric, { from, to, period, filter }: Window): Point[] {
  const series = findSeries(call.world, call.identity.projectId ?? '', metric);
  if (!series) return [];
  const rawMs = stepMs(call, 1);
  const end = Math.min(to, call.now);
  if (period === 1)
    return samplesIn(series, from, end + 1, rawMs).map(({ at, value }) => ({
      [filter]: value,
      timestamp: at,
    }));
  const step = stepMs(call, period);
  const points: Point[] = [];
  for (let at = Math.floor(Math.max(from, series.since) / step) * step; at + step <= end; at += step) {
    const values = samplesIn(series, at, at + step, rawMs).map(({ value }) => value);
    const value = rolledUp(values, filter);
    if (value !== undefined) points.push({ [filter]: value, timestamp: at });
  }
  return points;
}

function unitOf(call: Call, metric: Metric): string {
  return findSeries(call.world, call.identity.projectId ?? '', metric)?.unit ?? '';
}

export function showMetricData(call: Call): Answer {
  const { query } = call;
  const metric = readMetric({
    namespace: query.get('namespace'),
    metric_name: query.get('metric_name'),
    dimensions: dimensionsOf(query),
  });
  const whenever = { default: -1, min: 0, max: Number.MAX_SAFE_INTEGER };
  const window = checkWindow({
    from: queryInteger(query, 'from', whenever),
    to: queryInteger(query, 'to', whenever),
    period: oneOf(PERIODS, Number(query.get('period')), 'period'),
    filter: oneOf(FILTERS, query.get('filter'), 'filter'),
  });
  const unit = unitOf(call, metric);
  const datapoints = pointsOf(call, metric, movedUp(call, window, 1)).map((point) => ({ ...point, unit }));
  return json(200, { datapoints, metric_name: metric.name });
}

/** `period` is a string here. */
export function queryMetricData(call: Call): Answer {
  const body = bodyOf(call);
  const metrics = objects(body, 'metrics').map(readMetric);
  if (metrics.length < 1 || metrics.length > MAX_METRICS)
    throw new BadField('metrics', `there must be 1 to ${MAX_METRICS} of them`);
  const window = checkWindow({
    from: timeIn(body, 'from'),
    to: timeIn(body, 'to'),
    period: oneOf(PERIODS, Number(text(body, 'period')), 'period'),
    filter: oneOf(FILTERS, body.filter, 'filter'),
  });
  const asked = movedUp(call, window, metrics.length);
  return json(200, {
    metrics: metrics.map((metric) => ({
      namespace: metric.namespace,
      metric_name: metric.name,
      dimensions: metric.dimensions,
      unit: unitOf(call, metric),
      datapoints: pointsOf(call, metric, asked),
    })),
  });
}

/** Too much data is not refused: the beginning is cut off. */
function movedUp(call: Call, window: Window, metrics: number): Window {
  const longest = Math.floor(MAX_POINTS / metrics) * stepMs(call, window.period);
  return { ...window, from: Math.max(window.from, window.to - longest) };
}

function checkWindow(window: Window): Window {
  if (window.from < 0) throw new BadField('from', 'it is missing');
  if (window.from >= window.to) throw new BadField('from', 'it must be before `to`');
  return window;
}

function timeIn(body: JsonObject, name: string): number {
  const value = optionalInteger(body, name);
  if (value === undefined || value < 0) throw new BadField(name, 'it must be a time in milliseconds');
  return value;
}

/** `dim.0=rds_cluster_id,<id>` */
function dimensionsOf(query: URLSearchParams): Dimension[] {
  return Array.from({ length: MAX_DIMENSIONS }, (_, index) => query.get(`dim.${index}`)).flatMap((raw) => {
    if (!raw) return [];
    const comma = raw.indexOf(',');
    if (comma < 1) throw new BadField('dim', 'it must be a name, a comma and a value');
    return [{ name: raw.slice(0, comma), value: raw.slice(comma + 1) }];
  });
}

type Listed = { metric: string; unit: string; dimension: Dimension };

const markerOf = ({ metric, dimension }: Listed): string =>
  `${NAMESPACE}.${metric}.${dimension.name}:${dimension.value}`;

export function listMetrics(call: Call): Answer {
  const { query } = call;
  const limit = queryInteger(query, 'limit', { default: 1000, min: 1, max: 1000 });
  const wanted = dimensionsOf(query);
  const isWanted = ({ metric, dimension }: Listed) =>
    (!query.get('metric_name') || metric === query.get('metric_name')) &&
    wanted.every(({ name, value }) => dimension.name === name && dimension.value === value);
  const isOurs = [null, '', NAMESPACE].includes(query.get('namespace'));
  const rows = isOurs ? reported(call).filter(isWanted) : [];
  const start = query.get('start') ?? '';
  const after = start === '' ? -1 : rows.findIndex((row) => markerOf(row) === start);
  if (start !== '' && after < 0) throw new BadField('start', 'there is no such metric');
  const page = rows.slice(after + 1, after + 1 + limit);
  const last = page.at(-1);
  return json(200, {
    metrics: page.map(({ metric, unit, dimension }) => ({
      namespace: NAMESPACE,
      metric_name: metric,
      unit,
      dimensions: [dimension],
    })),
    meta_data: { count: page.length, total: rows.length, marker: last ? markerOf(last) : '' },
  });
}

/** Of every instance that has ever reported. */
function reported({ world, identity }: Call): Listed[] {
  const instances = Object.values(world.instances).filter(
    ({ projectId, phases }) => projectId === identity.projectId && phases !== undefined,
  );
  return instances.flatMap(({ id, engine, nodes }) => {
    const names = dimensionNames[engine];
    const dimensions = [
      { name: names.instance, value: id },
      ...nodes.map((node) => ({ name: names.node, value: node.id })),
    ];
    return dimensions.flatMap((dimension) =>
      metricKinds[engine].map(({ name, unit }) => ({ metric: name, unit, dimension })),
    );
  });
}
