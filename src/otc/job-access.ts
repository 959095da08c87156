// What a Job in a pod gets instead of our own credentials, and how it calls with it. Everything it needs is in
// the file: with a policy for logs alone it could not look up the project or the service catalog.

import type { Clock } from '../clock.ts';
import { TerminalError } from '../errors.ts';
import { withBudget } from './budget.ts';
import { type Call, createCall } from './call.ts';
import type { Budget, JobAccess, TokenAccess } from './cloud.ts';
import { readOrThrow, sendOrThrow } from './exchange.ts';
import { iamRequest } from './iam-request.ts';
import { type Json, need, numberOf, parseObject, textOf } from './json.ts';
import { createLimiter, withLimiter } from './limiter.ts';
import { withReadRetry } from './retry.ts';
import type { OtcRequest, Send } from './send.ts';
import type { Session, Sessions } from './session.ts';
import { signHeaders } from './sign.ts';

export type JobAccessDeps = { send: Send; clock: Clock; random: () => number; budget: Budget };

/** Text of the mounted file -> access; complaints name a field, never a value. */
export function readJobAccess(text: string): JobAccess {
  try {
    return accessOf(parseObject(text));
  } catch (cause) {
    const words = cause instanceof Error ? cause.message.replace('the answer', 'the credential file') : '';
    throw new TerminalError(`CREDENTIALS: ${words}`, { code: 'CREDENTIALS', outcome: 'refused' });
  }
}

function accessOf(from: Json): JobAccess {
  const text = (key: string) => need(textOf(from, key), key);
  const common = {
    authUrl: text('authUrl'),
    rdsUrl: text('rdsUrl'),
    region: text('region'),
    projectId: text('projectId'),
  };
  if (textOf(from, 'form') === 'token') return { ...common, form: 'token', token: text('token') };
  return {
    ...common,
    form: 'keys',
    accessKey: text('accessKey'),
    secretKey: text('secretKey'),
    securityToken: text('securityToken'),
    expiresAt: need(numberOf(from, 'expiresAt'), 'expiresAt'),
  };
}

export function openJobAccess(access: JobAccess, deps: JobAccessDeps): Call {
  const { send, clock, random, budget } = deps;
  const session = sessionOf(access, clock);
  const sessions: Sessions = { get: async () => session, renew: async () => session };
  const limited = withLimiter(withBudget(send, budget), createLimiter(clock), budget, clock);
  return createCall({
    send: withReadRetry(limited, { clock, random, budget }),
    clock,
    sessions,
    budget,
  });
}

function sessionOf(access: JobAccess, clock: Clock): Session {
  const { projectId, region } = access;
  return {
    projectId,
    region,
    bases: { rds: access.rdsUrl },
    authorize: (request) => authorized(request, access, clock),
    isRenewable: false,
    renewAt: Number.POSITIVE_INFINITY,
    expiresAt: Number.POSITIVE_INFINITY,
    secrets: secretsOfAccess(access),
  };
}

function authorized(request: OtcRequest, access: JobAccess, clock: Clock): OtcRequest {
  if (access.form === 'token')
    return { ...request, headers: { ...request.headers, 'x-auth-token': access.token } };
  // Project and security token come after signing, as in the cloud's own SDKs.
  return {
    ...request,
    headers: {
      ...signHeaders(request, access, clock.now()),
      'x-project-id': access.projectId,
      'x-security-token': access.securityToken,
    },
  };
}

function secretsOfAccess(access: JobAccess): string[] {
  return access.form === 'token' ? [access.token] : [access.secretKey, access.securityToken];
}

/** A token may end itself. Unknown (404) or no longer accepted (401) is as good as revoked. */
export async function revokeOwnToken(
  { authUrl, token }: TokenAccess,
  { send, clock, budget }: Pick<JobAccessDeps, 'send' | 'clock' | 'budget'>,
): Promise<void> {
  const request = iamRequest({ authUrl }, 'DELETE', '/auth/tokens');
  const headers = { ...request.headers, 'x-auth-token': token, 'x-subject-token': token };
  const context = { request, secrets: [token], nowMs: clock.now() };
  const response = await sendOrThrow(withBudget(send, budget), { ...request, headers }, () => context);
  readOrThrow(
    response,
    () => context,
    () => undefined,
    [401, 404],
  );
}
