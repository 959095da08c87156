// Logging in: from credentials to a session that can authorize requests and knows where the services are.

import { basesOfCatalog } from './catalog.ts';
import type { Credentials } from './cloud.ts';
import { secretsOf } from './credentials.ts';
import { openWithKeys } from './iam-keys.ts';
import { askIam, type IamDeps, iamBase, iamRequest } from './iam-request.ts';
import { type Json, need, neededObjects, objectOf, textOf, timeOf } from './json.ts';
import { dateOf } from './response-headers.ts';
import type { Session } from './session.ts';

/** Of a token's 24 h; a shorter token is renewed when a fifth of its life is left. */
const renewBeforeMs = 30 * 60_000;

export async function logIn(credentials: Credentials, deps: IamDeps): Promise<Session> {
  return credentials.kind === 'aksk' ? openWithKeys(credentials, deps) : openWithToken(credentials, deps);
}

async function openWithToken(
  credentials: Exclude<Credentials, { kind: 'aksk' }>,
  deps: IamDeps,
): Promise<Session> {
  const { region } = credentials;
  const startedAt = deps.clock.elapsed();
  const request = iamRequest(credentials, 'POST', '/auth/tokens', {
    body: JSON.stringify(loginBody(credentials)),
  });
  return askIam(deps, credentials, request, (body, response) => {
    const token = need(response.headers['x-subject-token'], 'x-subject-token header');
    const about = objectOf(body, 'token');
    const projectId = need(textOf(objectOf(about, 'project'), 'id'), 'token.project.id');
    // Life is counted by the cloud's clock, its end by ours: the two may differ.
    const lifeMs = need(timeOf(about, 'expires_at'), 'token.expires_at') - dateOf(response, deps.clock.now());
    return {
      projectId,
      region,
      bases: {
        ...basesOfCatalog(neededObjects(about, 'catalog'), region, projectId),
        iam: iamBase(credentials),
      },
      authorize: (out) => ({ ...out, headers: { ...out.headers, 'x-auth-token': token } }),
      isRenewable: true,
      renewAt: startedAt + lifeMs - Math.min(renewBeforeMs, lifeMs / 5),
      expiresAt: startedAt + lifeMs,
      secrets: [...secretsOf(credentials), token],
      token,
    };
  });
}

function loginBody(credentials: Exclude<Credentials, { kind: 'aksk' }>): Json {
  const { projectId, projectName, domainName } = credentials;
  const domain = domainName === undefined ? {} : { domain: { name: domainName } };
  const project = projectId === undefined ? { name: projectName, ...domain } : { id: projectId };
  const identity =
    credentials.kind === 'token'
      ? { methods: ['token'], token: { id: credentials.token } }
      : {
          methods: ['password'],
          password: { user: { name: credentials.username, password: credentials.password, ...domain } },
        };
  return { auth: { identity, scope: { project } } };
}
