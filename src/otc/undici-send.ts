// The real way out: undici over HTTP/1.1. A call that is given up resets its connection, because after a plain
// close the kernel would go on delivering the request for up to 100 s, and the write could still take effect.

import type { Socket } from 'node:net';
import { rootCertificates } from 'node:tls';
import { Agent, buildConnector } from 'undici';
import { type OtcRequest, type OtcResponse, type Send, SendError } from './send.ts';

/** A page of 100 instances is about 200 kB. */
const largestBodyBytes = 8 * 1024 * 1024;
const connectTimeoutMs = 5_000;

export type UndiciSend = { send: Send; close(): Promise<void> };

/** `ca`: PEM of a private authority, trusted beside the public ones. */
export function createUndiciSend({ ca }: { ca?: string | undefined } = {}): UndiciSend {
  // The agent keeps one pool per origin. No HTTP/2: a reset would hit the other requests on the connection.
  const agent = new Agent({ connect: createConnector(ca), connections: 32, pipelining: 1, allowH2: false });
  return {
    close: () => agent.close(),
    async send(request) {
      const signal = AbortSignal.timeout(request.deadlineMs);
      try {
        return await exchange(agent, request, signal);
      } catch (cause) {
        const what = `${request.method} ${request.route}`;
        if (signal.aborted)
          throw new SendError('TIMEOUT', `${what}: no answer in ${request.deadlineMs} ms`, cause);
        throw new SendError(
          'CONNECTION',
          `${what}: ${cause instanceof Error ? cause.message : 'failed'}`,
          cause,
        );
      }
    },
  };
}

async function exchange(agent: Agent, request: OtcRequest, signal: AbortSignal): Promise<OtcResponse> {
  const { origin, pathname, search } = new URL(request.url);
  const { method, headers, body = null } = request;
  const answer = await agent.request({ origin, path: pathname + search, method, headers, body, signal });
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of answer.body) {
    size += chunk.length;
    if (size > largestBodyBytes) throw new Error('the answer is too large');
    chunks.push(chunk);
  }
  return {
    status: answer.statusCode,
    headers: flatten(answer.headers),
    body: Buffer.concat(chunks).toString('utf8'),
  };
}

function flatten(headers: Record<string, string | string[] | undefined>): Record<string, string> {
  const entries = Object.entries(headers).map(([name, value]) => [
    name.toLowerCase(),
    [value ?? []].flat().join(', '),
  ]);
  return Object.fromEntries(entries);
}

function createConnector(ca: string | undefined): buildConnector.connector {
  const plain = buildConnector({ timeout: connectTimeoutMs });
  const secure = buildConnector({
    timeout: connectTimeoutMs,
    allowH2: false,
    ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }),
  });
  return (options, callback) => {
    const isSecure = options.protocol === 'https:';
    const port = options.port || (isSecure ? '443' : '80');
    plain({ ...options, protocol: 'http:', port }, (error, socket) => {
      if (error) return callback(error, null);
      if (!isSecure) return callback(null, resetOnAbort(socket, socket));
      // TLS goes over a socket of our own, since a TLSSocket itself cannot be reset.
      secure({ ...options, port, httpSocket: socket }, (tlsError, tlsSocket) =>
        tlsError ? callback(tlsError, null) : callback(null, resetOnAbort(tlsSocket, socket)),
      );
    });
  };
}

/** undici destroys a socket with an error when a request on it is aborted. The reset closes both layers. */
function resetOnAbort(socket: Socket, tcp: Socket): Socket {
  const destroy = socket.destroy.bind(socket);
  socket.destroy = (error) => {
    socket.destroy = destroy;
    if (error === undefined || tcp.destroyed) return destroy(error);
    tcp.resetAndDestroy();
    return socket;
  };
  return socket;
}
