// The calls of SMN, each with the IAM action it needs, and the links that messages carry.
import type { Endpoint, Route } from '../protocol.ts';
import * as subscriptions from './subscriptions.ts';
import * as topics from './topics.ts';

const smn = (method: string, path: string, action: string, answer: Endpoint): Route => ({
  service: 'smn',
  method,
  template: `/v2/{project}/notifications${path}`,
  action: `smn:topic:${action}`,
  answer,
});
const link = (template: string, answer: Endpoint): Route => ({
  service: 'smn',
  method: 'GET',
  template,
  answer,
  isOpen: true,
});

export const smnRoutes: Route[] = [
  smn('POST', '/topics', 'create', topics.createTopic),
  smn('GET', '/topics', 'list', topics.listTopics),
  smn('GET', '/topics/{urn}', 'list', topics.showTopic),
  smn('PUT', '/topics/{urn}', 'update', topics.updateTopic),
  smn('DELETE', '/topics/{urn}', 'delete', topics.deleteTopic),
  smn('POST', '/topics/{urn}/publish', 'publish', topics.publishMessage),
  smn('GET', '/topics/{urn}/attributes', 'list', topics.listAttributes),
  smn('PUT', '/topics/{urn}/attributes/{name}', 'update', topics.setAttribute),
  smn('DELETE', '/topics/{urn}/attributes/{name}', 'update', topics.removeAttribute),
  // Whoever may change a topic may change its subscriptions.
  smn('POST', '/topics/{urn}/subscriptions', 'update', subscriptions.subscribe),
  smn('GET', '/topics/{urn}/subscriptions', 'list', subscriptions.listSubscriptions),
  smn('GET', '/subscriptions', 'list', subscriptions.listSubscriptions),
  smn('DELETE', '/subscriptions/{urn}', 'update', subscriptions.removeSubscription),
  link('/smn/subscription/confirm', subscriptions.confirm),
  link('/smn/subscription/unsubscribe', subscriptions.unsubscribe),
  link('/smn/{file}', subscriptions.showCertificate),
];
