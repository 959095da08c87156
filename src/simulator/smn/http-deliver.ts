// Letters over real http and https. Certificates of receivers are not checked: on a laptop they are self-signed.
import { request as requestHttp } from 'node:http';
import { request as requestHttps } from 'node:https';
import type { Letter } from './types.ts';

const TIMEOUT_MS = 5_000;

export function deliverOverHttp({ url, headers, body }: Letter): Promise<number> {
  const request = url.startsWith('https:') ? requestHttps : requestHttp;
  return new Promise((resolve, reject) => {
    const options = { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) } };
    const sent = request(url, { ...options, timeout: TIMEOUT_MS, rejectUnauthorized: false }, (response) => {
      response.resume();
      resolve(response.statusCode ?? 0);
    });
    sent.on('timeout', () => sent.destroy(new Error('the receiver gave no answer')));
    sent.on('error', reject);
    sent.end(body);
  });
}
