// From a path of the Kubernetes API to what it names.

import { ApiFailure } from './api-errors.ts';
import { apiVersionOf, type Resource } from './resources.ts';

export type Target = {
  resource: Resource;
  namespace: string | undefined;
  name: string | undefined;
  subresource: string | undefined;
  query: URLSearchParams;
};

const noQuery = new URLSearchParams();
const decoded = (part: string): string => (part.includes('%') ? decodeURIComponent(part) : part);

const MAX_KNOWN = 1_000;

/** The same few paths come again and again. */
export const createPathParser = (resources: readonly Resource[]): ((path: string) => Target) => {
  const known = new Map<string, Target>();
  return (path) => {
    const found = known.get(path);
    if (found) return found;
    if (known.size >= MAX_KNOWN) known.clear();
    const target = parsePath(resources, path);
    known.set(path, target);
    return target;
  };
};

const parsePath = (resources: readonly Resource[], path: string): Target => {
  const mark = path.indexOf('?');
  const parts = (mark < 0 ? path : path.slice(0, mark)).split('/').filter(Boolean).map(decoded);
  const isCore = parts[0] === 'api';
  const apiVersion = isCore ? parts[1] : `${parts[1]}/${parts[2]}`;
  const rest = parts.slice(isCore ? 2 : 3);
  // `namespaces/x/secrets` is a scope, `namespaces/x` and `namespaces/x/status` are the Namespace itself.
  const isScope =
    rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '');
  const [plural, name, subresource] = isScope ? rest.slice(2) : rest;
  const resource = resources.find((one) => one.plural === plural && apiVersionOf(one) === apiVersion);
  if (!resource) throw new ApiFailure(404, 'the server could not find the requested resource');
  return {
    resource,
    namespace: isScope ? rest[1] : undefined,
    name,
    subresource,
    query: mark < 0 ? noQuery : new URLSearchParams(path.slice(mark)),
  };
};
