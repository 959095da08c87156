// AK/SK signature, SDK-HMAC-SHA256, as the cloud's own SDKs make it (otc-api.md, section 1).
// Region and service in the scope stay empty, which every OTC service accepts.

import { createHash, createHmac } from 'node:crypto';

const algorithm = 'SDK-HMAC-SHA256';

export type Keys = { accessKey: string; secretKey: string };

export type Signable = {
  method: string;
  url: string;
  headers: Record<string, string>;
  body?: string | undefined;
};

/** The given headers plus `x-sdk-date` and `authorization`. Headers added later are not signed. */
export function signHeaders(request: Signable, keys: Keys, nowMs: number): Record<string, string> {
  const url = new URL(request.url);
  const stamp = new Date(nowMs).toISOString().replace(/[-:]|\.\d+/g, '');
  const day = stamp.slice(0, 8);
  const scope = `${day}///sdk_request`;
  const headers = { ...lowerNames(request.headers), 'x-sdk-date': stamp };
  const signed = Object.entries({ ...headers, host: url.host }).sort(([a], [b]) => (a < b ? -1 : 1));
  const names = signed.map(([name]) => name).join(';');
  const canonical = [
    request.method,
    canonicalPath(url),
    canonicalQuery(url),
    ...signed.map(([name, value]) => `${name}:${value.trim()}`),
    '',
    names,
    sha256(request.body ?? ''),
  ].join('\n');
  const toSign = [algorithm, stamp, scope, sha256(canonical)].join('\n');
  const key = [day, '', '', 'sdk_request'].reduce<string | Buffer>(hmac, `SDK${keys.secretKey}`);
  const signature = hmac(key, toSign).toString('hex');
  const authorization = `${algorithm} Credential=${keys.accessKey}/${scope}, SignedHeaders=${names}, Signature=${signature}`;
  return { ...headers, authorization };
}

const NEEDS_NO_CODE = /^[\w.~-]*$/;

/** RFC 3986: encodeURIComponent leaves five characters alone that the signature wants encoded. */
export function percentEncode(text: string): string {
  if (NEEDS_NO_CODE.test(text)) return text;
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (char) => `%${char.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalPath({ pathname }: URL): string {
  const path = pathname
    .split('/')
    .map((segment) => percentEncode(decodeURIComponent(segment)))
    .join('/');
  return path.endsWith('/') ? path : `${path}/`;
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => [percentEncode(name), percentEncode(value)] as const)
    .sort(([a, x], [b, y]) => (a === b ? compare(x, y) : compare(a, b)))
    .map(([name, value]) => `${name}=${value}`)
    .join('&');
}

const compare = (a: string, b: string) => (a < b ? -1 : a > b ? 1 : 0);

const sha256 = (text: string) => createHash('sha256').update(text).digest('hex');

const hmac = (key: string | Buffer, text: string) => createHmac('sha256', key).update(text).digest();

function lowerNames(headers: Record<string, string>): Record<string, string> {
  return Object.fromEntries(Object.entries(headers).map(([name, value]) => [name.toLowerCase(), value]));
}
