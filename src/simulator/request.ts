// A request as it comes in, and where it goes to.
import type { Service } from '../otc/send.ts';

export type SimulatorRequest = {
  method: string;
  /** Path and query. */
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
};

/** Where a request goes to: what faults and counters are keyed by. */
export type Site = {
  service: Service;
  method: string;
  /** Path without the service prefix. */
  path: string;
  /** `/v3/{project}/instances`, or `*` when no route fits. */
  template: string;
};
