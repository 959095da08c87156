// Checks `SDK-HMAC-SHA256` request signatures: the canonical request is rebuilt from what arrived.
import { createHash, createHmac, timingSafeEqual } from 'node:crypto';
import type { Call } from '../protocol.ts';
import { decode } from '../router.ts';

export type Authorization = {
  accessKey: string;
  scope: string[];
  signedHeaders: string[];
  signature: string;
};

const ALGORITHM = 'SDK-HMAC-SHA256';

/** `SDK-HMAC-SHA256 Credential=AK/20250101///sdk_request, SignedHeaders=a;b, Signature=hex` */
export function parseAuthorization(header: string): Authorization | undefined {
  const match =
    /^SDK-HMAC-SHA256 Credential=([^/]+)\/([^,]*), ?SignedHeaders=([^,]+), ?Signature=([0-9a-f]{64})$/.exec(
      header,
    );
  if (!match) return undefined;
  const [, accessKey = '', scope = '', names = '', signature = ''] = match;
  return { accessKey, scope: scope.split('/'), signedHeaders: names.split(';'), signature };
}

export function isSignedWith(secret: string, authorization: Authorization, call: Call): boolean {
  const date = call.request.headers['x-sdk-date'] ?? '';
  const [day = '', region = '', service = '', end = ''] = authorization.scope;
  const toSign = [
    ALGORITHM,
    date,
    authorization.scope.join('/'),
    sha256(canonicalRequest(authorization, call)),
  ];
  const key = [day, region, service, end].reduce<Buffer>(hmac, Buffer.from(`SDK${secret}`));
  const wanted = hmac(key, toSign.join('\n'));
  return date.startsWith(day) && timingSafeEqual(wanted, Buffer.from(authorization.signature, 'hex'));
}

/** `20250101T100000Z` as epoch ms; NaN if malformed. */
export function sdkDateMs(date: string): number {
  const match = /^(\d{4})(\d{2})(\d{2})T(\d{2})(\d{2})(\d{2})Z$/.exec(date);
  if (!match) return Number.NaN;
  const [, year, month, day, hour, minute, second] = match.map(Number);
  return Date.UTC(year ?? 0, (month ?? 1) - 1, day, hour, minute, second);
}

function canonicalRequest(authorization: Authorization, call: Call): string {
  const { headers, body } = call.request;
  const names = [...authorization.signedHeaders].sort();
  const path = call.sentPath.endsWith('/') ? call.sentPath : `${call.sentPath}/`;
  return [
    call.request.method,
    path
      .split('/')
      .map((segment) => encode(decode(segment)))
      .join('/'),
    canonicalQuery(call.query),
    ...names.map((name) => `${name}:${(headers[name] ?? '').trim()}`),
    '',
    authorization.signedHeaders.join(';'),
    headers['x-sdk-content-sha256'] ?? sha256(body ?? ''),
  ].join('\n');
}

const canonicalQuery = (query: URLSearchParams): string =>
  [...query]
    .map(([key, value]) => `${encode(key)}=${encode(value)}`)
    .sort()
    .join('&');

const encode = (text: string): string =>
  encodeURIComponent(text).replace(/[!'()*]/g, (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`);

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

function hmac(key: Buffer, text: string): Buffer {
  return createHmac('sha256', key).update(text).digest();
}
