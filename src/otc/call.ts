// An authorized call to a service: session, request, answer; a refused token is renewed once and the call
// repeated, also a write, because a 401 is a definite no.

import type { Clock } from '../clock.ts';
import { TerminalError } from '../errors.ts';
import { callDeadlineMs } from './budget.ts';
import { baseOf } from './catalog.ts';
import type { Budget, Fresh } from './cloud.ts';
import { isTokenRefused } from './errors.ts';
import { type Reader, readOrThrow, sendOrThrow } from './exchange.ts';
import type { Json } from './json.ts';
import { dateOf } from './response-headers.ts';
import type { OtcRequest, OtcResponse, Send, Service } from './send.ts';
import type { Session, Sessions } from './session.ts';
import { percentEncode } from './sign.ts';

export type Wanted<T> = {
  service: Service;
  method: OtcRequest['method'];
  /** Follows the service's base; `{name}` is filled from `params`, `{project}` from the session. */
  path: string;
  params?: Record<string, string>;
  query?: Record<string, string | number>;
  headers?: Record<string, string>;
  body?: Json;
  /** Values of this request that no error may quote. */
  secrets?: readonly string[];
  accepted?: readonly number[];
  read: Reader<T>;
};

export type Call = <T>(wanted: Wanted<T>) => Promise<Fresh<T>>;

const routePrefix: Record<Service, string> = {
  iam: '/v3',
  rds: '/v3/{project}',
  ces: '/V1.0/{project}',
  smn: '/v2/{project}',
  vpc: '',
};

export type CallDeps = { send: Send; clock: Clock; sessions: Sessions; budget: Budget };

export function createCall({ send, clock, sessions, budget }: CallDeps): Call {
  return async (wanted) => {
    let session = await sessions.get(budget.remainingMs());
    const contextOf = () => ({
      request: { method: wanted.method, route: routeOf(wanted) },
      secrets: [...session.secrets, ...(wanted.secrets ?? [])],
      nowMs: clock.now(),
    });
    const attempt = (): Promise<OtcResponse> =>
      sendOrThrow(send, session.authorize(requestOf(wanted, session)), contextOf);

    let response = await attempt();
    if (session.isRenewable && isTokenRefused(response)) {
      session = await sessions.renew(session, budget.remainingMs());
      response = await attempt();
    }
    const value = readOrThrow(response, contextOf, wanted.read, wanted.accepted);
    return { value, at: dateOf(response, clock.now()) };
  };
}

function routeOf({ service, path }: Wanted<unknown>): string {
  return routePrefix[service] + path;
}

function requestOf(wanted: Wanted<unknown>, session: Session): OtcRequest {
  const path = wanted.path.includes('{') ? filled(wanted, session) : wanted.path;
  let query = '';
  for (const [name, value] of Object.entries(wanted.query ?? {}))
    query += `${query === '' ? '?' : '&'}${name}=${percentEncode(String(value))}`;
  const content: Record<string, string> =
    wanted.body === undefined ? {} : { 'content-type': 'application/json' };
  return {
    service: wanted.service,
    method: wanted.method,
    url: baseOf(session.bases, wanted.service, session.region) + path + query,
    route: routeOf(wanted),
    // Error texts come in this language.
    headers: { accept: 'application/json', 'x-language': 'en-us', ...content, ...wanted.headers },
    body: wanted.body === undefined ? undefined : JSON.stringify(wanted.body),
    deadlineMs: callDeadlineMs,
  };
}

function filled({ path, params = {} }: Wanted<unknown>, { projectId }: Session): string {
  return path.replace(/\{(\w+)\}/g, (_, name: string) =>
    safeSegment(name === 'project' ? projectId : (params[name] ?? '')),
  );
}

/** An id such as `..` would turn a call on one thing into a call on another. */
function safeSegment(id: string): string {
  if (/^[\w:-]+$/.test(id)) return id;
  throw new TerminalError('BAD_ID: this cannot be an id of the cloud', {
    code: 'BAD_ID',
    outcome: 'refused',
  });
}
