// Server-sent events: one open page gets everything once and then what changed, twice a second.

import type { ServerResponse } from 'node:http';
import type { Row } from './view.ts';
import type { World } from './world-view.ts';

const TICK_MS = 500;
const PING_TICKS = 4;
/** A page that does not read any more is dropped before it fills the memory; it comes back by itself. */
const LARGEST_BACKLOG = 4 * 1024 * 1024;

export type Streams = { open(response: ServerResponse, watched: string | undefined): void; close(): void };

export function createStreams(world: World): Streams {
  const clients = new Set<{ tick(): void; end(): void }>();
  const timer = setInterval(() => {
    for (const client of clients) client.tick();
  }, TICK_MS).unref();

  function open(response: ServerResponse, watched: string | undefined): void {
    const send = (event: string, data: unknown) =>
      response.write(`event: ${event}\ndata: ${JSON.stringify(data)}\n\n`);
    const parts = [
      rowChanges(world),
      cloudChanges(world),
      ...(watched ? watchedChanges(world, watched) : []),
    ];
    let ticks = 0;
    const client = {
      tick() {
        if (response.writableLength > LARGEST_BACKLOG) return client.end();
        for (const part of parts) {
          const news = part();
          if (news) send(news.event, news.data);
        }
        if (ticks % PING_TICKS === 0) send('ping', {});
        ticks += 1;
      },
      end: () => void response.destroy(),
    };
    response.on('close', () => clients.delete(client));
    clients.add(client);
    client.tick();
  }

  return {
    open,
    close() {
      clearInterval(timer);
      for (const client of clients) client.end();
    },
  };
}

type News = { event: string; data: unknown } | undefined;
type Part = () => News;

function rowChanges(world: World): Part {
  let sent: Map<string, Row> | undefined;
  return () => {
    const rows = world.rows();
    const before = sent;
    sent = rows;
    if (!before) return { event: 'rows', data: { isAll: true, rows: [...rows.values()], removed: [] } };
    // A row that did not change is the same object.
    const changed = [...rows.values()].filter((row) => before.get(row.key) !== row);
    const removed = [...before.keys()].filter((key) => !rows.has(key));
    if (changed.length + removed.length === 0) return undefined;
    return { event: 'rows', data: { isAll: false, rows: changed, removed } };
  };
}

/** Sent when it reads differently than last time. */
function whenDifferent(event: string, read: () => unknown): Part {
  let sent: string | undefined;
  return () => {
    const data = read();
    const text = JSON.stringify(data);
    if (text === sent) return undefined;
    sent = text;
    return { event, data };
  };
}

const cloudChanges = (world: World): Part => whenDifferent('cloud', world.cloud);

function watchedChanges(world: World, key: string): Part[] {
  let revision = 0;
  let lastSampleAt = 0;
  return [
    whenDifferent('detail', () => world.detail(key) ?? { key, isGone: true }),
    () => {
      const news = world.timeline.since(key, revision);
      revision = news.revision;
      return news.entries.length === 0
        ? undefined
        : { event: 'timeline', data: { key, entries: news.entries } };
    },
    () => {
      const samples = world.samples(key).filter(({ at }) => at > lastSampleAt);
      lastSampleAt = samples.at(-1)?.at ?? lastSampleAt;
      return samples.length === 0 ? undefined : { event: 'samples', data: { key, samples } };
    },
    outputChanges(world, key),
  ];
}

/** New lines of the newest Job; a page that has those of an older one drops them. */
function outputChanges(world: World, key: string): Part {
  let known = { job: '', next: 0 };
  return () => {
    const found = world.logOutput(key);
    const isNew = found?.job !== known.job;
    const { next, lines } = found?.output.since(isNew ? 0 : known.next) ?? { next: 0, lines: [] };
    known = { job: found?.job ?? known.job, next };
    if (!found || (!isNew && lines.length === 0)) return undefined;
    return { event: 'output', data: { key, job: found.job, isNew, lines } };
  };
}
