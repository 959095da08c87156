// The certificates that sign messages: fetched, checked up to an authority, kept for a while. Only good ones are kept,
// and fetches are few: a flood of made-up links drives none out and asks the cloud for little.

import type { X509Certificate } from 'node:crypto';
import type { Clock } from '../clock.ts';
import { type Anchors, certificatesIn, isTrusted } from './chain.ts';
import type { Gate } from './gate.ts';
import type { HttpsGet } from './https-get.ts';
import { Refused } from './outcome.ts';

/** The one that signs, as PEM. */
export type ReadCertificate = (link: string) => Promise<string>;

const KEPT = 8;
const KEEP_MS = 3_600_000;

export type CertificateDeps = { get: HttpsGet; gate: Gate; anchors: () => Anchors; clock: Clock };

type Known = { chain: readonly X509Certificate[]; until: number };

export function createReadCertificate({ get, gate, anchors, clock }: CertificateDeps): ReadCertificate {
  const known = new Map<string, Known>();
  const flights = new Map<string, Promise<readonly X509Certificate[]>>();

  async function fetchChain(link: string): Promise<readonly X509Certificate[]> {
    const leave = gate.enter();
    if (!leave) throw new Refused('overload');
    try {
      const { status, body } = await get(link);
      if (status !== 200) throw new Error(`the answer is a ${status}`);
      return certificatesIn(body);
    } catch (error) {
      throw new Refused('certificateFetch', error);
    } finally {
      leave();
    }
  }

  function fetchOnce(link: string): Promise<readonly X509Certificate[]> {
    const flight = flights.get(link) ?? fetchChain(link).finally(() => flights.delete(link));
    flights.set(link, flight);
    return flight;
  }

  function keep(link: string, chain: readonly X509Certificate[]): void {
    known.delete(link);
    known.set(link, { chain, until: clock.elapsed() + KEEP_MS });
    const oldest = known.keys().next();
    if (known.size > KEPT && !oldest.done) known.delete(oldest.value);
  }

  return async (link) => {
    const kept = known.get(link);
    const isKept = kept !== undefined && clock.elapsed() < kept.until;
    const chain = isKept ? kept.chain : await fetchOnce(link);
    const [first] = chain;
    // Also one from the memory: it may have expired there.
    if (!first || !isTrusted(chain, anchors(), clock.now())) throw new Refused('certificateTrust');
    if (!isKept) keep(link, chain);
    return first.toString();
  };
}
