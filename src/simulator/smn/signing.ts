// The key that signs all messages, its certificate, and the authority above it. Made when first needed and once per
// process: nothing of it is saved, since a message is signed when it leaves.
import { createSign, generateKeyPairSync, type KeyObject } from 'node:crypto';
import { REGION } from '../demo-account.ts';
import { fixedHex } from '../fixed-id.ts';
import { makeCertificate } from './certificate.ts';
import type { Message } from './types.ts';

export type SigningIdentity = {
  key: KeyObject;
  certificate: string;
  /** Signed the certificate and itself. */
  authority: { name: string; key: KeyObject; certificate: string };
  /** `SMN_eu-de_<32 hex>.pem`: another certificate has another name. */
  fileName: string;
};

const AUTHORITY_NAME = 'Simulated Open Telekom Cloud CA';
const SIGNER_NAME = `smn.${REGION}.otc.t-systems.com`;
const lifetime = { from: Date.UTC(2020, 0, 1), until: Date.UTC(2049, 11, 31) };

let shared: SigningIdentity | undefined;

export function signingIdentity(): SigningIdentity {
  shared ??= newIdentity();
  return shared;
}

function newIdentity(): SigningIdentity {
  const above = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const own = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const issued = { issuer: AUTHORITY_NAME, issuerKey: above.privateKey, ...lifetime };
  const authority = makeCertificate({
    ...issued,
    subject: AUTHORITY_NAME,
    publicKey: above.publicKey,
    serial: 1,
    isAuthority: true,
  });
  const certificate = makeCertificate({
    ...issued,
    subject: SIGNER_NAME,
    publicKey: own.publicKey,
    serial: 2,
    isAuthority: false,
  });
  return {
    key: own.privateKey,
    certificate,
    authority: { name: AUTHORITY_NAME, key: above.privateKey, certificate: authority },
    fileName: `SMN_${REGION}_${fixedHex(certificate)}.pem`,
  };
}

const signedFields: Record<Message['type'], readonly string[]> = {
  Notification: ['message', 'message_id', 'subject', 'timestamp', 'topic_urn', 'type'],
  SubscriptionConfirmation: ['message', 'message_id', 'subscribe_url', 'timestamp', 'topic_urn', 'type'],
  UnsubscribeConfirmation: ['message', 'message_id', 'subscribe_url', 'timestamp', 'topic_urn', 'type'],
};

/** Base64 over name and value of each field, a line each; a field that is absent is skipped. */
export function signatureOf(type: Message['type'], fields: Readonly<Record<string, string>>): string {
  const text = signedFields[type]
    .filter((name) => fields[name])
    .map((name) => `${name}\n${fields[name]}\n`)
    .join('');
  return createSign('sha256').update(text, 'utf8').sign(signingIdentity().key, 'base64');
}
