// A metric over time: raw samples, and what a period makes of them.
import type { Scene } from '../protocol.ts';
import { loadAt } from '../rds/load-phase.ts';
import type { Instance } from '../rds/types.ts';
import type { World } from '../world.ts';
import { dimensionNames, type MetricKind, metricKinds, usageOf } from './metric-table.ts';
import type { Filter, Metric } from './types.ts';

export const NAMESPACE = 'SYS.RDS';
const RAW_SECONDS = 60;

/** In milliseconds of the clock: speed makes periods shorter. Period 1 is raw data. */
export function stepMs({ settings }: Pick<Scene, 'settings'>, periodSeconds: number): number {
  const rawMs = Math.max(1, Math.round((RAW_SECONDS * 1_000) / settings.speed));
  return periodSeconds <= 1 ? rawMs : rawMs * (periodSeconds / RAW_SECONDS);
}

export type Series = {
  unit: string;
  /** Nothing was measured before. */
  since: number;
  sampleAt(at: number): number | undefined;
};

export function findSeries(world: World, projectId: string, metric: Metric): Series | undefined {
  const [dimension, ...others] = metric.dimensions;
  if (metric.namespace !== NAMESPACE || !dimension || others.length > 0) return undefined;
  const found = resourceOf(world, dimension.value);
  if (!found || found.instance.projectId !== projectId) return undefined;
  const { instance, role } = found;
  const names = dimensionNames[instance.engine];
  if (dimension.name !== (role === undefined ? names.instance : names.node)) return undefined;
  const kind = metricKinds[instance.engine].find(({ name }) => name === metric.name);
  return kind && seriesOf(instance, kind, role ?? ownRole(instance));
}

/** What the instance as a whole shows is what its primary does. */
const ownRole = ({ type }: Instance): string => (type === 'Replica' ? 'readreplica' : 'master');

function seriesOf(instance: Instance, kind: MetricKind, role: string): Series {
  const phases = instance.phases ?? [];
  return {
    unit: kind.unit,
    since: phases[0]?.since ?? Number.POSITIVE_INFINITY,
    sampleAt(at) {
      const load = loadAt(phases, at);
      return load && Math.round(kind.of(usageOf(load, role)) * 100) / 100;
    },
  };
}

/** An instance or one of its nodes; a deleted one has a past, but reports nothing new. */
function resourceOf(world: World, id: string): { instance: Instance; role: string | undefined } | undefined {
  const whole = world.instances[id] ?? gone(world, id);
  if (whole) return { instance: whole, role: undefined };
  for (const instance of Object.values(world.instances)) {
    const node = instance.nodes.find((candidate) => candidate.id === id);
    if (node) return { instance, role: node.role };
  }
  return undefined;
}

function gone(world: World, id: string): Instance | undefined {
  const deleted = world.deleted[id];
  const last = deleted?.phases?.at(-1);
  if (!deleted || !last) return undefined;
  const end = { ...last, since: deleted.deletedAt, isUp: false };
  return { ...deleted, phases: [...(deleted.phases ?? []), end] };
}

/** Raw samples that fall into [from, to). */
export function samplesIn(
  series: Series,
  from: number,
  to: number,
  rawMs: number,
): { at: number; value: number }[] {
  const samples = [];
  for (let at = Math.ceil(Math.max(from, series.since) / rawMs) * rawMs; at < to; at += rawMs) {
    const value = series.sampleAt(at);
    if (value !== undefined) samples.push({ at, value });
  }
  return samples;
}

const sum = (values: readonly number[]) => values.reduce((total, value) => total + value, 0);
const mean = (values: readonly number[]) => sum(values) / values.length;

const rollups: Record<Filter, (values: readonly number[]) => number> = {
  average: mean,
  max: (values) => Math.max(...values),
  min: (values) => Math.min(...values),
  sum,
  variance: (values) => {
    const middle = mean(values);
    return mean(values.map((value) => (value - middle) ** 2));
  },
};

/** Nothing when there was no data in the period. */
export function rolledUp(values: readonly number[], filter: Filter): number | undefined {
  return values.length === 0 ? undefined : Math.round(rollups[filter](values) * 100) / 100;
}
