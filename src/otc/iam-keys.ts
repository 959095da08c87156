// Opening a session with AK/SK: nothing to log in to, but project and services have to be looked up.

import { TerminalError } from '../errors.ts';
import { basesOfCatalog } from './catalog.ts';
import type { Credentials } from './cloud.ts';
import { secretsOf } from './credentials.ts';
import { askIam, type IamDeps, iamBase, iamRequest } from './iam-request.ts';
import { neededObjects, textOf } from './json.ts';
import type { OtcRequest } from './send.ts';
import type { Session } from './session.ts';
import { percentEncode, signHeaders } from './sign.ts';

/** Keys do not expire, but services may move. */
const catalogLifeMs = 12 * 3_600_000;

export async function openWithKeys(
  credentials: Extract<Credentials, { kind: 'aksk' }>,
  deps: IamDeps,
): Promise<Session> {
  const { clock } = deps;
  const { region } = credentials;
  // The project header comes after signing, as in the cloud's own SDKs.
  const sign = (request: OtcRequest, projectId: string | undefined): OtcRequest => ({
    ...request,
    headers: {
      ...signHeaders(request, credentials, clock.now()),
      ...(projectId === undefined ? {} : { 'x-project-id': projectId }),
    },
  });
  const projectId =
    credentials.projectId ?? (await findProjectId(credentials, deps, (request) => sign(request, undefined)));
  const request = sign(iamRequest(credentials, 'GET', '/auth/catalog'), projectId);
  const catalog = await askIam(deps, credentials, request, (body) => neededObjects(body, 'catalog'));
  const now = clock.elapsed();
  return {
    projectId,
    region,
    bases: { ...basesOfCatalog(catalog, region, projectId), iam: iamBase(credentials) },
    authorize: (out) => sign(out, projectId),
    isRenewable: false,
    renewAt: now + catalogLifeMs,
    expiresAt: now + 2 * catalogLifeMs,
    secrets: secretsOf(credentials),
  };
}

async function findProjectId(
  credentials: Credentials,
  deps: IamDeps,
  sign: (request: OtcRequest) => OtcRequest,
): Promise<string> {
  const name = credentials.projectName ?? '';
  const request = sign(
    iamRequest(credentials, 'GET', '/projects', { query: `?name=${percentEncode(name)}` }),
  );
  const projects = await askIam(deps, credentials, request, (body) => neededObjects(body, 'projects'));
  const project = projects.find((candidate) => textOf(candidate, 'name') === name);
  const id = project && textOf(project, 'id');
  if (id !== undefined) return id;
  throw new TerminalError(`PROJECT: the account has no project ${name}`, {
    code: 'PROJECT',
    outcome: 'refused',
  });
}
