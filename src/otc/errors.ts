// The one place where answers (and their absence) become retryable, terminal or user errors.
// Messages hold OTC's code and words but no request id: they end in conditions, which must not change per call.

import { CloudError, type Outcome, RetryableError, TerminalError, UserError } from '../errors.ts';
import { specFieldOfCode } from './error-fields.ts';
import { type Json, numberOf, objectOf, parseObject, textOf, Unreadable } from './json.ts';
import { retryAfterSeconds } from './response-headers.ts';
import { type OtcRequest, type OtcResponse, SendError } from './send.ts';

export type Context = {
  request: Pick<OtcRequest, 'method' | 'route'>;
  /** Values that must not appear in a message, should the cloud quote them back. */
  secrets: readonly string[];
  nowMs: number;
  /** A login leaves nothing behind, and the write that waited for it was never sent. */
  isHarmless?: boolean;
};

/** Busy, although it is a 403 (seen on parameter changes). */
const busyForbidden = 'DBS.212033';
const longestText = 300;
/** `DBS.200047`, `NetworkNotFound`; a bare number says no more than the status. */
const codePattern = /^[A-Za-z][\w.-]{1,60}$/;

export function errorOfResponse(response: OtcResponse, context: Context): CloudError {
  const { status } = response;
  const { code, text, requestId } = readFailure(response);
  const message = describe(context, code, text);
  const details = { code, requestId, outcome: outcomeOf(status, context) };
  if (isPassing(status, code)) {
    return new RetryableError(message, {
      ...details,
      retryAfterSeconds: retryAfterSeconds(response, context.nowMs),
    });
  }
  const field = status === 400 || status === 404 || status === 422 ? specFieldOfCode[code] : undefined;
  return field === undefined
    ? new TerminalError(message, details)
    : new UserError(message, { ...details, field });
}

/** For whatever was thrown on the way: our own errors pass, everything else left the outcome open. */
export function errorOfThrown(thrown: unknown, context: Context): CloudError {
  if (thrown instanceof CloudError) return thrown;
  const code = thrown instanceof SendError ? thrown.code : 'CONNECTION';
  const text = code === 'TIMEOUT' ? 'no answer in time' : 'the connection failed';
  return new RetryableError(describe(context, code, text), {
    code,
    outcome: openOutcome(context),
    cause: thrown,
  });
}

/** A 2xx that we cannot read: it did work, or something between us and the cloud made it up. */
export function errorOfUnreadable(thrown: unknown, response: OtcResponse, context: Context): CloudError {
  const text = thrown instanceof Unreadable ? thrown.message : 'the answer could not be read';
  const code = 'UNREADABLE';
  const requestId = requestIdOf(response, {});
  return new RetryableError(describe(context, code, text), {
    code,
    outcome: openOutcome(context),
    requestId,
  });
}

/** 403 DBS.280056 is RDS's own "invalid token". */
export function isTokenRefused(response: OtcResponse): boolean {
  return response.status === 401 || (response.status === 403 && readFailure(response).code === 'DBS.280056');
}

function redact(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => (secret === '' ? clean : clean.replaceAll(secret, '***')), text);
}

function outcomeOf(status: number, context: Context): Outcome {
  return status >= 400 && status < 500 && status !== 408 ? 'refused' : openOutcome(context);
}

function openOutcome({ isHarmless }: Context): Outcome {
  return isHarmless ? 'refused' : 'unknown';
}

function isPassing(status: number, code: string): boolean {
  if (status === 403) return code === busyForbidden;
  return status === 408 || status === 409 || status === 429 || status < 400 || status >= 500;
}

function describe({ request, secrets }: Context, code: string, text: string): string {
  // Redacted before it is cut: half a secret is one too.
  const words = redact(text, secrets).slice(0, longestText);
  return `${code}: ${words} (${request.method} ${request.route})`;
}

type Failure = { code: string; text: string; requestId: string | undefined };

/** Six shapes: RDS and gateway, IAM v3, CES, SMN and VPC v1, VPC v2.0. A proxy's HTML has none of them. */
function readFailure(response: OtcResponse): Failure {
  const body = objectOrEmpty(response.body);
  const keystone = objectOf(body, 'error');
  const neutron = objectOf(body, 'NeutronError');
  const ces = objectOf(body, 'message');
  const code =
    textOf(body, 'error_code') ??
    textOf(body, 'code') ??
    textOf(neutron, 'type') ??
    textOf(keystone, 'code') ??
    textOf(ces, 'code');
  const text =
    textOf(body, 'error_msg') ??
    textOf(body, 'message') ??
    textOf(keystone, 'message') ??
    textOf(neutron, 'message') ??
    textOf(ces, 'details');
  const number = numberOf(keystone, 'code') ?? response.status;
  return {
    code: code !== undefined && codePattern.test(code) ? code : `HTTP_${number}`,
    text: text ?? 'the cloud gave no reason',
    requestId: requestIdOf(response, body),
  };
}

function requestIdOf(response: OtcResponse, body: Json): string | undefined {
  return response.headers['x-request-id'] ?? textOf(body, 'request_id');
}

function objectOrEmpty(text: string): Json {
  try {
    return parseObject(text);
  } catch {
    return {};
  }
}
