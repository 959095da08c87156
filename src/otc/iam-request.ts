// What every request to IAM has in common: where it goes, and that failing leaves nothing behind.

import type { Clock } from '../clock.ts';
import { callDeadlineMs } from './budget.ts';
import type { Credentials } from './cloud.ts';
import { secretsOf } from './credentials.ts';
import { type Reader, readOrThrow, sendOrThrow } from './exchange.ts';
import type { OtcRequest, Send } from './send.ts';

export type IamDeps = { send: Send; clock: Clock };

/** The auth URL may be given with or without its version. */
export function iamBase({ authUrl }: Pick<Credentials, 'authUrl'>): string {
  const url = authUrl.replace(/\/+$/, '');
  return url.endsWith('/v3') ? url : `${url}/v3`;
}

export function iamRequest(
  credentials: Pick<Credentials, 'authUrl'>,
  method: 'GET' | 'POST' | 'DELETE',
  path: string,
  { query = '', body }: { query?: string; body?: string } = {},
): OtcRequest {
  return {
    service: 'iam',
    method,
    url: `${iamBase(credentials)}${path}${query}`,
    route: `/v3${path}`,
    headers: {
      accept: 'application/json',
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    body,
    deadlineMs: callDeadlineMs,
  };
}

export async function askIam<T>(
  { send, clock }: IamDeps,
  credentials: Credentials,
  request: OtcRequest,
  read: Reader<T>,
): Promise<T> {
  const context = { request, secrets: secretsOf(credentials), nowMs: clock.now(), isHarmless: true };
  return readOrThrow(await sendOrThrow(send, request, () => context), () => context, read);
}
