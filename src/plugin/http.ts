// HTTP by what Node itself has: undici 8 needs a newer Node than the ones that people have on their PATH.

import { type ClientRequest, type IncomingMessage, request as plainRequest } from 'node:http';
import { type RequestOptions, request as secureRequest } from 'node:https';
import { rootCertificates } from 'node:tls';
import { type KubeCall, KubeUnreachable } from '../kube/api.ts';
import type { KubeConnection } from '../kube/connection.ts';
import { type Send, SendError } from '../otc/send.ts';

type Request = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** Until the first byte of the answer, and between any two. */
  idleMs: number;
  deadlineMs?: number | undefined;
  tls?: Pick<RequestOptions, 'ca' | 'cert' | 'key' | 'servername' | 'rejectUnauthorized'>;
};

function exchange(request: Request): Promise<IncomingMessage> {
  const { method, url, headers, body, idleMs, deadlineMs, tls } = request;
  return new Promise((resolve, reject) => {
    const options: RequestOptions = {
      method,
      headers: {
        ...headers,
        ...(body === undefined ? {} : { 'content-length': `${Buffer.byteLength(body)}` }),
      },
      timeout: idleMs,
      ...(deadlineMs === undefined ? {} : { signal: AbortSignal.timeout(deadlineMs) }),
      ...tls,
    };
    const send = new URL(url).protocol === 'https:' ? secureRequest : plainRequest;
    const sent: ClientRequest = send(url, options, resolve);
    sent.on('timeout', () => sent.destroy(new Error(`no answer in ${idleMs} ms`)));
    sent.on('error', reject);
    sent.end(body);
  });
}

async function textOf(response: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of response) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString('utf8');
}

const IDLE_MS = 15_000;

export type KubeWire = {
  call: KubeCall;
  /** For what is no JSON: the lines of a pod, as they come. */
  stream(path: string): Promise<{ status: number; body: AsyncIterable<Buffer> }>;
};

export function createKubeWire(connection: KubeConnection): KubeWire {
  const { url, ca, cert, key, serverName, isUnverified } = connection;
  const tls = {
    ...(ca === undefined ? {} : { ca }),
    ...(cert === undefined ? {} : { cert }),
    ...(key === undefined ? {} : { key }),
    ...(serverName === undefined ? {} : { servername: serverName }),
    ...(isUnverified ? { rejectUnauthorized: false } : {}),
  };
  const reach = async (
    request: Omit<Request, 'url' | 'tls'> & { path: string },
  ): Promise<IncomingMessage> => {
    const token = connection.token();
    const headers = {
      ...request.headers,
      ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    };
    try {
      return await exchange({ ...request, headers, url: `${url}${request.path}`, tls });
    } catch (error) {
      throw new KubeUnreachable(`the API server at ${url} does not answer: ${reasonOf(error)}`, error);
    }
  };
  return {
    async call({ method, path, body, contentType, deadlineMs }) {
      const headers = {
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
      };
      const text = body === undefined ? undefined : JSON.stringify(body);
      const response = await reach({ method, path, headers, body: text, idleMs: deadlineMs, deadlineMs });
      return { status: response.statusCode ?? 0, body: parsed(await textOf(response)) };
    },
    async stream(path) {
      const response = await reach({ method: 'GET', path, headers: {}, idleMs: 20 * 60_000 });
      return { status: response.statusCode ?? 0, body: response };
    },
  };
}

/** To the cloud; `ca` is trusted beside the public ones. */
export function createNodeSend(ca: string | undefined): Send {
  const tls = ca === undefined ? {} : { ca: [...rootCertificates, ca] };
  return async ({ method, url, route, headers, body, deadlineMs }) => {
    try {
      const response = await exchange({ method, url, headers, body, idleMs: IDLE_MS, deadlineMs, tls });
      const flat = Object.entries(response.headers).map(([name, value]) => [
        name,
        [value ?? []].flat().join(', '),
      ]);
      return {
        status: response.statusCode ?? 0,
        headers: Object.fromEntries(flat) as Record<string, string>,
        body: await textOf(response),
      };
    } catch (error) {
      throw new SendError('CONNECTION', `${method} ${route}: ${reasonOf(error)}`, error);
    }
  };
}

/** Node names a refused connection to several addresses by an error without words. */
function reasonOf(error: unknown): string {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join(', ');
  return error instanceof Error ? error.message || error.name : String(error);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}
