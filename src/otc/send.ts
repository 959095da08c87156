// `Send` is the one way out to the cloud. Tracing, limits and retries are wrappers around it, the simulator
// is another implementation of it, and nothing else in the project knows how a request travels.

import type { Json } from './json.ts';

export type Service = 'iam' | 'rds' | 'ces' | 'smn' | 'vpc';

export type OtcRequest = {
  service: Service;
  method: 'GET' | 'POST' | 'PUT' | 'DELETE' | 'HEAD';
  /** Absolute URL. */
  url: string;
  /** Path with placeholders, for metrics and faults: `/v3/{project}/instances`. */
  route: string;
  headers: Record<string, string>;
  body?: string | undefined;
  /** The call is given up after this many milliseconds. */
  deadlineMs: number;
};

export type OtcResponse = {
  status: number;
  /** Names in lower case. */
  headers: Record<string, string>;
  body: string;
  /** What the body says, from a cloud in the same process: nobody has to write and read the text. */
  readonly json?: Json;
};

export type Send = (request: OtcRequest) => Promise<OtcResponse>;

/** No usable answer came. Whether the request took effect is unknown. */
export class SendError extends Error {
  readonly code: 'TIMEOUT' | 'CONNECTION';

  constructor(code: 'TIMEOUT' | 'CONNECTION', message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'SendError';
    this.code = code;
  }
}
