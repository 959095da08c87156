// The calls of the message service: topics and who listens to them. Every write may be repeated.

import type { Clock } from '../clock.ts';
import { CloudError } from '../errors.ts';
import { type Cached, createCached } from './cache.ts';
import type { Call } from './call.ts';
import { baseOf } from './catalog.ts';
import { type Json, need, neededObjects, numberOf, textOf } from './json.ts';
import { createLru } from './lru.ts';
import type { MessageService, Notifications, Subscription } from './monitoring.ts';
import { collectPages } from './pages.ts';
import type { Session } from './session.ts';

const pageLimit = 100;
const maxTopics = 10_000;

const statuses: Record<number, Subscription['status']> = { 0: 'unconfirmed', 1: 'confirmed', 3: 'canceled' };

/** No such topic. */
const goneCode = 'SMN.0006';

export function createSubscriptionsLately(clock: Clock, callAlone: () => Call) {
  const kept = createLru<Cached<readonly Subscription[] | undefined>>(maxTopics);
  return (topicUrn: string) =>
    kept.get(topicUrn, () =>
      createCached(clock, 'the subscriptions', async () => {
        try {
          return (await createNotifications(callAlone()).subscriptions(topicUrn)).value;
        } catch (error) {
          if (error instanceof CloudError && error.code === goneCode) return undefined;
          throw error;
        }
      }),
    );
}

export function createNotifications(
  call: Call,
): Omit<Notifications, 'messageService' | 'subscriptionsLately'> {
  const post = async (path: string, params: Record<string, string>, body: Json, urn: string) => {
    const read = (answer: Json) => ({ urn: need(textOf(answer, urn), urn) });
    return (await call({ service: 'smn', method: 'POST', path, params, body, read })).value;
  };
  const remove = async (path: string, urn: string) => {
    const read = () => undefined;
    await call({ service: 'smn', method: 'DELETE', path, params: { urn }, accepted: [404], read });
  };

  return {
    // 200 when a topic of that name is there already.
    createTopic: (name) => post('/notifications/topics', {}, { name }, 'topic_urn'),
    deleteTopic: (urn) => remove('/notifications/topics/{urn}', urn),

    subscriptions(topicUrn) {
      const path = '/notifications/topics/{urn}/subscriptions';
      const read = (body: Json) => ({
        items: neededObjects(body, 'subscriptions').map(readSubscription),
        total: numberOf(body, 'subscription_count'),
      });
      return collectPages((offset) => {
        const query = { offset, limit: pageLimit };
        return call({ service: 'smn', method: 'GET', path, params: { urn: topicUrn }, query, read });
      }, pageLimit);
    },

    subscribe: ({ topicUrn, endpoint }) =>
      post(
        '/notifications/topics/{urn}/subscriptions',
        { urn: topicUrn },
        { protocol: 'https', endpoint },
        'subscription_urn',
      ),
    unsubscribe: (urn) => remove('/notifications/subscriptions/{urn}', urn),
  };
}

export function messageServiceOf({ bases, region, projectId }: Session): MessageService {
  return { url: baseOf(bases, 'smn', region), region, projectId };
}

function readSubscription(row: Json): Subscription {
  return {
    id: need(textOf(row, 'subscription_urn'), 'subscription_urn'),
    topicUrn: textOf(row, 'topic_urn') ?? '',
    protocol: textOf(row, 'protocol') ?? '',
    endpoint: textOf(row, 'endpoint') ?? '',
    status: statuses[numberOf(row, 'status') ?? -1] ?? 'unknown',
  };
}
