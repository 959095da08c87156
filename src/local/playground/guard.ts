// The page can do everything to the databases it shows, so only the page itself may ask: not another site in
// the same browser (Origin, Sec-Fetch-Site), and not one that points its own name at this address (Host).

import type { IncomingHttpHeaders } from 'node:http';

const LOOPBACK = /^(localhost|127\.0\.0\.1|\[::1\])(:\d+)?$/;

/** undefined: allowed; otherwise why not. */
export function refusalOf(method: string, headers: IncomingHttpHeaders): string | undefined {
  const { host = '', origin } = headers;
  if (!LOOPBACK.test(host)) return 'this page answers only to localhost';
  if (origin !== undefined && origin !== `http://${host}`) return 'another page asked';
  const site = headers['sec-fetch-site'];
  // A link from elsewhere may open the page; it may not load parts of it.
  const opensPage = method === 'GET' && headers['sec-fetch-mode'] === 'navigate';
  if (site !== undefined && site !== 'same-origin' && site !== 'none' && !opensPage)
    return 'another page asked';
  // A form of another site can send no JSON without asking first.
  const isJson = (headers['content-type'] ?? '').startsWith('application/json');
  if (!['GET', 'HEAD'].includes(method) && !isJson) return 'send application/json';
  return undefined;
}

export const SAFE_HEADERS = {
  'content-security-policy':
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  'cross-origin-resource-policy': 'same-origin',
  'cross-origin-opener-policy': 'same-origin',
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
};
