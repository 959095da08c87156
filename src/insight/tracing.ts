// Spans of OpenTelemetry: a hook call, and below it each call to the cloud. Only the API is used: without an SDK in
// the process (the OpenTelemetry operator brings one in) all of this does nothing.

import { ProxyTracerProvider, type Span, SpanKind, SpanStatusCode, trace } from '@opentelemetry/api';
import type { Send } from '../otc/send.ts';
import type { RunHook } from '../sync/loop.ts';

const NAME = 'rds-pilot';
const tracer = () => trace.getTracer(NAME);

/** Without an SDK nobody listens, and a call is spared the spans. */
function isHeard(): boolean {
  const provider = trace.getTracerProvider();
  return !(provider instanceof ProxyTracerProvider) || provider.getDelegateTracer(NAME) !== undefined;
}

/** A failure is marked without its text: it may quote what the cloud said. */
async function within<T>(span: Span, work: () => Promise<T>): Promise<T> {
  try {
    return await work();
  } catch (error) {
    span.setStatus({ code: SpanStatusCode.ERROR });
    throw error;
  } finally {
    span.end();
  }
}

export function tracedHook(run: RunHook): RunHook {
  return (hook, view) => {
    if (!isHeard()) return run(hook, view);
    const { namespace, name } = view.rds.metadata;
    const attributes = { 'k8s.namespace.name': namespace, 'rds_pilot.rds.name': name };
    return tracer().startActiveSpan(`hook ${hook}`, { kind: SpanKind.SERVER, attributes }, (span) =>
      within(span, async () => {
        const outcome = await run(hook, view);
        span.setAttribute('rds_pilot.outcome', outcome.kind);
        return outcome;
      }),
    );
  };
}

export function tracedSend(send: Send): Send {
  return (request) => {
    if (!isHeard()) return send(request);
    const { service, method, route } = request;
    const attributes = {
      'peer.service': service,
      'http.request.method': method,
      'url.template': route,
    };
    return tracer().startActiveSpan(`${method} ${route}`, { kind: SpanKind.CLIENT, attributes }, (span) =>
      within(span, async () => {
        const response = await send(request);
        span.setAttribute('http.response.status_code', response.status);
        if (response.status >= 400) span.setStatus({ code: SpanStatusCode.ERROR });
        return response;
      }),
    );
  };
}
