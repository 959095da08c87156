// A message as it is posted to an endpoint.
import { REGION } from '../demo-account.ts';
import { signatureOf, signingIdentity } from './signing.ts';
import type { Letter, Message, Subscription } from './types.ts';

/** Paths as on the real hosts, below the prefix that SMN has here. */
const SMN_ROOT = '/smn/smn';

const smnTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export function letterFor(message: Message, subscription: Subscription): Letter {
  const { type, topicUrn, messageId } = message;
  const isNotification = type === 'Notification';
  const fields: Record<string, string> = {
    type,
    topic_urn: topicUrn,
    message_id: messageId,
    message: message.text,
    timestamp: smnTime(message.at),
    ...(isNotification && message.subject !== '' && { subject: message.subject }),
    ...(isNotification
      ? { unsubscribe_url: unsubscribeUrl(subscription) }
      : { subscribe_url: subscribeUrl(subscription) }),
  };
  return {
    url: message.endpoint,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'x-smn-message-type': type,
      'x-smn-message-id': messageId,
      'x-smn-topic-urn': topicUrn,
      ...subscription.headers,
    },
    body: JSON.stringify({
      ...fields,
      signature: signatureOf(type, fields),
      signature_version: 'v1',
      signing_cert_url: `${subscription.origin}${SMN_ROOT}/${signingIdentity().fileName}`,
    }),
  };
}

function subscribeUrl({ origin, token, topicUrn }: Subscription): string {
  const query = new URLSearchParams({ token, topic_urn: topicUrn, region: REGION, region_id: REGION });
  return `${origin}${SMN_ROOT}/subscription/confirm?${query}`;
}

function unsubscribeUrl({ origin, urn }: Subscription): string {
  return `${origin}${SMN_ROOT}/subscription/unsubscribe?${new URLSearchParams({ region: REGION, subscription_urn: urn })}`;
}
