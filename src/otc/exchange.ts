// One request, one readable answer, or one of our three errors.

import { type Context, errorOfResponse, errorOfThrown, errorOfUnreadable } from './errors.ts';
import { type Json, parseObject } from './json.ts';
import type { OtcRequest, OtcResponse, Send } from './send.ts';

export type Reader<T> = (body: Json, response: OtcResponse) => T;

export async function sendOrThrow(
  send: Send,
  request: OtcRequest,
  context: () => Context,
): Promise<OtcResponse> {
  try {
    return await send(request);
  } catch (thrown) {
    throw errorOfThrown(thrown, context());
  }
}

/** `accepted` are statuses beside 2xx that the caller takes for a yes; their body counts as empty. */
export function readOrThrow<T>(
  response: OtcResponse,
  context: () => Context,
  read: Reader<T>,
  accepted: readonly number[] = [],
): T {
  const isAccepted = accepted.includes(response.status);
  if (!isAccepted && (response.status < 200 || response.status > 299))
    throw errorOfResponse(response, context());
  try {
    return read(isAccepted ? {} : (response.json ?? parseObject(response.body)), response);
  } catch (thrown) {
    throw errorOfUnreadable(thrown, response, context());
  }
}
