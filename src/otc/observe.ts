// The hook for metrics: one observation per request that left, whatever became of it.

import type { Clock } from '../clock.ts';
import { type OtcRequest, type Send, SendError } from './send.ts';

export type Observation = Pick<OtcRequest, 'service' | 'route' | 'method'> & {
  status: number | undefined;
  /** `TIMEOUT` or `CONNECTION` when no answer came. */
  code: string | undefined;
  durationMs: number;
};

/** How the means that all callers of an account share are used. */
export type Usage = {
  /** A shared list was read; `load`: the cloud had to be asked for it. */
  cache(name: string, event: 'read' | 'load'): void;
  limiter(waitedMs: number, result: 'sent' | 'refused'): void;
};

export type Observe = (observation: Observation) => void;

export function withObserve(send: Send, clock: Clock, observe: Observe): Send {
  return async (request) => {
    const { service, route, method } = request;
    const startedAt = clock.elapsed();
    const report = (status: number | undefined, code: string | undefined) =>
      observe({ service, route, method, status, code, durationMs: clock.elapsed() - startedAt });
    try {
      const response = await send(request);
      report(response.status, undefined);
      return response;
    } catch (error) {
      report(undefined, error instanceof SendError ? error.code : 'ERROR');
      throw error;
    }
  };
}
