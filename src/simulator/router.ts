// From a path to its route. On one host each service has a prefix; without one, the first service that knows the
// path answers, as some clients keep only scheme, host and port of a catalog entry.
import type { Service } from '../otc/send.ts';
import type { Route } from './protocol.ts';

export type Located = {
  service: Service;
  /** Path without the prefix. */
  path: string;
  route: Route | undefined;
  params: Record<string, string>;
};

const services: readonly Service[] = ['rds', 'vpc', 'ces', 'smn', 'iam'];

const MAX_KNOWN = 1_000;

type Compiled = { route: Route; segments: string[] };

const split = (path: string): string[] => path.split('/').filter((segment) => segment !== '');

const isParam = (segment: string): boolean => segment.startsWith('{');

export function createRouter(routes: readonly Route[]) {
  const bySize = new Map<string, Compiled[]>();
  for (const route of routes) {
    const segments = split(route.template);
    const key = `${route.method} ${segments.length}`;
    bySize.set(key, [...(bySize.get(key) ?? []), { route, segments }]);
  }
  for (const candidates of bySize.values())
    candidates.sort((a, b) => a.segments.filter(isParam).length - b.segments.filter(isParam).length);

  function find(method: string, segments: string[], service: Service | undefined) {
    for (const candidate of bySize.get(`${method} ${segments.length}`) ?? []) {
      if (service && candidate.route.service !== service) continue;
      const params = match(candidate.segments, segments);
      if (params) return { route: candidate.route, params };
    }
    return undefined;
  }

  function locate(method: string, fullPath: string): Located {
    const segments = split(fullPath);
    const prefixed = services.find((service) => service === segments[0]);
    const rest = prefixed ? segments.slice(1) : segments;
    const found = find(method, rest, prefixed);
    return {
      service: prefixed ?? found?.route.service ?? guessService(rest),
      path: `/${rest.join('/')}`,
      route: found?.route,
      params: found?.params ?? {},
    };
  }

  // The same few paths come again and again.
  const known = new Map<string, Located>();
  return (method: string, fullPath: string): Located => {
    const key = `${method} ${fullPath}`;
    const found = known.get(key);
    if (found) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    const located = locate(method, fullPath);
    known.set(key, located);
    return located;
  };
}

function match(pattern: string[], segments: string[]): Record<string, string> | undefined {
  const params: Record<string, string> = {};
  for (const [index, part] of pattern.entries()) {
    const actual = segments[index] ?? '';
    if (isParam(part)) params[part.slice(1, -1)] = decode(actual);
    else if (part !== actual) return undefined;
  }
  return params;
}

export function decode(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

function guessService(segments: string[]): Service {
  if (segments[0] === 'v1' || segments[0] === 'v2.0') return 'vpc';
  return 'iam';
}
