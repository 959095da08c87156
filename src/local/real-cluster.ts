// The watch source for a real API server: list, then watch, and list again when the stream breaks or is too old.

import { type Dispatcher, request } from 'undici';
import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import { apiVersionOf, collectionPath, findByRef, knownResources, type Resource } from './resources.ts';
import { keyOf } from './store.ts';
import type { Watch, WatchEvent } from './watch.ts';

export type ClusterOptions = {
  baseUrl: string;
  headers?: Record<string, string>;
  /** Carries client certificates and the cluster's CA. */
  dispatcher?: Dispatcher;
  clock: Clock;
  resources?: readonly Resource[];
  onProblem?: (message: string) => void;
};

type List = { metadata: { resourceVersion: string }; items: KubeObject[] };
type StreamEvent = { type: WatchEvent['type'] | 'BOOKMARK' | 'ERROR'; object: KubeObject };

const retryMs = 1000;
const breathMs = 100;

export const createClusterWatch = (options: ClusterOptions): Watch => {
  const get = async (path: string, signal: AbortSignal) => {
    const response = await request(new URL(path, options.baseUrl), {
      headers: { accept: 'application/json', ...options.headers },
      signal,
      // A quiet stream is a healthy one.
      bodyTimeout: 0,
      ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    });
    if (response.statusCode === 200) return response.body;
    await response.body.dump();
    throw new Error(`GET ${path} answered ${response.statusCode}`);
  };

  return (ref, listener) => {
    const resource = findByRef(options.resources ?? knownResources, ref);
    if (!resource) throw new Error(`unknown resource ${ref.apiVersion}/${ref.resource}`);
    const path = collectionPath(resource);
    const abort = new AbortController();
    const known = new Map<string, KubeObject>();
    const synced = Promise.withResolvers<void>();

    const deliver = (type: WatchEvent['type'], given: KubeObject): void => {
      // Items of a list come without their kind.
      const object = { ...given, apiVersion: apiVersionOf(resource), kind: resource.kind };
      if (type === 'DELETED') known.delete(keyOf(object.metadata));
      else known.set(keyOf(object.metadata), object);
      listener({ type, object });
    };

    const list = async (): Promise<string> => {
      const answer = (await (await get(path, abort.signal)).json()) as List;
      const present = new Set(answer.items.map((object) => keyOf(object.metadata)));
      for (const [key, object] of known) if (!present.has(key)) deliver('DELETED', object);
      for (const object of answer.items) {
        const before = known.get(keyOf(object.metadata));
        if (before?.metadata.resourceVersion === object.metadata.resourceVersion) continue;
        deliver(before ? 'MODIFIED' : 'ADDED', object);
      }
      synced.resolve();
      return answer.metadata.resourceVersion;
    };

    /** Returns the version to go on from; throws when a new list is needed. */
    const follow = async (from: string): Promise<string> => {
      const query = `watch=true&allowWatchBookmarks=true&resourceVersion=${from}`;
      const stream = await get(`${path}?${query}`, abort.signal);
      let version = from;
      for await (const { type, object } of readLines(stream)) {
        if (type === 'ERROR') throw new Error(`watch of ${path}: ${JSON.stringify(object)}`);
        version = object.metadata.resourceVersion ?? version;
        if (type !== 'BOOKMARK') deliver(type, object);
      }
      return version;
    };

    const listAndFollow = async (): Promise<void> => {
      let version = await list();
      while (!abort.signal.aborted) {
        version = await follow(version);
        // The server ends a stream every few minutes; nothing is lost by a breath.
        await options.clock.sleep(breathMs);
      }
    };

    const run = async (): Promise<void> => {
      while (!abort.signal.aborted) {
        await listAndFollow().catch((error: unknown) => {
          if (abort.signal.aborted) return;
          options.onProblem?.(error instanceof Error ? error.message : String(error));
        });
        if (!abort.signal.aborted) await options.clock.sleep(retryMs);
      }
    };

    void run();
    return { synced: synced.promise, stop: () => abort.abort() };
  };
};

async function* readLines(stream: AsyncIterable<Buffer>): AsyncGenerator<StreamEvent> {
  const decoder = new TextDecoder();
  let rest = '';
  for await (const chunk of stream) {
    rest += decoder.decode(chunk, { stream: true });
    const lines = rest.split('\n');
    rest = lines.pop() ?? '';
    for (const line of lines) if (line.trim() !== '') yield JSON.parse(line) as StreamEvent;
  }
}
