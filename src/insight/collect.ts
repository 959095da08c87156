// Reads Cloud Eye for the known databases, ten metrics a call. Nothing is asked unless somebody scrapes, each metric
// at most once a minute, and slowly: a big fleet must not use up the rate that syncs need.

import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import { CloudError, TerminalError } from '../errors.ts';
import type { Credentials, OpenCloud } from '../otc/cloud.ts';
import { keyOf } from '../otc/open.ts';
import { delayReading, MEASURES, type Measure, measureReading, type Reading } from '../otc/rds-metrics.ts';
import type { Fleet, KnownRds } from './fleet.ts';

/** The cloud has a new value every minute; somewhat less, so that a scrape every minute gets each. */
const KEEP_MS = 50_000;
const METRICS_PER_CALL = 10;
const CALL_EVERY_MS = 300;
const CALL_BUDGET_MS = 8_000;
/** New values come minutes late. */
const SPAN_MS = 10 * 60_000;
/** Prometheus gives up after 10 s: what takes longer is told at the next scrape. */
const SCRAPE_WAITS_MS = 4_000;
/** A missing right does not come back within a minute. */
const REFUSED_PAUSE_MS = 5 * 60_000;

/** `at`: the cloud's clock. */
export type Point = { value: number; at: number };

export type Sample = {
  askedAt: number;
  measures: Map<Measure, Point>;
  /** Follower -> seconds. */
  delays: Map<string, Point>;
};

export type Collector = {
  /** Returns when all values are fresh, or after a few seconds with what there is. */
  refresh(): Promise<void>;
  sampleOf(uid: string): Sample;
};

export type CollectorDeps = { clock: Clock; openCloud: OpenCloud; fleet: Fleet; log: Logger };

/** One metric to ask for, and where its value goes. */
type Wanted = Reading & { sample: Sample; keep(point: Point): void };

export function createCollector({ clock, openCloud, fleet, log }: CollectorDeps): Collector {
  const samples = new Map<string, Sample>();
  const pausedUntil = new Map<string, number>();
  /** One round per set of credentials at a time: a big tenant does not hold up a small one. */
  const running = new Map<string, Promise<void>>();

  function startRounds(): void {
    const known = fleet.known();
    forgetAllBut(new Set(known.map(({ uid }) => uid)));
    const groups = Map.groupBy(known.filter(isDue), ({ credentials }) => credentials && keyOf(credentials));
    for (const [key, due] of groups) {
      const credentials = due[0]?.credentials;
      if (key === undefined || !credentials || running.has(key) || pausedUntil.has(key)) continue;
      const round = collect(key, credentials, due)
        .catch((error: unknown) => log.error({ err: error }, 'bug in the collector of metrics'))
        .finally(() => running.delete(key));
      running.set(key, round);
    }
  }

  function forgetAllBut(uids: ReadonlySet<string>): void {
    for (const uid of samples.keys()) if (!uids.has(uid)) samples.delete(uid);
    for (const [key, until] of pausedUntil) if (until <= clock.elapsed()) pausedUntil.delete(key);
  }

  function sampleOf(uid: string): Sample {
    const sample = samples.get(uid) ?? {
      askedAt: Number.NEGATIVE_INFINITY,
      measures: new Map(),
      delays: new Map(),
    };
    samples.set(uid, sample);
    return sample;
  }

  function isDue({ uid, instance }: KnownRds): boolean {
    return instance?.isBuilt === true && clock.elapsed() - sampleOf(uid).askedAt >= KEEP_MS;
  }

  async function collect(key: string, credentials: Credentials, due: KnownRds[]): Promise<void> {
    const stalestFirst = due.sort((a, b) => (sampleOf(a.uid).askedAt < sampleOf(b.uid).askedAt ? -1 : 1));
    const wanted = stalestFirst.flatMap(wantedFor);
    try {
      for (let first = 0; first < wanted.length; first += METRICS_PER_CALL) {
        const startedAt = clock.elapsed();
        await ask(credentials, wanted.slice(first, first + METRICS_PER_CALL));
        const isLast = first + METRICS_PER_CALL >= wanted.length;
        if (!isLast) await clock.sleep(Math.max(0, startedAt + CALL_EVERY_MS - clock.elapsed()));
      }
    } catch (error) {
      if (!(error instanceof CloudError)) throw error;
      // Values grow old and vanish; the next scrape tries again.
      if (error instanceof TerminalError) pausedUntil.set(key, clock.elapsed() + REFUSED_PAUSE_MS);
      log.debug({ code: error.code }, 'metrics of databases could not be read');
    }
  }

  function wantedFor({ uid, instance }: KnownRds): Wanted[] {
    if (!instance) return [];
    const sample = sampleOf(uid);
    const measures = MEASURES.flatMap((measure) => {
      const reading = measureReading(instance, measure);
      return reading
        ? [{ ...reading, sample, keep: (point: Point) => sample.measures.set(measure, point) }]
        : [];
    });
    const delays = instance.followers.map((follower) => ({
      ...delayReading(instance.engine, follower),
      sample,
      keep: (point: Point) => sample.delays.set(follower.name, point),
    }));
    return [...measures, ...delays];
  }

  async function ask(credentials: Credentials, wanted: readonly Wanted[]): Promise<void> {
    const end = clock.elapsed() + CALL_BUDGET_MS;
    const cloud = openCloud(credentials, { remainingMs: () => end - clock.elapsed() });
    const toMs = clock.now();
    const { value } = await cloud.metricData({
      wanted: wanted.map(({ id }) => id),
      fromMs: toMs - SPAN_MS,
      toMs,
      periodSeconds: 1,
      filter: 'average',
    });
    for (const [index, { sample, factor, keep }] of wanted.entries()) {
      sample.askedAt = clock.elapsed();
      const newest = value[index]?.points.at(-1);
      if (newest) keep({ value: newest.value * factor, at: newest.at });
    }
  }

  return {
    async refresh() {
      startRounds();
      if (running.size > 0) await Promise.race([Promise.all(running.values()), clock.sleep(SCRAPE_WAITS_MS)]);
    },
    sampleOf,
  };
}
