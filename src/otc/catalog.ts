// From the service catalog of IAM to the base URL of each service.

import { TerminalError } from '../errors.ts';
import { type Json, objectsOf, textOf } from './json.ts';
import type { Service } from './send.ts';

export type Bases = Partial<Record<Service, string>>;

/** Catalog types in order of preference, and how their URL becomes the base that our paths follow. */
const services: Record<
  Exclude<Service, 'iam'>,
  { types: string[]; base(url: string, projectId: string): string }
> = {
  rds: { types: ['rdsv3'], base: withProject },
  ces: { types: ['cesv1', 'ces'], base: withProject },
  smn: { types: ['smnv2', 'smn'], base: withProject },
  // `network` has no path, `vpc` ends in /v1/{project}; our paths bring both versions themselves.
  vpc: { types: ['network', 'vpc'], base: (url) => url.replace(/\/v(1|2\.0)(\/.*)?$/, '') },
};

export function basesOfCatalog(catalog: readonly Json[], region: string, projectId: string): Bases {
  const bases: Bases = {};
  for (const service of ['rds', 'ces', 'smn', 'vpc'] as const) {
    const { types, base } = services[service];
    const url = types.map((type) => publicUrl(catalog, type, region)).find((found) => found !== undefined);
    if (url !== undefined) bases[service] = base(url.replace(/\/+$/, ''), projectId);
  }
  return bases;
}

export function baseOf(bases: Bases, service: Service, region: string): string {
  const base = bases[service];
  if (base !== undefined) return base;
  const message = `CATALOG: the account has no service ${service} in region ${region}`;
  throw new TerminalError(message, { code: 'CATALOG', outcome: 'refused' });
}

function publicUrl(catalog: readonly Json[], type: string, region: string): string | undefined {
  const endpoint = catalog
    .filter((entry) => textOf(entry, 'type') === type)
    .flatMap((entry) => objectsOf(entry, 'endpoints'))
    .find(
      (candidate) =>
        textOf(candidate, 'interface') === 'public' &&
        (textOf(candidate, 'region') ?? textOf(candidate, 'region_id')) === region,
    );
  return endpoint && textOf(endpoint, 'url');
}

/** Some catalogs end before the project id. */
function withProject(url: string, projectId: string): string {
  return url.endsWith(`/${projectId}`) ? url : `${url}/${projectId}`;
}
