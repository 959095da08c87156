// Call sites of the API server, of the hook and of Metacontroller, and what can go wrong at each.

import type { KubeObject, KubeRequest } from '../../src/kube/api.ts';

const READ = ['lost', '500', '401', '403', '404', '429', 'slow', 'kill-before', 'kill-after'] as const;
const WRITE = [
  'lost-before',
  'lost-after',
  'late',
  '500-before',
  '500-after',
  '401',
  '403',
  '409',
  '429',
  'slow',
  'kill-before',
  'kill-after',
] as const;
const LOOP = ['lost-before', 'lost-after', 'late', '500-before', '409', 'slow'] as const;

export const KUBE_SITES = {
  'kube journal read': READ,
  'kube journal list': READ,
  'kube journal create': WRITE,
  'kube journal swap': [...WRITE, '404'],
  'kube journal remove': WRITE,
  'kube rds list': READ,
  'kube owner read': READ,
  'kube owner take': WRITE,
  'kube owner drop': WRITE,
  'kube live rds': READ,
  'kube live backup': READ,
  'kube live namespace': READ,
  'kube live crd': READ,
  'kube pods': READ,
  'kube event': WRITE,
  // No 404: whoever reads one object gets no lie about whether it is there.
  'kube secret owner': READ.filter((kind) => kind !== '404'),
  'loop get': ['lost-before', '500-before', 'slow'],
  'loop finalizer': LOOP,
  'loop namespace': LOOP,
  'loop status': [...LOOP, '422'],
  'loop apply': LOOP,
  'loop delete': LOOP,
  'loop event': ['lost-before', '500-before'],
} as const satisfies Record<string, readonly string[]>;

export type KubeSite = keyof typeof KUBE_SITES;

const isOwnerLease = (text: string): boolean => text.startsWith('rds-instance-');

function leaseSite(request: KubeRequest, name: string): KubeSite {
  if (isOwnerLease(name)) {
    if (request.method === 'GET') return 'kube owner read';
    return request.method === 'DELETE' ? 'kube owner drop' : 'kube owner take';
  }
  if (request.method === 'GET') return 'kube journal read';
  if (request.method === 'DELETE') return 'kube journal remove';
  return request.method === 'POST' ? 'kube journal create' : 'kube journal swap';
}

/** The hook's own calls. */
export function hookKubeSite(request: KubeRequest): KubeSite {
  const [path = ''] = request.path.split('?', 1);
  const last = path.slice(path.lastIndexOf('/') + 1);
  if (path.includes('/leases')) {
    if (last === 'leases' && request.method === 'GET') return 'kube journal list';
    return leaseSite(request, last === 'leases' ? (request.body as KubeObject).metadata.name : last);
  }
  if (path.includes('/rdss/')) return 'kube live rds';
  if (path.includes('/rdsbackups/')) return 'kube live backup';
  if (/\/(rdss|rdsbackups)$/.test(path)) return 'kube rds list';
  if (path.includes('/customresourcedefinitions/')) return 'kube live crd';
  if (path.endsWith('/pods')) return 'kube pods';
  if (request.method === 'GET' && path.includes('/secrets/')) return 'kube secret owner';
  if (path.endsWith('/events')) return 'kube event';
  if (request.method === 'GET' && /^\/api\/v1\/namespaces\/[^/]+$/.test(path)) return 'kube live namespace';
  throw new Error(
    `the simulation does not know the call ${request.method} ${path}: add it to test/simulation/kube-sites.ts`,
  );
}

/** Metacontroller's calls. */
export function loopKubeSite(request: KubeRequest): KubeSite {
  const [path = ''] = request.path.split('?', 1);
  if (path.endsWith('/events') || path.includes('/events/')) return 'loop event';
  if (request.method === 'GET') return 'loop get';
  if (request.method === 'DELETE') return 'loop delete';
  if (request.method === 'PATCH') return 'loop apply';
  if (path.startsWith('/api/v1/namespaces/')) return 'loop namespace';
  return path.endsWith('/status') ? 'loop status' : 'loop finalizer';
}
