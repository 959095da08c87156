// Carries messages to their endpoints: seven tries in all, each at its time on the clock of the cloud. The letters
// themselves travel outside of that clock, so a try that is still under way holds the next one up.
import type { Scene } from '../protocol.ts';
import { lasting } from '../rds/operations.ts';
import { schedule, type World } from '../world.ts';
import { letterFor } from './letter.ts';
import { CONFIRMED, type Deliver, type Message, type Subscription, UNCONFIRMED } from './types.ts';

/** Pauses before the six further tries. The cloud does not tell its own. */
const PAUSES_MS = [10_000, 20_000, 30_000, 60_000, 120_000, 300_000];
const HOLD_UP_MS = 250;

export function createPostOffice(worldNow: () => World) {
  const underWay = new Map<string, Promise<void>>();
  let deliver: Deliver | undefined;

  /** The world may have been replaced while the letter was on its way. */
  async function tryOnce(id: string, deliver: Deliver, letter: Parameters<Deliver>[0]): Promise<void> {
    const status = await deliver(letter).catch(() => undefined);
    const message = worldNow().messages[id];
    if (message) end(message, status);
  }

  return {
    deliverBy(next: Deliver): void {
      deliver = next;
    },

    carry(scene: Scene, id: string): void {
      const message = scene.world.messages[id];
      if (message?.state !== 'waiting') return;
      if (underWay.has(id)) {
        schedule(scene.world, { at: scene.now + HOLD_UP_MS, kind: 'delivery', messageId: id });
        return;
      }
      const subscription = scene.world.subscriptions[message.subscriptionUrn];
      if (!subscription || !isWanted(message, subscription) || scene.now > message.expiresAt) {
        message.state = 'dropped';
        return;
      }
      const pauseMs = PAUSES_MS[message.tries];
      message.tries += 1;
      // Whatever becomes of this try: a message that has arrived is not carried again.
      if (pauseMs !== undefined)
        schedule(scene.world, {
          at: scene.now + Math.max(1, lasting(scene, pauseMs)),
          kind: 'delivery',
          messageId: id,
        });
      if (!deliver) {
        end(message, undefined);
        return;
      }
      const going = tryOnce(id, deliver, letterFor(message, subscription));
      underWay.set(
        id,
        going.finally(() => underWay.delete(id)),
      );
    },

    /** Resolves when no letter is under way. */
    async quiet(): Promise<void> {
      while (underWay.size > 0) await Promise.all(underWay.values());
    },
  };
}

function end(message: Message, status: number | undefined): void {
  message.lastStatus = status;
  if (status !== undefined && status >= 200 && status < 300) message.state = 'delivered';
  else if (message.tries > PAUSES_MS.length) message.state = 'dropped';
}

function isWanted({ type }: Message, { status }: Subscription): boolean {
  if (type === 'Notification') return status === CONFIRMED;
  return type === 'UnsubscribeConfirmation' || status === UNCONFIRMED;
}
