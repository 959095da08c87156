// Tokens: made, shown, checked and revoked. A new one never ends an old one.
import { DEMO_DOMAIN, DEMO_USER, PROJECTS } from '../demo-account.ts';
import { bodyOf, type JsonObject, object } from '../fields.ts';
import { type Answer, type Call, empty, json } from '../protocol.ts';
import { refuse } from '../refusal.ts';
import { iamTime } from '../time.ts';
import type { World } from '../world.ts';
import { catalogFor } from './catalog.ts';
import { proveIdentity, readScope } from './token-request.ts';
import type { Token } from './types.ts';

const TOKEN_LIFE_MS = 24 * 3_600_000;

export function createToken(call: Call): Answer {
  const auth = object(bodyOf(call), 'auth');
  const methods = proveIdentity(call, auth);
  const scope = readScope(auth);
  const token: Token = {
    id: `MII${call.random.hex(61)}`,
    methods,
    userId: DEMO_USER.id,
    ...scope,
    issuedAt: call.now,
    expiresAt: call.now + TOKEN_LIFE_MS,
  };
  forgetOld(call.world, call.now);
  call.world.tokens[token.id] = token;
  return json(201, tokenBody(call, token, !call.query.has('nocatalog')), { 'x-subject-token': token.id });
}

/** An expired token is kept for a while, so that it is refused as expired and not as unknown. */
function forgetOld(world: World, now: number): void {
  for (const token of Object.values(world.tokens))
    if (token.expiresAt + TOKEN_LIFE_MS < now) delete world.tokens[token.id];
}

export function showToken(call: Call): Answer {
  const token = subjectOf(call);
  return json(200, tokenBody(call, token, !call.query.has('nocatalog')), { 'x-subject-token': token.id });
}

export function checkToken(call: Call): Answer {
  const token = subjectOf(call);
  return empty(200, { 'x-subject-token': token.id });
}

export function revokeToken(call: Call): Answer {
  const token = subjectOf(call);
  delete call.world.tokens[token.id];
  return empty(204);
}

function subjectOf(call: Call): Token {
  const token = call.world.tokens[call.request.headers['x-subject-token'] ?? ''];
  if (!token || token.expiresAt <= call.now) throw refuse(404, 'IAM.0004', 'Could not find token.');
  return token;
}

function tokenBody(call: Call, token: Token, hasCatalog: boolean): JsonObject {
  const project = PROJECTS.find(({ id }) => id === token.projectId);
  return {
    token: {
      methods: token.methods,
      issued_at: iamTime(token.issuedAt),
      expires_at: iamTime(token.expiresAt),
      user: { id: DEMO_USER.id, name: DEMO_USER.name, domain: DEMO_DOMAIN },
      roles: [{ id: '0', name: 'te_admin' }],
      ...(project && { project: { ...project, domain: DEMO_DOMAIN } }),
      ...(token.isDomainScoped && { domain: DEMO_DOMAIN }),
      ...(hasCatalog && { catalog: catalogFor(call.origin, token.projectId) }),
    },
  };
}
