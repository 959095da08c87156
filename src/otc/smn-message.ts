// A message as SMN posts it, and whether a certificate's owner signed it. Nothing here trusts the certificate or
// fetches it: that is up to the receiver.

import { verify, X509Certificate } from 'node:crypto';

const types = ['SubscriptionConfirmation', 'Notification', 'UnsubscribeConfirmation'] as const;

export type SmnMessage = {
  type: (typeof types)[number];
  topicUrn: string;
  messageId: string;
  message: string;
  /** Absent and empty are two things to the signature. */
  subject: string | undefined;
  /** As sent: `2025-01-01T00:00:00Z`. */
  timestamp: string;
  subscribeUrl: string | undefined;
  signature: string;
  signingCertUrl: string;
};

const leastKeyBits = 2_048;
/** Strict, so that one signature has one spelling. */
const base64 = /^[A-Za-z0-9+/]+={0,2}$/;

/** Nothing, if it is not a message of SMN with all that a signature covers. */
export function readSmnMessage(body: string): SmnMessage | undefined {
  const fields = stringsOf(body);
  const { type: sentType, topic_urn, message_id, message, timestamp, signature, signing_cert_url } = fields;
  const type = types.find((known) => known === sentType);
  if (!type || !topic_urn || !message_id || message === undefined || !timestamp) return undefined;
  if (!signature || !base64.test(signature) || !signing_cert_url) return undefined;
  if (fields.signature_version?.toLowerCase() !== 'v1') return undefined;
  const subject = type === 'Notification' ? fields.subject : undefined;
  const subscribeUrl = type === 'Notification' ? undefined : fields.subscribe_url;
  if (type !== 'Notification' && !subscribeUrl) return undefined;
  // The signed text parts fields by line breaks: inside of any but the message they would shift its end.
  if ([topic_urn, message_id, timestamp, subject, subscribeUrl].some((value) => value?.includes('\n')))
    return undefined;
  return {
    type,
    topicUrn: topic_urn,
    messageId: message_id,
    message,
    subject,
    timestamp,
    subscribeUrl,
    signature,
    signingCertUrl: signing_cert_url,
  };
}

function stringsOf(body: string): Record<string, string | undefined> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(body);
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null || !isFlat(body, parsed)) return {};
  return Object.fromEntries(Object.entries(parsed).filter(([, value]) => typeof value === 'string'));
}

/** Of two fields of the same name readers disagree which one counts; then it is not clear what was signed. */
function isFlat(body: string, parsed: object): boolean {
  const names = [...body.matchAll(/"(?:[^"\\]|\\.)*"(\s*:)?/g)].filter(([, colon]) => colon !== undefined);
  return names.length === Object.keys(parsed).length;
}

/** What may have been signed: an empty subject is left out, or so the documents say. */
export function signedTexts(message: SmnMessage): string[] {
  const text = (...middle: [string, string][]) =>
    [
      ['message', message.message],
      ['message_id', message.messageId],
      ...middle,
      ['timestamp', message.timestamp],
      ['topic_urn', message.topicUrn],
      ['type', message.type],
    ]
      .map(([name, value]) => `${name}\n${value}\n`)
      .join('');
  if (message.type !== 'Notification') return [text(['subscribe_url', message.subscribeUrl ?? ''])];
  if (message.subject === undefined) return [text()];
  const whole = text(['subject', message.subject]);
  return message.subject === '' ? [text(), whole] : [whole];
}

export function isSignedBy(message: SmnMessage, certificatePem: string): boolean {
  const key = publicKeyOf(certificatePem);
  const bits = key?.asymmetricKeyDetails?.modulusLength ?? 0;
  if (key?.asymmetricKeyType !== 'rsa' || bits < leastKeyBits) return false;
  const signature = Buffer.from(message.signature, 'base64');
  return signedTexts(message).some((text) => verify('sha256', Buffer.from(text, 'utf8'), key, signature));
}

function publicKeyOf(pem: string) {
  try {
    return new X509Certificate(pem).publicKey;
  } catch {
    return undefined;
  }
}
