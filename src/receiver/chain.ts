// Whether a certificate leads to an authority that we trust: each one issued and signed by the next, all of them
// valid now. node:crypto has the parts of this, and no whole.

import { X509Certificate } from 'node:crypto';

/** By subject: those are many, and one chain needs few. */
export type Anchors = ReadonlyMap<string, readonly X509Certificate[]>;

const LONGEST_CHAIN = 5;
const LEAST_RSA_BITS = 2_048;

/** Throws when a text is no certificate. */
export function anchorsOf(pems: readonly string[]): Anchors {
  const anchors = new Map<string, X509Certificate[]>();
  for (const certificate of pems.flatMap(certificatesIn))
    anchors.set(certificate.subject, [...(anchors.get(certificate.subject) ?? []), certificate]);
  return anchors;
}

export function certificatesIn(pem: string): X509Certificate[] {
  const blocks = pem.match(/-----BEGIN CERTIFICATE-----[\s\S]+?-----END CERTIFICATE-----/g) ?? [];
  return blocks.map((block) => new X509Certificate(block));
}

/** `chain`: the certificate itself first, then whatever may lead to an anchor. */
export function isTrusted(chain: readonly X509Certificate[], anchors: Anchors, nowMs: number): boolean {
  const [first, ...between] = chain;
  const leadsUp = (certificate: X509Certificate, length: number): boolean => {
    if (length > LONGEST_CHAIN || !isValidAt(certificate, nowMs) || !isStrong(certificate)) return false;
    // A certificate that is itself trusted needs nobody above it.
    if (anchors.get(certificate.subject)?.some((anchor) => isSame(anchor, certificate))) return true;
    return [...(anchors.get(certificate.issuer) ?? []), ...between].some(
      (above) => isIssuedBy(certificate, above) && leadsUp(above, length + 1),
    );
  };
  return first !== undefined && chain.length <= LONGEST_CHAIN && leadsUp(first, 1);
}

function isIssuedBy(certificate: X509Certificate, above: X509Certificate): boolean {
  return above.ca && certificate.checkIssued(above) && certificate.verify(above.publicKey);
}

function isValidAt({ validFromDate, validToDate }: X509Certificate, nowMs: number): boolean {
  return validFromDate.getTime() <= nowMs && nowMs <= validToDate.getTime();
}

function isStrong({ publicKey }: X509Certificate): boolean {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = publicKey;
  return type === 'rsa' ? (details?.modulusLength ?? 0) >= LEAST_RSA_BITS : type === 'ec';
}

const isSame = (one: X509Certificate, other: X509Certificate): boolean =>
  one.fingerprint256 === other.fingerprint256;
