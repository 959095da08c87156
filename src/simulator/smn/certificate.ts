// X.509 certificates, written by hand: node:crypto can read but not make them, and a program such as openssl is not
// everywhere where this runs. Just enough DER for RSA keys and two kinds: an authority, and a signer below it.
import { createHash, createPublicKey, createSign, type KeyObject } from 'node:crypto';

const INTEGER = 0x02;
const BIT_STRING = 0x03;
const OCTET_STRING = 0x04;
const OID = 0x06;
const UTF8 = 0x0c;
const UTC_TIME = 0x17;
const SEQUENCE = 0x30;
const SET = 0x31;

const SHA256_WITH_RSA = '2a864886f70d01010b';
const COMMON_NAME = '550403';
const BASIC_CONSTRAINTS = '551d13';
const KEY_USAGE = '551d0f';
const ALTERNATIVE_NAME = '551d11';
const SUBJECT_KEY_ID = '551d0e';
const AUTHORITY_KEY_ID = '551d23';

function der(tag: number, ...parts: Uint8Array[]): Buffer {
  const content = Buffer.concat(parts);
  if (content.length < 0x80) return Buffer.concat([Buffer.from([tag, content.length]), content]);
  const digits = content.length.toString(16);
  const length = Buffer.from(digits.padStart(digits.length + (digits.length % 2), '0'), 'hex');
  return Buffer.concat([Buffer.from([tag, 0x80 | length.length]), length, content]);
}

const hex = (text: string): Buffer => Buffer.from(text, 'hex');
const oid = (id: string): Buffer => der(OID, hex(id));
const algorithm = der(SEQUENCE, oid(SHA256_WITH_RSA), hex('0500'));
const nameOf = (commonName: string): Buffer =>
  der(SEQUENCE, der(SET, der(SEQUENCE, oid(COMMON_NAME), der(UTF8, Buffer.from(commonName)))));
/** `250101000000Z`: two digits of the year, so up to 2049. */
const timeOf = (ms: number): Buffer => {
  const digits = new Date(ms).toISOString().replace(/\D/g, '').slice(2, 14);
  return der(UTC_TIME, Buffer.from(`${digits}Z`));
};
const critical = hex('0101ff');
const extension = (id: string, value: Buffer, ...mark: Buffer[]): Buffer =>
  der(SEQUENCE, oid(id), ...mark, der(OCTET_STRING, value));

const authorityExtensions = [
  extension(BASIC_CONSTRAINTS, der(SEQUENCE, hex('0101ff')), critical),
  extension(KEY_USAGE, hex('03020106'), critical),
];
const signerExtensions = (name: string) => [
  extension(BASIC_CONSTRAINTS, der(SEQUENCE), critical),
  extension(KEY_USAGE, hex('03020780'), critical),
  extension(ALTERNATIVE_NAME, der(SEQUENCE, der(0x82, Buffer.from(name)))),
];

const spki = (key: KeyObject): Buffer => key.export({ type: 'spki', format: 'der' });
const idOf = (key: KeyObject): Buffer => createHash('sha1').update(spki(key)).digest();
/** Strict verifiers want to see which key belongs to which. */
const keyIds = (own: KeyObject, above: KeyObject) => [
  extension(SUBJECT_KEY_ID, der(OCTET_STRING, idOf(own))),
  extension(AUTHORITY_KEY_ID, der(SEQUENCE, der(0x80, idOf(above)))),
];

export type CertificateOrder = {
  subject: string;
  publicKey: KeyObject;
  issuer: string;
  issuerKey: KeyObject;
  serial: number;
  from: number;
  until: number;
  isAuthority: boolean;
};

export function makeCertificate(order: CertificateOrder): string {
  const { subject, publicKey, issuer, issuerKey, serial, from, until, isAuthority } = order;
  const extensions = [
    ...(isAuthority ? authorityExtensions : signerExtensions(subject)),
    ...keyIds(publicKey, createPublicKey(issuerKey)),
  ];
  const content = der(
    SEQUENCE,
    der(0xa0, hex('020102')),
    der(INTEGER, Buffer.from([serial & 0x7f])),
    algorithm,
    nameOf(issuer),
    der(SEQUENCE, timeOf(from), timeOf(until)),
    nameOf(subject),
    spki(publicKey),
    der(0xa3, der(SEQUENCE, ...extensions)),
  );
  const signature = createSign('sha256').update(content).sign(issuerKey);
  const whole = der(SEQUENCE, content, algorithm, der(BIT_STRING, hex('00'), signature));
  const lines = whole.toString('base64').match(/.{1,64}/g) ?? [];
  return ['-----BEGIN CERTIFICATE-----', ...lines, '-----END CERTIFICATE-----', ''].join('\n');
}
