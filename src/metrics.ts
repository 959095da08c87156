// The few instruments of the operator, in a registry of their own so that tests can have many.

import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import type { CredentialForm } from './rds/log-order.ts';
import { IMPACTS, type PlannedChange } from './rds/status.ts';

/** Over the Rds that this replica synced lately. */
export type FleetCounts = {
  rds: number;
  pending: readonly PlannedChange['impact'][];
  jobCredentials: readonly CredentialForm[];
};

export type Metrics = {
  registry: Registry;
  hookAnswered(hook: string, result: string, seconds: number): void;
  /** Instances in the cloud that look like ours and have no Rds. */
  unowned(count: number): void;
  otcCalled(call: { service: string; method: string; route: string; result: string; seconds: number }): void;
  cacheUsed(cache: string, event: 'read' | 'load'): void;
  limiterPassed(seconds: number, result: 'sent' | 'refused'): void;
  /** On the alarm port; what became of it, or why it was refused. */
  alarmMessage(result: string): void;
  /** By what was short: disk, cpu or memory. */
  autopilotDecided(what: string): void;
  /** Asked at each scrape. */
  watchFleet(counts: () => FleetCounts): void;
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
  const countRead = cacheCounter(registry, {
    name: 'rds_pilot_cache_reads_total',
    help: 'Reads of lists that all Rds of a project share.',
  });
  const countLoad = cacheCounter(registry, {
    name: 'rds_pilot_cache_loads_total',
    help: 'Those of the reads for which the cloud was asked; the rest are hits.',
  });
  const waits = new Histogram({
    name: 'rds_pilot_limiter_wait_seconds',
    help: 'Time that a call to the cloud waited for our own rate limit; refused: the wait would have been too long.',
    labelNames: ['result'] as const,
    buckets: [0.001, 0.1, 0.5, 1, 2, 5, 10],
    registers,
  });
  const alarmMessages = new Counter({
    name: 'rds_pilot_alarm_messages_total',
    help: 'Messages to the alarm port by what became of them, or why they were refused.',
    labelNames: ['result'] as const,
    registers,
  });
  const decisions = new Counter({
    name: 'rds_pilot_autopilot_decisions_total',
    help: 'Decisions of the autopilot to change a disk or a machine, by the metric that caused them.',
    labelNames: ['metric'] as const,
    registers,
  });
  return {
    registry,
    alarmMessage: (result) => alarmMessages.inc({ result }),
    autopilotDecided: (metric) => decisions.inc({ metric }),
    unowned: (count) => unowned.set(count),
    hookAnswered: (hook, result, seconds) => hooks.observe({ hook, result }, seconds),
    otcCalled: ({ service, method, route, result, seconds }) => {
      calls.inc({ service, method, route, result });
      durations.observe({ service }, seconds);
    },
    cacheUsed: (cache, event) => (event === 'read' ? countRead(cache) : countLoad(cache)),
    limiterPassed: (seconds, result) => waits.observe({ result }, seconds),
    watchFleet: (counts) => fleetGauges(registry, counts),
  };
}

/** Counted several times in every call, so by plain numbers; their labels are put together when somebody asks. */
function cacheCounter(registry: Registry, what: { name: string; help: string }): (cache: string) => void {
  const counts = new Map<string, number>();
  new Counter({
    ...what,
    labelNames: ['cache'] as const,
    registers: [registry],
    collect() {
      this.reset();
      for (const [cache, count] of counts) this.inc({ cache }, count);
    },
  });
  return (cache) => void counts.set(cache, (counts.get(cache) ?? 0) + 1);
}

function fleetGauges(registry: Registry, counts: () => FleetCounts): void {
  const registers = [registry];
  new Gauge({
    name: 'rds_pilot_known_rds',
    help: 'Rds that this replica synced in the last 15 minutes.',
    registers,
    collect() {
      this.set(counts().rds);
    },
  });
  new Gauge({
    name: 'rds_pilot_pending_changes',
    help: 'Their differences between spec and cloud that are not carried out yet, by what clients will notice.',
    labelNames: ['impact'] as const,
    registers,
    collect() {
      const { pending } = counts();
      for (const impact of IMPACTS) this.set({ impact }, countOf(pending, impact));
    },
  });
  new Gauge({
    name: 'rds_pilot_job_credentials',
    help: 'Credentials that were given to their log Jobs and may still be valid.',
    labelNames: ['form'] as const,
    registers,
    collect() {
      const { jobCredentials } = counts();
      for (const form of FORMS) this.set({ form }, countOf(jobCredentials, form));
    },
  });
}

const FORMS: readonly CredentialForm[] = ['keys', 'token'];

const countOf = <T>(all: readonly T[], one: T) => all.filter((each) => each === one).length;
