// The port that strangers reach: POST a message, get an empty answer. Whatever is wrong with a message, the answer is
// the same. It shares nothing with the hooks but the process, so it takes little at a time.

import Fastify, { type FastifyInstance, type FastifyReply } from 'fastify';
import type { Gate } from './gate.ts';
import { hasArrived, type Outcome, type Refusal } from './outcome.ts';

export type ListenerLimits = {
  bodyBytes: number;
  /** Until the whole request is here. */
  requestMs: number;
  connections: number;
};

export const LISTENER_LIMITS: ListenerLimits = { bodyBytes: 64 * 1024, requestMs: 5_000, connections: 128 };

const HEADER_BYTES = 8 * 1024;
const LOOK_EVERY_MS = 1_000;

export type ListenerDeps = {
  /** Never rejects. */
  receive: (body: string) => Promise<Outcome>;
  refuse: (reason: Refusal) => void;
  gate: Gate;
  limits: ListenerLimits;
  https: { cert: Buffer; key: Buffer } | undefined;
};

export function buildListener({ receive, refuse, gate, limits, https }: ListenerDeps): FastifyInstance {
  const { requestMs } = limits;
  const server = {
    headersTimeout: requestMs,
    requestTimeout: requestMs,
    connectionsCheckingInterval: Math.min(LOOK_EVERY_MS, requestMs),
    maxHeaderSize: HEADER_BYTES,
  };
  const app = Fastify({
    logger: false,
    bodyLimit: limits.bodyBytes,
    requestTimeout: requestMs,
    keepAliveTimeout: requestMs,
    clientErrorHandler(error, socket) {
      refuse(error.code === 'ERR_HTTP_REQUEST_TIMEOUT' ? 'slow' : 'malformed');
      socket.destroy();
    },
    ...(https ? { https: { ...https, ...server } } : { http: server }),
  }) as unknown as FastifyInstance;
  app.server.maxConnections = limits.connections;

  const turnAway = (reply: FastifyReply, reason: Refusal) => {
    refuse(reason);
    return reply.code(403).header('connection', 'close').send();
  };

  // Before the body is read.
  app.addHook('onRequest', async (_request, reply) => {
    const leave = gate.enter();
    if (!leave) return turnAway(reply, 'overload');
    reply.raw.once('close', leave);
  });
  // SMN does not promise a content type; a message is read as the text that it is.
  app.removeAllContentTypeParsers();
  app.addContentTypeParser<string>('*', { parseAs: 'string' }, (_request, body, done) => done(null, body));
  // Any path: the address in spec.endpoint is the user's.
  app.post<{ Body: string | undefined }>('/*', async ({ body }, reply) =>
    reply.code(hasArrived(await receive(body ?? '')) ? 200 : 403).send(),
  );
  app.setNotFoundHandler((_request, reply) => turnAway(reply, 'method'));
  app.setErrorHandler<{ code?: string }>((error, _request, reply) =>
    turnAway(reply, error.code === 'FST_ERR_CTP_BODY_TOO_LARGE' ? 'tooLarge' : 'malformed'),
  );
  return app;
}
