// KubeCall over HTTP. No retries: a caller that needs to know what became of a write must see each failure.

import { Agent, request as send } from 'undici';
import type { KubeCall } from './api.ts';
import { KubeUnreachable } from './api.ts';
import type { KubeConnection } from './connection.ts';

export type KubeHttp = { call: KubeCall; close(): Promise<void> };

export function createKubeHttp(connection: KubeConnection): KubeHttp {
  const { ca, cert, key } = connection;
  const dispatcher = new Agent({ connections: 32, connect: { ca, cert, key, timeout: 3_000 } });
  const call: KubeCall = async ({ method, path, body, contentType, accept, deadlineMs }) => {
    try {
      const token = connection.token();
      const response = await send(`${connection.url}${path}`, {
        method,
        dispatcher,
        headers: {
          accept: accept ?? 'application/json',
          ...(body === undefined ? {} : { 'content-type': contentType ?? 'application/json' }),
          ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
        },
        body: body === undefined ? null : JSON.stringify(body),
        signal: AbortSignal.timeout(deadlineMs),
      });
      return { status: response.statusCode, body: parsed(await response.body.text()) };
    } catch (error) {
      const reason = error instanceof Error ? error.message : String(error);
      throw new KubeUnreachable(`the API server at ${connection.url} does not answer: ${reason}`, error);
    }
  };
  return { call, close: () => dispatcher.close() };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return { message: text.slice(0, 200) };
  }
}
