// Messages on their way: one for each endpoint, waiting for the post office.
import type { Scene } from '../protocol.ts';
import { schedule } from '../world.ts';
import { CONFIRMED, type Message, type Subscription } from './types.ts';

const DEFAULT_SECONDS_TO_LIVE = 3_600;
const KEPT_MESSAGES = 500;

export type Publication = { subject: string; message: string; secondsToLive?: number };

/** The id of the message, or nothing when there is no such topic or it does not let Cloud Eye in. */
export function publish(
  scene: Scene,
  topicUrn: string,
  { subject, message, secondsToLive = DEFAULT_SECONDS_TO_LIVE }: Publication,
  { by }: { by: 'owner' | 'ces' },
): string | undefined {
  const topic = scene.world.topics[topicUrn];
  const policy = topic?.attributes.access_policy;
  if (!topic || (by === 'ces' && policy !== undefined && !/"ces"/i.test(policy))) return undefined;
  const messageId = scene.random.hex(32);
  for (const subscription of Object.values(scene.world.subscriptions))
    if (subscription.topicUrn === topicUrn && subscription.status === CONFIRMED)
      send(scene, subscription, {
        messageId,
        type: 'Notification',
        subject,
        text: message,
        expiresAt: scene.now + secondsToLive * 1_000,
      });
  return messageId;
}

/** Asks the owner of an endpoint whether he wants the messages, or tells him that he gets no more. */
export function askForConfirmation(
  scene: Scene,
  subscription: Subscription,
  type: 'SubscriptionConfirmation' | 'UnsubscribeConfirmation',
): void {
  subscription.token = scene.random.hex(96);
  subscription.tokenAt = scene.now;
  const text =
    type === 'SubscriptionConfirmation'
      ? `You are invited to subscribe to topic: ${subscription.topicUrn}. To confirm this subscription, please visit the following SubscribeURL in this message.`
      : `You are unsubscribed from topic: ${subscription.topicUrn}. To subscribe to this topic again, please visit the following SubscribeURL in this message.`;
  send(scene, subscription, {
    messageId: scene.random.hex(32),
    type,
    subject: '',
    text,
    expiresAt: scene.now + DEFAULT_SECONDS_TO_LIVE * 1_000,
  });
}

function send(
  { world, now, random }: Scene,
  subscription: Subscription,
  content: Pick<Message, 'messageId' | 'type' | 'subject' | 'text' | 'expiresAt'>,
): void {
  if (!subscription.protocol.startsWith('http')) return;
  const id = random.hex(16);
  world.messages[id] = {
    ...content,
    id,
    topicUrn: subscription.topicUrn,
    subscriptionUrn: subscription.urn,
    endpoint: subscription.endpoint,
    at: now,
    tries: 0,
    state: 'waiting',
    lastStatus: undefined,
  };
  forgetOld(world.messages);
  schedule(world, { at: now, kind: 'delivery', messageId: id });
}

function forgetOld(messages: Record<string, Message>): void {
  const done = Object.values(messages).filter(({ state }) => state !== 'waiting');
  for (const { id } of done.slice(0, Math.max(0, done.length - KEPT_MESSAGES))) delete messages[id];
}
