// The API alone, with the smallest provider that can tell who is whose parent.
import { AsyncLocalStorage } from 'node:async_hooks';
import {
  type Attributes,
  type Context,
  context,
  INVALID_SPAN_CONTEXT,
  ROOT_CONTEXT,
  type Span,
  type SpanOptions,
  trace,
} from '@opentelemetry/api';
import t from 'tap';
import { tracedHook, tracedSend } from '../../src/insight/tracing.ts';
import { createVirtualClock } from '../../src/local/virtual-clock.ts';
import { readCredentials } from '../../src/otc/credentials.ts';
import { createOpenCloud } from '../../src/otc/open.ts';
import { createSimulator } from '../../src/simulator/simulator.ts';
import type { RunHook } from '../../src/sync/loop.ts';
import { readView } from '../../src/sync/request.ts';
import { demoCredentials, START } from '../support/world.ts';

type Recorded = {
  name: string;
  attributes: Attributes;
  parent: string | undefined;
  failed: boolean;
  ended: boolean;
};

function record(t: { teardown(fn: () => void): void }): Recorded[] {
  const spans: Recorded[] = [];
  const known = new Map<Span, Recorded>();
  const start = (name: string, options: SpanOptions = {}, within: Context = context.active()): Span => {
    const above = trace.getSpan(within);
    const own: Recorded = {
      name,
      attributes: { ...options.attributes },
      parent: above && known.get(above)?.name,
      failed: false,
      ended: false,
    };
    spans.push(own);
    const span = {
      ...trace.wrapSpanContext(INVALID_SPAN_CONTEXT),
      setAttribute: (key: string, value: never) => Object.assign(own.attributes, { [key]: value }),
      setStatus: () => Object.assign(own, { failed: true }),
      end: () => void Object.assign(own, { ended: true }),
    } as unknown as Span;
    known.set(span, own);
    return span;
  };
  const storage = new AsyncLocalStorage<Context>();
  context.setGlobalContextManager({
    active: () => storage.getStore() ?? ROOT_CONTEXT,
    with: (within, run, self, ...rest) => storage.run(within, () => run.call(self as never, ...rest)),
    bind: (_within, target) => target,
    enable() {
      return this;
    },
    disable() {
      return this;
    },
  });
  trace.setGlobalTracerProvider({
    getTracer: () => ({
      startSpan: start,
      startActiveSpan: (name: string, options: SpanOptions, run: (span: Span) => unknown) => {
        const span = start(name, options);
        return context.with(trace.setSpan(context.active(), span), () => run(span));
      },
    }),
  } as never);
  t.teardown(() => {
    trace.disable();
    context.disable();
  });
  return spans;
}

const view = readView(
  {
    parent: { metadata: { name: 'shop', namespace: 'team-a', uid: '4bc725ab-a311-4c18-92e7-ba4969369b55' } },
    children: {},
    finalizing: false,
  },
  START,
);
const answer = { kind: 'retry', because: 'a test', afterSeconds: 1 } as const;

function hookThatReads(): RunHook {
  const clock = createVirtualClock(START);
  const simulator = createSimulator({ clock, baseUrl: 'http://127.0.0.1:9090' });
  const open = createOpenCloud({ send: tracedSend(simulator.send), clock, random: () => 0.5 });
  const cloud = open(readCredentials(demoCredentials), { remainingMs: () => 5_000 });
  return tracedHook(async () => {
    await cloud.findInstanceById('242f11424d02acf4a6c41de9821785f2in01');
    return answer;
  });
}

t.test(
  'a hook call is a span, and each call to the cloud one below it, without anything secret',
  async (t) => {
    const spans = record(t);
    t.same(await hookThatReads()('sync', view), answer);
    t.same(
      spans.map(({ name, parent, ended, failed }) => ({ name, parent, ended, failed })),
      [
        { name: 'hook sync', parent: undefined, ended: true, failed: false },
        { name: 'POST /v3/auth/tokens', parent: 'hook sync', ended: true, failed: false },
        { name: 'GET /v3/{project}/instances', parent: 'hook sync', ended: true, failed: false },
      ],
    );
    t.match(spans[0]?.attributes, { 'rds_pilot.rds.name': 'shop', 'rds_pilot.outcome': 'retry' });
    t.match(spans[2]?.attributes, { 'peer.service': 'rds', 'http.response.status_code': 200 });
    const told = JSON.stringify(spans);
    for (const secret of ['demo-Passw0rd', 'MIIB', 'x-auth-token']) t.notMatch(told, secret);
  },
);

t.test('a failure is marked, its text is not told, and it goes on to the caller', async (t) => {
  const spans = record(t);
  const send = tracedSend(async () => {
    throw new Error('Canary-One');
  });
  const request = {
    service: 'rds',
    method: 'GET',
    url: 'http://x/',
    route: '/x',
    headers: {},
    deadlineMs: 1,
  } as const;
  await t.rejects(send(request), /Canary-One/);
  t.match(spans, [{ name: 'GET /x', failed: true, ended: true }]);
  t.notMatch(JSON.stringify(spans), 'Canary');
});

t.test('without an SDK nothing is recorded and nothing changes', async (t) => {
  t.same(await hookThatReads()('sync', view), answer);
});
