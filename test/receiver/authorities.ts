// Keys and certificates for a message service on this machine: an authority that the receiver trusts, one that it does
// not, and certificates of every kind below them. Keys are made once per process, since they take long.

import { generateKeyPairSync, type KeyObject, sign, X509Certificate } from 'node:crypto';
import { makeCertificate } from '../../src/simulator/smn/certificate.ts';

export type Keys = { publicKey: KeyObject; privateKey: KeyObject };

const DAY = 86_400_000;
export const NOW = Date.UTC(2026, 10, 16, 8);
const lifetime = { from: NOW - 365 * DAY, until: NOW + 365 * DAY };

export const rsa = (bits = 2_048): Keys => generateKeyPairSync('rsa', { modulusLength: bits });

export type Authority = { name: string; keys: Keys; pem: string };

function authorityOf(name: string, keys: Keys, by?: Authority, more: { from?: number; until?: number } = {}) {
  const pem = makeCertificate({
    subject: name,
    publicKey: keys.publicKey,
    issuer: by?.name ?? name,
    issuerKey: (by?.keys ?? keys).privateKey,
    serial: 1,
    isAuthority: true,
    ...lifetime,
    ...more,
  });
  return { name, keys, pem };
}

export const trusted = authorityOf('Test CA of the cloud', rsa());
export const foreign = authorityOf('Test CA of somebody', rsa());
/** The same name, another key. */
export const namesake = authorityOf(trusted.name, foreign.keys);
const middleKeys = rsa();
export const middle = authorityOf('Test CA below', middleKeys, trusted);
export const expiredMiddle = authorityOf('Test CA below', middleKeys, trusted, { until: NOW - DAY });

export const signerKeys = rsa();
export const otherKeys = rsa();

type Order = {
  by?: Authority;
  subject?: string;
  publicKey?: KeyObject;
  from?: number;
  until?: number;
  isAuthority?: boolean;
};

export function certificate(order: Order = {}): string {
  const { by = trusted, subject = 'smn.eu-de.otc.t-systems.com', publicKey = signerKeys.publicKey } = order;
  return makeCertificate({
    subject,
    publicKey,
    issuer: by.name,
    issuerKey: by.keys.privateKey,
    serial: 7,
    isAuthority: order.isAuthority ?? false,
    from: order.from ?? lifetime.from,
    until: order.until ?? lifetime.until,
  });
}

/** Below the trusted authority, but not allowed to sign others. */
export const layman: Authority = {
  name: 'not-an-authority.example',
  keys: otherKeys,
  pem: certificate({ subject: 'not-an-authority.example', publicKey: otherKeys.publicKey }),
};

const SIGNATURE_BYTES = 256;
const pemFrom = (der: Buffer): string =>
  `-----BEGIN CERTIFICATE-----\n${der.toString('base64')}\n-----END CERTIFICATE-----\n`;
const derOf = (pem: string): Buffer => new X509Certificate(pem).raw;

/** With one bit of its own signature turned. */
export function unsigned(pem: string): string {
  const der = Buffer.from(derOf(pem));
  der[der.length - 1] = (der.at(-1) ?? 0) ^ 1;
  return pemFrom(der);
}

/** May sign others by the usage of its key, and is still no authority: signed anew after an edit. */
export const scribe: Authority = {
  ...layman,
  pem: withUsage(layman.pem, '03020780', '03020204', trusted.keys),
};

function withUsage(pem: string, from: string, to: string, by: Keys): string {
  const der = derOf(pem);
  // Behind the header of the whole: what is signed, with its own header of four bytes.
  const end = 8 + der.readUInt16BE(6);
  const content = Buffer.from(der.subarray(4, end).toString('hex').replace(from, to), 'hex');
  const between = der.subarray(end, der.length - SIGNATURE_BYTES);
  return pemFrom(
    Buffer.concat([der.subarray(0, 4), content, between, sign('sha256', content, by.privateKey)]),
  );
}

export const DAYS = (count: number): number => count * DAY;

const pemOf = (key: KeyObject): string => key.export({ type: 'pkcs8', format: 'pem' }).toString();
/** TLS checks by the real clock. */
const forever = { from: Date.UTC(2020, 0, 1), until: Date.UTC(2049, 0, 1) };
const rootOfTls = authorityOf('Test CA of hosts', rsa(), undefined, forever);

/** For servers on `localhost`, with the PEM of the authority above. */
export const tlsOfHost = {
  key: pemOf(signerKeys.privateKey),
  cert: certificate({ by: rootOfTls, subject: 'localhost', ...forever }),
  ca: rootOfTls.pem,
};
export const tlsOfStranger = {
  key: pemOf(signerKeys.privateKey),
  cert: certificate({ by: foreign, subject: 'localhost', ...forever }),
};
