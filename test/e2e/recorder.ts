// Stands between the loop and the hook replicas: writes down every call, and can hold an answer, cut a call or
// show the hook a parent from the past.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { Agent, request } from 'undici';
import type { KubeObject } from '../../src/kube/api.ts';

export type HookName = 'sync' | 'finalize' | 'customize';
type Objects = Record<string, Record<string, KubeObject>>;

export type HookBody = {
  controller?: unknown;
  parent: KubeObject;
  children?: Objects;
  related?: Objects;
  finalizing?: boolean;
};

export type HookAnswer = {
  status?: Record<string, unknown>;
  children?: KubeObject[];
  relatedResources?: unknown[];
  resyncAfterSeconds?: number;
  finalized?: boolean;
};

export type HookCall = {
  at: number;
  hook: HookName;
  body: HookBody;
  /** Port of the replica that has it. */
  replica?: number;
  /** 0: no answer reached the loop. */
  code?: number;
  answer?: HookAnswer;
  /** An injected fault had a part in it. */
  tampered?: 'held' | 'cut' | 'stale';
};

export type Rule = {
  matches: (call: HookCall) => boolean;
  effect:
    | { kind: 'hold'; until: Promise<void>; onHeld: () => void }
    | { kind: 'cut' }
    | { kind: 'stale'; body: HookBody; onShown: () => void };
};

export type Recorder = {
  url: string;
  calls: readonly HookCall[];
  inFlight: () => HookCall[];
  /** Strikes once. `hold` and `cut` are tried when the answer is there, `stale` before the call is passed on. */
  inject: (rule: Rule) => void;
  stop: () => Promise<void>;
};

const read = async (stream: AsyncIterable<Buffer>): Promise<string> => {
  const chunks: Buffer[] = [];
  for await (const chunk of stream) chunks.push(chunk);
  return Buffer.concat(chunks).toString('utf8');
};

const parsed = <T>(text: string): T | undefined => {
  try {
    return JSON.parse(text) as T;
  } catch {
    return undefined;
  }
};

export async function startRecorder(backends: () => number[]): Promise<Recorder> {
  const calls: HookCall[] = [];
  const open = new Set<HookCall>();
  const rules: Rule[] = [];
  // One connection per call, so that the replicas take turns whatever the loop keeps alive.
  const agent = new Agent({
    pipelining: 0,
    keepAliveTimeout: 1,
    headersTimeout: 60_000,
    bodyTimeout: 60_000,
  });
  let turn = 0;

  const take = (call: HookCall, kinds: Rule['effect']['kind'][]): Rule['effect'] | undefined => {
    const index = rules.findIndex(({ matches, effect }) => kinds.includes(effect.kind) && matches(call));
    return index < 0 ? undefined : rules.splice(index, 1)[0]?.effect;
  };

  /** A replica that refuses the connection never saw the call: the next one gets it. */
  const pass = async (call: HookCall, path: string, authorization: string, signal: AbortSignal) => {
    const ports = backends();
    turn += 1;
    for (let index = 0; index < ports.length; index += 1) {
      const port = ports[(turn + index) % ports.length] ?? 0;
      call.replica = port;
      try {
        const response = await request(`http://127.0.0.1:${port}${path}`, {
          method: 'POST',
          dispatcher: agent,
          headers: { 'content-type': 'application/json', authorization },
          body: JSON.stringify(call.body),
          signal,
        });
        return { code: response.statusCode, headers: response.headers, text: await response.body.text() };
      } catch (error) {
        if ((error as NodeJS.ErrnoException).code !== 'ECONNREFUSED') throw error;
      }
    }
    throw new Error('no replica listens');
  };

  /** What an injected fault does to an answer that has just come; throws when the call is to be cut. */
  const tamper = async (call: HookCall): Promise<void> => {
    const effect = take(call, ['hold', 'cut']);
    if (effect?.kind === 'cut') {
      call.tampered = 'cut';
      throw new Error('cut');
    }
    if (effect?.kind !== 'hold') return;
    call.tampered = 'held';
    effect.onHeld();
    await effect.until;
  };

  const exchange = async (call: HookCall, incoming: IncomingMessage, outgoing: ServerResponse) => {
    const stale = take(call, ['stale']);
    if (stale?.kind === 'stale') {
      call.body = stale.body;
      call.tampered = 'stale';
    }
    const hungUp = new AbortController();
    outgoing.on('close', () => hungUp.abort());
    const { url = '/', headers } = incoming;
    const given = await pass(call, url, headers.authorization ?? '', hungUp.signal);
    const answer = parsed<HookAnswer>(given.text);
    if (given.code === 200 && answer) call.answer = answer;
    await tamper(call);
    if (stale?.kind === 'stale') stale.onShown();
    call.code = given.code;
    const retryAfter = given.headers['retry-after'];
    outgoing.writeHead(given.code, {
      'content-type': 'application/json',
      ...(retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) }),
    });
    outgoing.end(given.text);
  };

  const handle = async (incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> => {
    const body = parsed<HookBody>(await read(incoming));
    if (!body?.parent) throw new Error('not a hook call');
    const hook = (incoming.url ?? '/').split('/').at(-1) as HookName;
    const call: HookCall = { at: Date.now(), hook, body };
    calls.push(call);
    open.add(call);
    try {
      await exchange(call, incoming, outgoing);
    } catch {
      call.code = 0;
      outgoing.destroy();
    } finally {
      open.delete(call);
    }
  };

  const server = createServer((incoming, outgoing) => {
    handle(incoming, outgoing).catch(() => outgoing.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('the recorder has no port');

  return {
    url: `http://127.0.0.1:${address.port}`,
    calls,
    inFlight: () => [...open],
    inject: (rule) => rules.push(rule),
    stop: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await agent.destroy();
    },
  };
}
