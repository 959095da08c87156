// Who gets the messages of a topic. An endpoint must say yes itself, by opening the link it was sent.
import { bodyOf, type JsonObject, optionalObject, optionalText, text } from '../fields.ts';
import { type Answer, type Call, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { isInternal } from './internal-address.ts';
import { askForConfirmation } from './publish.ts';
import { signingIdentity } from './signing.ts';
import { answered, pageOf, topicOf } from './topics.ts';
import { CANCELED, CONFIRMED, type Subscription, UNCONFIRMED } from './types.ts';

const MAX_PER_TOPIC = 10_000;
const TOKEN_LIFE_MS = 48 * 3_600_000;
const MAX_CONFIRMATIONS = 200;
const CONFIRMATION_SPAN_MS = 10 * 60_000;

const endpointPatterns: Record<string, RegExp> = {
  email: /^[^@\s]+@[^@\s]+\.[^@\s]+$/,
  sms: /^\+?\d{5,20}$/,
  http: /^http:\/\/[^\s/]+/,
  https: /^https:\/\/[^\s/]+/,
};

export function subscribe(call: Call): Answer {
  const topic = topicOf(call);
  const body = bodyOf(call);
  const protocol = text(body, 'protocol');
  const endpoint = readEndpoint(call, protocol, text(body, 'endpoint'));
  const remark = optionalText(body, 'remark') ?? '';
  if (Buffer.byteLength(remark) > 128) throw new BadField('remark', 'it is longer than 128 bytes');
  const headers = readHeaders(body);
  const siblings = Object.values(call.world.subscriptions).filter(({ topicUrn }) => topicUrn === topic.urn);
  const known = siblings.find((other) => other.protocol === protocol && other.endpoint === endpoint);
  if (!known && siblings.length >= MAX_PER_TOPIC)
    throw refuse(403, 'SMN.0007', 'The topic has too many subscriptions.');
  if (known?.status !== CONFIRMED) checkConfirmations(call, endpoint);
  const subscription: Subscription = known ?? {
    urn: `${topic.urn}:${call.random.hex(32)}`,
    topicUrn: topic.urn,
    projectId: topic.projectId,
    protocol,
    endpoint,
    remark,
    headers,
    status: UNCONFIRMED,
    token: '',
    tokenAt: call.now,
    origin: call.origin,
  };
  if (subscription.status === CANCELED) subscription.status = UNCONFIRMED;
  call.world.subscriptions[subscription.urn] = subscription;
  // An endpoint that has not said yes is asked again.
  if (subscription.status === UNCONFIRMED) askForConfirmation(call, subscription, 'SubscriptionConfirmation');
  return answered(call, known ? 200 : 201, { subscription_urn: subscription.urn });
}

function readEndpoint(call: Call, protocol: string, endpoint: string): string {
  const pattern = Object.hasOwn(endpointPatterns, protocol) ? endpointPatterns[protocol] : undefined;
  if (!pattern) throw new BadField('protocol', `known are ${Object.keys(endpointPatterns).join(', ')}`);
  const isAddress = !protocol.startsWith('http') || URL.canParse(endpoint);
  if (!pattern.test(endpoint) || !isAddress) throw refuse(400, 'SMN.0012', 'The endpoint is malformed.');
  if (protocol.startsWith('http') && !call.settings.allowInternalEndpoints && isInternal(endpoint))
    throw refuse(403, 'SMN.0069', 'The endpoint is an internal address.');
  return endpoint;
}

/** Own headers of the receiver: `x-…`, but none that SMN uses itself. */
function readHeaders(body: JsonObject): Record<string, string> {
  const header = optionalObject(optionalObject(body, 'extension') ?? {}, 'header') ?? {};
  return Object.fromEntries(
    Object.keys(header).map((name) => {
      if (!/^x-[a-z0-9-]+$/i.test(name) || name.toLowerCase().startsWith('x-smn-'))
        throw new BadField('extension.header', 'names must begin with x- and not with x-smn-');
      const value = text(header, name);
      if (!/^[\x20-\x7e]+$/.test(value)) throw new BadField('extension.header', 'values must be plain text');
      return [name.toLowerCase(), value];
    }),
  );
}

function checkConfirmations({ world, now }: Call, endpoint: string): void {
  const recent = Object.values(world.messages).filter(
    (message) =>
      message.endpoint === endpoint &&
      message.type === 'SubscriptionConfirmation' &&
      message.at > now - CONFIRMATION_SPAN_MS,
  );
  if (recent.length >= MAX_CONFIRMATIONS)
    throw refuse(403, 'SMN.0007', 'The endpoint was asked to confirm too often.');
}

export function listSubscriptions(call: Call): Answer {
  const topicUrn = call.params.urn === undefined ? undefined : topicOf(call).urn;
  const rows = Object.values(call.world.subscriptions).filter(
    (subscription) =>
      subscription.projectId === call.identity.projectId &&
      (topicUrn === undefined || subscription.topicUrn === topicUrn),
  );
  return answered(call, 200, {
    subscription_count: rows.length,
    subscriptions: pageOf(call, rows).map((of) => ({
      topic_urn: of.topicUrn,
      subscription_urn: of.urn,
      protocol: of.protocol,
      endpoint: of.endpoint,
      owner: of.projectId,
      remark: of.remark,
      status: of.status,
    })),
  });
}

export function removeSubscription(call: Call): Answer {
  const urn = param(call, 'urn');
  if (!/^urn:smn:[\w-]+:\w+:[\w-]+:\w+$/.test(urn))
    throw refuse(400, 'SMN.0014', 'The subscription URN is malformed.');
  const subscription = call.world.subscriptions[urn];
  if (!subscription || subscription.projectId !== call.identity.projectId)
    throw refuse(404, 'SMN.0013', 'The subscription does not exist.');
  delete call.world.subscriptions[urn];
  return answered(call, 200);
}

/** What the link in a confirmation leads to; no token of IAM is needed. */
export function confirm(call: Call): Answer {
  const token = call.query.get('token') ?? '';
  const subscription = Object.values(call.world.subscriptions).find(
    (candidate) => candidate.token === token && candidate.topicUrn === call.query.get('topic_urn'),
  );
  if (token === '' || !subscription || call.now > subscription.tokenAt + TOKEN_LIFE_MS)
    throw refuse(403, 'SMN.0022', 'The token of the confirmation is invalid.');
  subscription.status = CONFIRMED;
  return answered(call, 200, { subscription_urn: subscription.urn });
}

export function unsubscribe(call: Call): Answer {
  const subscription = call.world.subscriptions[call.query.get('subscription_urn') ?? ''];
  if (!subscription) throw refuse(404, 'SMN.0013', 'The subscription does not exist.');
  if (subscription.status !== CANCELED) {
    subscription.status = CANCELED;
    askForConfirmation(call, subscription, 'UnsubscribeConfirmation');
  }
  return answered(call, 200);
}

export function showCertificate(call: Call): Answer {
  const { fileName, certificate } = signingIdentity();
  if (param(call, 'file') !== fileName) throw refuse(404, 'SMN.0013', 'There is no such certificate.');
  return { status: 200, headers: { 'content-type': 'application/x-pem-file' }, body: certificate };
}
