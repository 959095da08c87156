// Who is calling: by token or by signature. Every service but token creation passes here.
import { DEMO_ACCESS_KEY, DEMO_DOMAIN, DEMO_SECRET_KEY, DEMO_USER, PROJECTS } from '../demo-account.ts';
import type { Call } from '../protocol.ts';
import { type Refusal, refuse } from '../refusal.ts';
import { isSignedWith, parseAuthorization, sdkDateMs } from './signature.ts';
import type { Identity, Statement } from './types.ts';

const MAX_SKEW_MS = 15 * 60_000;

export const nobody: Identity = { userId: '', domainId: '', projectId: undefined, policy: undefined };

export function authenticate(call: Call): Identity {
  const { headers } = call.request;
  const token = headers['x-auth-token'];
  if (token) return byToken(call, token);
  if (headers.authorization) return bySignature(call, headers.authorization);
  throw unauthorized(call, 'APIGW.0301', 'the token is missing');
}

function byToken(call: Call, id: string): Identity {
  const token = call.world.tokens[id];
  if (!token) throw unauthorized(call, 'APIGW.0301', 'verify token failed');
  if (token.expiresAt <= call.now) throw unauthorized(call, 'APIGW.0307', 'the token must be updated');
  return { userId: token.userId, domainId: DEMO_DOMAIN.id, projectId: token.projectId, policy: undefined };
}

function bySignature(call: Call, header: string): Identity {
  const authorization = parseAuthorization(header);
  if (!authorization) throw unauthorized(call, 'APIGW.0301', 'the Authorization header is malformed');
  if (call.world.userState === 'disabled') throw unauthorized(call, 'APIGW.0301', 'the user is disabled');
  const key = findKey(call, authorization.accessKey);
  if (!key) throw unauthorized(call, 'APIGW.0301', 'the access key does not exist or has expired');
  const signedAt = sdkDateMs(call.request.headers['x-sdk-date'] ?? '');
  if (!(Math.abs(signedAt - call.now) <= MAX_SKEW_MS))
    throw unauthorized(call, 'APIGW.0301', 'x-sdk-date is out of range');
  if (!isSignedWith(key.secret, authorization, call))
    throw unauthorized(call, 'APIGW.0301', 'verify signature failed');
  return { userId: DEMO_USER.id, domainId: DEMO_DOMAIN.id, projectId: projectOf(call), policy: key.policy };
}

type Key = { secret: string; policy: Statement[] | undefined };

function findKey(call: Call, access: string): Key | undefined {
  if (access === DEMO_ACCESS_KEY) return { secret: DEMO_SECRET_KEY, policy: undefined };
  const key = call.world.accessKeys[access];
  if (!key || key.expiresAt <= call.now) return undefined;
  return call.request.headers['x-security-token'] === key.securityToken ? key : undefined;
}

/** A signature names no project: the header does, or the path. */
function projectOf(call: Call): string | undefined {
  const wanted = call.request.headers['x-project-id'] || call.params.project;
  return PROJECTS.find((project) => project.id === wanted)?.id;
}

/** Most services leave this to the gateway; IAM and the older half of VPC answer themselves. */
function unauthorized(call: Call, gatewayCode: string, detail: string): Refusal {
  const { service, path } = call.site;
  if (service === 'iam') {
    const code = gatewayCode === 'APIGW.0307' ? 'IAM.0066' : 'IAM.0067';
    return refuse(401, code, 'The request you have made requires authentication.');
  }
  const code = service === 'vpc' && path.startsWith('/v1/') ? 'VPC.0008' : gatewayCode;
  return refuse(401, code, `Incorrect IAM authentication information: ${detail}`);
}
