// A GET to where a link of a message leads: few bytes, little time, no redirects, a checked certificate. The link was
// checked before (links.ts); nothing of ours is sent along.

import { rootCertificates } from 'node:tls';
import { Agent } from 'undici';

export type HttpsGet = (link: string) => Promise<{ status: number; body: string }>;

export type GetLimits = { bytes: number; ms: number };

const GET_LIMITS: GetLimits = { bytes: 64 * 1024, ms: 5_000 };

const CONNECTIONS = 4;

/** `ca`: PEM of private authorities, trusted beside the public ones. */
export function createHttpsGet({ ca, limits = GET_LIMITS }: { ca: string | undefined; limits?: GetLimits }): {
  get: HttpsGet;
  close(): Promise<void>;
} {
  const agent = new Agent({
    connections: CONNECTIONS,
    allowH2: false,
    connect: { timeout: limits.ms, ...(ca === undefined ? {} : { ca: [...rootCertificates, ca] }) },
  });
  return {
    close: () => agent.destroy(),
    async get(link) {
      const { origin, pathname, search } = new URL(link);
      const answer = await agent.request({
        origin,
        path: pathname + search,
        method: 'GET',
        // The clock runs until the last byte.
        signal: AbortSignal.timeout(limits.ms),
      });
      const chunks: Buffer[] = [];
      let size = 0;
      for await (const chunk of answer.body) {
        size += chunk.length;
        if (size > limits.bytes) throw new Error('the answer is too large');
        chunks.push(chunk);
      }
      return { status: answer.statusCode, body: Buffer.concat(chunks).toString('utf8') };
    },
  };
}
