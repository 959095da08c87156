// Leases without an API server: one process, nothing survives it. Enough for curl, laptops and unit tests.

import type { KubeCall, KubeObject, KubeResponse } from './api.ts';

export function createMemoryLeases(): KubeCall {
  const leases = new Map<string, KubeObject>();
  let version = 0;

  function store(key: string, lease: KubeObject): KubeObject {
    version += 1;
    const copy = structuredClone(lease);
    copy.metadata.resourceVersion = `${version}`;
    leases.set(key, copy);
    return structuredClone(copy);
  }

  function create(collection: string, lease: KubeObject, isDryRun: boolean): KubeResponse {
    const key = `${collection}/${lease.metadata.name}`;
    if (leases.has(key)) return { status: 409, body: {} };
    return { status: 201, body: isDryRun ? lease : store(key, lease) };
  }

  function list(collection: string): KubeResponse {
    const items = [...leases].filter(([key]) => key.startsWith(`${collection}/`)).map(([, lease]) => lease);
    return { status: 200, body: { items: structuredClone(items) } };
  }

  function replace(path: string, current: KubeObject, lease: KubeObject): KubeResponse {
    const isNewest = lease.metadata.resourceVersion === current.metadata.resourceVersion;
    return isNewest ? { status: 200, body: store(path, lease) } : { status: 409, body: {} };
  }

  return async ({ method, path, body }) => {
    const [target = '', query] = path.split('?', 2);
    if (method === 'POST') return create(target, body as KubeObject, query === 'dryRun=All');
    if (method === 'GET' && target.endsWith('/leases')) return list(target);
    const current = leases.get(target);
    if (!current) return { status: 404, body: {} };
    if (method === 'PUT') return replace(target, current, body as KubeObject);
    if (method === 'DELETE') leases.delete(target);
    return { status: 200, body: structuredClone(current) };
  };
}
