// The few instruments of the operator, in a registry of their own so that tests can have many.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';

export type Metrics = {
  registry: Registry;
  hookAnswered(hook: string, result: string, seconds: number): void;
  /** Instances in the cloud that look like ours and have no Rds. */
  unowned(count: number): void;
  otcCalled(call: { service: string; method: string; route: string; result: string; seconds: number }): void;
};

export function createMetrics(options: { process: boolean }): Metrics {
  const registry = new Registry();
  if (options.process) collectDefaultMetrics({ register: registry });
  const registers = [registry];
  const hooks = new Histogram({
    name: 'rds_pilot_hook_duration_seconds',
    help: 'Time to answer a hook call.',
    labelNames: ['hook', 'result'] as const,
    buckets: [0.005, 0.02, 0.1, 0.5, 1, 2, 5, 10, 24],
    registers,
  });
  const calls = new Counter({
    name: 'rds_pilot_otc_calls_total',
    help: 'Calls to the cloud by route and result (HTTP status or transport failure).',
    labelNames: ['service', 'method', 'route', 'result'] as const,
    registers,
  });
  const durations = new Histogram({
    name: 'rds_pilot_otc_duration_seconds',
    help: 'Time that calls to the cloud take.',
    labelNames: ['service'] as const,
    buckets: [0.05, 0.2, 0.5, 1, 2, 4, 8],
    registers,
  });
  const unowned = new Gauge({
    name: 'rds_pilot_unowned_instances',
    help: 'Instances of the default project that look like ours and have no Rds.',
    registers,
  });
  return {
    registry,
    unowned: (count) => unowned.set(count),
    hookAnswered: (hook, result, seconds) => hooks.observe({ hook, result }, seconds),
    otcCalled: ({ service, method, route, result, seconds }) => {
      calls.inc({ service, method, route, result });
      durations.observe({ service }, seconds);
    },
  };
}
