// The load of every instance, looked at once a second: the chart's memory.

import { loadAt } from '../../simulator/rds/load-phase.ts';
import type { Instance } from '../../simulator/rds/types.ts';

export type Sample = {
  at: number;
  /** Percent; undefined while the database is down. */
  cpu: number | undefined;
  mem: number | undefined;
  disk: number | undefined;
  volumeGb: number;
  flavor: string;
};

export type Samples = {
  take(instances: readonly Instance[], at: number): void;
  of(instanceId: string): readonly Sample[];
};

/** Five minutes: what the chart shows. */
const KEPT_SAMPLES = 300;

const rounded = (value: number | undefined): number | undefined =>
  value === undefined ? undefined : Math.round(value * 10) / 10;

export function createSamples(): Samples {
  const byId = new Map<string, Sample[]>();
  return {
    take(instances, at) {
      const living = new Set(instances.map(({ id }) => id));
      for (const id of byId.keys()) if (!living.has(id)) byId.delete(id);
      for (const { id, phases, volumeGb, flavor } of instances) {
        const load = loadAt(phases ?? [], at);
        const samples = byId.get(id) ?? [];
        byId.set(id, samples);
        samples.push({
          at,
          cpu: rounded(load?.cpu),
          mem: rounded(load?.mem),
          disk: rounded(load?.disk),
          volumeGb,
          flavor,
        });
        if (samples.length > KEPT_SAMPLES) samples.shift();
      }
    },
    of: (instanceId) => byId.get(instanceId) ?? [],
  };
}
