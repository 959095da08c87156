// The simulator behind a real socket.
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { SendError } from '../otc/send.ts';
import type { Simulator } from './simulator.ts';
import { deliverOverHttp } from './smn/http-deliver.ts';

const MAX_BODY_BYTES = 12 * 1024 * 1024;

/** Alarms and messages are on time, also when nobody calls. */
const PULSE_MS = 500;

type Served = Pick<Simulator, 'handle'> & Partial<Pick<Simulator, 'settle' | 'deliverBy'>>;

export type RunningSimulator = { url: string; close(): Promise<void> };

export async function serveSimulator(
  simulator: Served,
  { host = '127.0.0.1', port = 0 }: { host?: string; port?: number } = {},
): Promise<RunningSimulator> {
  const server = createServer((request, response) => {
    answer(simulator, request, response).catch((error: unknown) => giveUp(response, error));
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, resolve);
  });
  const { port: actualPort } = server.address() as AddressInfo;
  simulator.deliverBy?.(deliverOverHttp);
  const pulse = simulator.settle && setInterval(simulator.settle, PULSE_MS).unref();
  return {
    url: `http://${host}:${actualPort}`,
    close: () =>
      new Promise((resolve) => {
        clearInterval(pulse);
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

async function answer(
  simulator: Pick<Simulator, 'handle'>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const body = await readBody(request);
  if (body === undefined) {
    response.writeHead(413, { 'content-type': 'application/json' });
    response.end(JSON.stringify({ error_code: 'APIGW.0201', error_msg: 'Request entity too large' }));
    return;
  }
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [
      name,
      Array.isArray(value) ? value.join(',') : (value ?? ''),
    ]),
  );
  const reply = await simulator.handle({
    method: request.method ?? 'GET',
    url: request.url ?? '/',
    headers,
    body,
  });
  const bytes = Buffer.from(request.method === 'HEAD' ? '' : reply.body);
  response.writeHead(
    reply.status,
    reply.status === 204 ? reply.headers : { ...reply.headers, 'content-length': bytes.length },
  );
  response.end(bytes);
}

async function readBody(request: IncomingMessage): Promise<string | undefined> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of request) {
    size += chunk.length;
    if (size > MAX_BODY_BYTES) return undefined;
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** A lost answer: the connection stays silent until the caller leaves, or is cut. Anything else is our own bug. */
function giveUp(response: ServerResponse, error: unknown): void {
  if (error instanceof SendError) {
    if (error.code === 'CONNECTION') response.destroy();
    return;
  }
  if (!response.headersSent) response.writeHead(500, { 'content-type': 'application/json' });
  response.end(
    JSON.stringify({ error: `Bug in the simulator: ${error instanceof Error ? error.stack : error}` }),
  );
}
