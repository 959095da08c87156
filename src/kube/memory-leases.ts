// Leases without an API server: one process, nothing survives it. Enough for curl, laptops and unit tests.

import type { KubeCall, KubeObject } from './api.ts';

export function createMemoryLeases(): KubeCall {
  const leases = new Map<string, KubeObject>();
  let version = 0;

  function stored(lease: KubeObject): KubeObject {
    version += 1;
    const copy = structuredClone(lease);
    copy.metadata.resourceVersion = `${version}`;
    return copy;
  }

  return async ({ method, path, body }) => {
    const lease = structuredClone(body) as KubeObject;
    if (method === 'POST') {
      const [collection, query] = path.split('?', 2);
      const key = `${collection}/${lease.metadata.name}`;
      if (leases.has(key)) return { status: 409, body: {} };
      if (query === 'dryRun=All') return { status: 201, body: lease };
      leases.set(key, stored(lease));
      return { status: 201, body: structuredClone(leases.get(key)) };
    }
    const current = leases.get(path);
    if (!current) return { status: 404, body: {} };
    if (method === 'PUT') {
      if (lease.metadata.resourceVersion !== current.metadata.resourceVersion)
        return { status: 409, body: {} };
      leases.set(path, stored(lease));
    }
    if (method === 'DELETE') leases.delete(path);
    return { status: 200, body: structuredClone(leases.get(path) ?? current) };
  };
}
