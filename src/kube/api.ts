// The one way to the API server. Implemented over HTTP for a real cluster, and in memory for laptops, tests
// and the simulation (src/local).

export type KubeRequest = {
  method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Path and query, e.g. `/apis/coordination.k8s.io/v1/namespaces/rds-pilot/leases/rds-…`. */
  path: string;
  body?: unknown;
  /** Defaults to `application/json`; patches say which kind they are. */
  contentType?: string;
  /** Defaults to `application/json`. */
  accept?: string;
  deadlineMs: number;
};

export type KubeResponse = { status: number; body: unknown };

export type KubeCall = (request: KubeRequest) => Promise<KubeResponse>;

/** No answer came; whether a write took effect is unknown. */
export class KubeUnreachable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'KubeUnreachable';
  }
}

export type ObjectMeta = {
  name: string;
  namespace?: string;
  uid?: string;
  resourceVersion?: string;
  generation?: number;
  creationTimestamp?: string;
  deletionTimestamp?: string;
  finalizers?: string[];
  labels?: Record<string, string>;
  annotations?: Record<string, string>;
  ownerReferences?: { apiVersion: string; kind: string; name: string; uid: string; controller?: boolean }[];
  managedFields?: {
    manager?: string;
    operation?: string;
    subresource?: string;
    fieldsV1?: Record<string, unknown>;
  }[];
};

export type KubeObject = {
  apiVersion: string;
  kind: string;
  metadata: ObjectMeta;
  [field: string]: unknown;
};

const LIST_DEADLINE_MS = 10_000;

export async function listObjects(
  call: KubeCall,
  path: string,
  deadlineMs = LIST_DEADLINE_MS,
): Promise<KubeObject[]> {
  const { status, body } = await call({ method: 'GET', path, deadlineMs });
  if (status !== 200) throw new KubeUnreachable(`the API server answered ${status} for ${path}`);
  return (body as { items: KubeObject[] }).items;
}
