// Temporary access keys with an optional inline policy: the short-lived credential for a job.
import { DEMO_USER } from '../demo-account.ts';
import {
  bodyOf,
  type JsonObject,
  list,
  object,
  objects,
  optionalInteger,
  optionalObject,
  optionalText,
} from '../fields.ts';
import { type Answer, type Call, json } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { iamTime } from '../time.ts';
import { proveAgency } from './token-request.ts';
import type { AccessKey, Statement } from './types.ts';

const MIN_SECONDS = 900;
const MAX_SECONDS = 86_400;

export function createTemporaryKey(call: Call): Answer {
  const identity = object(object(bodyOf(call), 'auth'), 'identity');
  const method = list(identity, 'methods')[0];
  const claim = claimOf(call, identity, method);
  const seconds = optionalInteger(claim, 'duration_seconds') ?? MIN_SECONDS;
  if (seconds < MIN_SECONDS || seconds > MAX_SECONDS)
    throw new BadField('duration_seconds', `it must be from ${MIN_SECONDS} to ${MAX_SECONDS}`);
  const policy = optionalObject(identity, 'policy');
  const key: AccessKey = {
    access: call.random.hex(20).toUpperCase(),
    secret: call.random.hex(40),
    securityToken: `gQ${call.random.hex(62)}`,
    userId: DEMO_USER.id,
    expiresAt: call.now + seconds * 1000,
    policy: policy && statementsOf(policy),
  };
  forgetOld(call);
  call.world.accessKeys[key.access] = key;
  return json(201, {
    credential: {
      access: key.access,
      secret: key.secret,
      securitytoken: key.securityToken,
      expires_at: iamTime(key.expiresAt),
    },
  });
}

/** The header beats the token in the body. */
function claimOf(call: Call, identity: JsonObject, method: unknown): JsonObject {
  if (method === 'token') {
    const token = optionalObject(identity, 'token') ?? {};
    const id = call.request.headers['x-auth-token'] || optionalText(token, 'id') || '';
    const known = call.world.tokens[id];
    if (!known || known.expiresAt <= call.now) throw refuse(401, 'IAM.0067', 'The token is invalid.');
    return token;
  }
  if (method !== 'assume_role') throw new BadField('methods', 'it must be token or assume_role');
  const known = call.world.tokens[call.request.headers['x-auth-token'] ?? ''];
  if (!known || known.expiresAt <= call.now) throw refuse(401, 'IAM.0067', 'The token is invalid.');
  const role = object(identity, 'assume_role');
  proveAgency(role);
  return role;
}

function statementsOf(policy: JsonObject): Statement[] {
  if (optionalText(policy, 'Version') !== '1.1') throw new BadField('Version', 'it must be 1.1');
  return objects(policy, 'Statement').map((statement) => {
    const effect = optionalText(statement, 'Effect');
    if (effect !== 'Allow' && effect !== 'Deny') throw new BadField('Effect', 'it must be Allow or Deny');
    return { effect, actions: list(statement, 'Action').map(String) };
  });
}

function forgetOld(call: Call): void {
  for (const key of Object.values(call.world.accessKeys))
    if (key.expiresAt <= call.now) delete call.world.accessKeys[key.access];
}
