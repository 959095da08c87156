// A world whose replica tells about its databases, and the page as a scraper reads it.

import pino from 'pino';
import type { Test } from 'tap';
import { createInsight, type Insight } from '../../src/insight/insight.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { createWorld, demoCredentials, SECOND, type WorldOptions } from '../support/world.ts';

export type Series = { name: string; labels: Record<string, string>; value: number };

/** The text format, as far as gauges and counters go. */
function parseSeries(text: string): Series[] {
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = '', labels = '', value]) => ({
    name,
    labels: Object.fromEntries(
      [...labels.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, key = '', text = '']) => [key, text]),
    ),
    value: Number(value),
  }));
}

export async function createInsightWorld(t: Pick<Test, 'teardown'>, options: WorldOptions = {}) {
  let insight: Insight | undefined;
  const synced: SyncDeps['synced'] = (...told) => insight?.synced(...told);
  const world = await createWorld({ ...options, deps: { ...options.deps, synced } });
  t.teardown(() => world.stop());
  const { clock, simulator } = world;
  insight = createInsight({
    clock,
    openCloud: createOpenCloud({ send: simulator.send, clock, random: () => 0.5 }),
    defaultCredentials: readCredentials(demoCredentials),
    readCredentials,
    log: pino({ level: 'silent' }),
  });
  const { databases, counts } = insight;

  /** What a scrape gets, however long it takes. */
  async function page(): Promise<string> {
    let text: string | undefined;
    const done = databases().then((value) => {
      text = value;
    });
    await clock.runUntil(() => text !== undefined, 60 * SECOND);
    await done;
    return text ?? '';
  }
  return Object.assign(world, {
    counts,
    page,
    scrape: async () => parseSeries(await page()),
    batches: () => simulator.calls().ces?.['POST /V1.0/{project}/batch-query-metric-data'] ?? 0,
    async load(name: string, load: { cpu?: number; mem?: number; disk?: number }) {
      const { id } = await world.status(name);
      const body = JSON.stringify({ id, ...load });
      const { status } = await simulator.handle({ method: 'POST', url: '/_sim/load', headers: {}, body });
      if (status !== 200) throw new Error(`load: ${status}`);
    },
  });
}
