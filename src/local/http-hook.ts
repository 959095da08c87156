// Calls the hook over HTTP, as Metacontroller does.

import { type Dispatcher, request } from 'undici';
import type { CallHook } from './hook-call.ts';

export type HttpHookOptions = {
  /** Where the hook listens, e.g. `http://127.0.0.1:8080`. */
  baseUrl: string;
  /** Sent as `Authorization: Bearer …`. */
  token?: string;
  dispatcher?: Dispatcher;
};

export const createHttpHook =
  (options: HttpHookOptions): CallHook =>
  async (path, body, timeoutMs) => {
    const response = await request(new URL(path, options.baseUrl), {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        ...(options.token ? { authorization: `Bearer ${options.token}` } : {}),
      },
      body: JSON.stringify(body),
      signal: AbortSignal.timeout(timeoutMs),
      ...(options.dispatcher ? { dispatcher: options.dispatcher } : {}),
    });
    const headers = Object.fromEntries(
      Object.entries(response.headers).map(([name, value]) => [name.toLowerCase(), String(value ?? '')]),
    );
    return { status: response.statusCode, headers, body: await response.body.text() };
  };
