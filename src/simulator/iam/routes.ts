// The calls of IAM.
import type { Endpoint, Route } from '../protocol.ts';
import { listDomains, listProjects, showCatalog, showVersion, showVersions } from './directory.ts';
import { createTemporaryKey } from './temporary-keys.ts';
import { checkToken, createToken, revokeToken, showToken } from './tokens.ts';

const iam = (method: string, template: string, answer: Endpoint): Route => ({
  service: 'iam',
  method,
  template,
  answer,
});
const open = (route: Route): Route => ({ ...route, isOpen: true });

export const iamRoutes: Route[] = [
  open(iam('GET', '/', showVersions)),
  open(iam('GET', '/v3', showVersion)),
  open(iam('POST', '/v3/auth/tokens', createToken)),
  iam('GET', '/v3/auth/tokens', showToken),
  iam('HEAD', '/v3/auth/tokens', checkToken),
  iam('DELETE', '/v3/auth/tokens', revokeToken),
  iam('GET', '/v3/auth/catalog', showCatalog),
  iam('GET', '/v3/auth/projects', listProjects),
  iam('GET', '/v3/auth/domains', listDomains),
  iam('GET', '/v3/projects', listProjects),
  { ...iam('GET', '/v3/users/{id}/projects', listProjects), action: 'iam:projects:listProjectsForUser' },
  // Its token may also come in the body.
  open(iam('POST', '/v3.0/OS-CREDENTIAL/securitytokens', createTemporaryKey)),
];
