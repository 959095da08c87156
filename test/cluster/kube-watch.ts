// List, then watch, for ever: every event from the first state on, across cut connections and API server
// restarts. After a relist an object may be told again, and what vanished meanwhile is told as DELETED.
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { type Agent, request } from 'undici';
import type { KubeObject } from '../../src/kube/api.ts';

export type WatchEvent = { type: 'ADDED' | 'MODIFIED' | 'DELETED'; object: KubeObject };
export type Watch = { close: () => void };

type Source = {
  url: string;
  token: string;
  agent: Agent;
  path: string;
  onEvent: (event: WatchEvent) => void;
};
type ListBody = {
  apiVersion: string;
  kind: string;
  metadata: { resourceVersion: string };
  items: KubeObject[];
};

export function watchPath({ url, token, agent, path, onEvent }: Source): Watch {
  const closing = new AbortController();
  const known = new Map<string, KubeObject>();

  const open = async (query: string) => {
    const separator = path.includes('?') ? '&' : '?';
    const response = await request(`${url}${path}${query === '' ? '' : separator + query}`, {
      dispatcher: agent,
      headers: { authorization: `Bearer ${token}`, accept: 'application/json' },
      signal: closing.signal,
      bodyTimeout: 0,
    });
    if (response.statusCode === 200) return response.body;
    throw new Error(`${response.statusCode} ${await response.body.text()}`);
  };

  const tell = (event: WatchEvent): void => {
    const uid = event.object.metadata.uid ?? '';
    if (event.type === 'DELETED') known.delete(uid);
    else known.set(uid, event.object);
    onEvent(event);
  };

  const relist = async (): Promise<string> => {
    const list = (await (await open('')).json()) as ListBody;
    const kind = list.kind.replace(/List$/, '');
    const items = list.items.map((item) => ({ ...item, apiVersion: list.apiVersion, kind }));
    const present = new Set(items.map((item) => item.metadata.uid));
    for (const [uid, object] of [...known]) if (!present.has(uid)) tell({ type: 'DELETED', object });
    for (const object of items) {
      const before = known.get(object.metadata.uid ?? '');
      if (before?.metadata.resourceVersion !== object.metadata.resourceVersion) {
        tell({ type: before ? 'MODIFIED' : 'ADDED', object });
      }
    }
    return list.metadata.resourceVersion;
  };

  const follow = async (from: string): Promise<void> => {
    const body = await open(`watch=true&resourceVersion=${from}`);
    for await (const line of createInterface({ input: body, crlfDelay: Infinity })) {
      if (closing.signal.aborted) return;
      const event = JSON.parse(line) as WatchEvent | { type: 'ERROR'; object: KubeObject };
      if (event.type === 'ERROR') return;
      tell(event);
    }
  };

  const run = async (): Promise<void> => {
    while (!closing.signal.aborted) {
      try {
        await follow(await relist());
      } catch {
        // The server is away or the version too old: list again.
        await sleep(200, undefined, { signal: closing.signal }).catch(() => {});
      }
    }
  };
  void run();
  return { close: () => closing.abort() };
}
