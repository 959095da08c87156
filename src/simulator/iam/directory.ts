// Discovery, projects and domains: what clients ask before they ask for databases.
import { DEMO_DOMAIN, PROJECTS } from '../demo-account.ts';
import { queryInteger } from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { catalogFor } from './catalog.ts';

const version = (origin: string) => ({
  id: 'v3.6',
  status: 'stable',
  updated: '2016-04-04T00:00:00Z',
  'media-types': [{ base: 'application/json', type: 'application/vnd.openstack.identity-v3+json' }],
  links: [{ rel: 'self', href: `${origin}/v3/` }],
});

export const showVersions = (call: Call): Answer =>
  json(300, { versions: { values: [version(call.origin)] } });

export const showVersion = (call: Call): Answer => json(200, { version: version(call.origin) });

export const showCatalog = (call: Call): Answer =>
  json(200, {
    catalog: catalogFor(call.origin, call.identity.projectId),
    links: { self: `${call.origin}/v3/auth/catalog` },
  });

const filters: Record<string, (project: (typeof PROJECTS)[number], wanted: string) => boolean> = {
  name: (project, wanted) => project.name === wanted,
  domain_id: (_project, wanted) => wanted === DEMO_DOMAIN.id,
  parent_id: (_project, wanted) => wanted === DEMO_DOMAIN.id,
  enabled: (_project, wanted) => wanted === 'true',
};

export function listProjects(call: Call): Answer {
  const { query } = call;
  let projects = PROJECTS.filter((project) =>
    Object.entries(filters).every(([key, fits]) => !query.get(key) || fits(project, query.get(key) ?? '')),
  );
  if (query.has('page') || query.has('per_page')) {
    const perPage = queryInteger(query, 'per_page', { default: 5000, min: 1, max: 5000 });
    const page = queryInteger(query, 'page', { default: 1, min: 1, max: 1_000_000 });
    projects = projects.slice((page - 1) * perPage, page * perPage);
  }
  return json(200, {
    links: { self: `${call.origin}/v3/projects`, previous: null, next: null },
    projects: projects.map((project) => ({
      ...project,
      domain_id: DEMO_DOMAIN.id,
      parent_id: DEMO_DOMAIN.id,
      enabled: true,
      is_domain: false,
      description: '',
      links: { self: `${call.origin}/v3/projects/${project.id}` },
    })),
  });
}

export function listDomains(call: Call): Answer {
  const name = call.query.get('name');
  const domains = [{ ...DEMO_DOMAIN, enabled: true, description: '', links: {} }];
  return json(200, {
    domains: domains.filter((domain) => !name || domain.name === name),
    links: { self: `${call.origin}/v3/auth/domains`, previous: null, next: null },
  });
}
