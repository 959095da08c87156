// The Rds as it arrives in a hook: metadata, spec and status, as far as we read them.

import type { RdsSpec } from './spec.ts';
import type { RdsStatus } from './status.ts';

export type Metadata = {
  name: string;
  namespace: string;
  uid: string;
  generation: number;
  resourceVersion: string;
  creationTimestamp: string;
  deletionTimestamp?: string;
  annotations?: Record<string, string>;
  managedFields?: readonly ManagedFields[];
};

export type ManagedFields = {
  manager?: string;
  operation?: string;
  subresource?: string;
  fieldsV1?: Record<string, unknown>;
};

export type Rds = { metadata: Metadata; spec: RdsSpec; status?: RdsStatus };

export function annotation(
  rds: { metadata: Pick<Metadata, 'annotations'> },
  key: string,
): string | undefined {
  return rds.metadata.annotations?.[key];
}

/** Any new value is a new order; what is beyond this length does not tell two of them apart. */
const ORDER_LENGTH = 256;

export function orderValue(rds: Pick<Rds, 'metadata'>, key: string): string | undefined {
  return annotation(rds, key)?.slice(0, ORDER_LENGTH);
}
