// What a signed message brings about: an alarm touches the annotation of its Rds, an invitation of our own topic is
// accepted, a farewell is written down. Whose the topic is, is asked here, of the cluster and not of the message.

import type { Logger } from 'pino';
import type { FindRds, FoundRds } from '../kube/find-rds.ts';
import { type Nudge, nudgeMark } from '../kube/nudge.ts';
import type { MessageService } from '../otc/monitoring.ts';
import type { SmnMessage } from '../otc/smn-message.ts';
import { topicName } from '../rds/names.ts';
import type { HttpsGet } from './https-get.ts';
import type { Links } from './links.ts';
import { type Outcome, Refused } from './outcome.ts';
import type { Verified } from './verify.ts';

export type ObeyDeps = {
  find: FindRds;
  nudge: Nudge;
  /** Of the operator's own credentials. */
  messageService: () => Promise<MessageService>;
  links: () => Promise<Links>;
  get: HttpsGet;
  log: Logger;
};

export async function obey(verified: Verified, deps: ObeyDeps): Promise<Outcome> {
  const { message, topic, sentAt } = verified;
  const found = await deps.find(topic.uid);
  if (!found || found.rds.metadata.deletionTimestamp) throw new Refused('unknownRds');
  if (!isTopicOf(found, message.topicUrn, await deps.messageService())) throw new Refused('foreignTopic');
  if (!found.rds.spec.endpoint) throw new Refused('noPush');
  const { namespace, name } = found.rds.metadata;
  switch (message.type) {
    case 'SubscriptionConfirmation':
      await confirm(message, deps);
      deps.log.info({ namespace, name }, 'the subscription to alarms is confirmed');
      return 'confirmed';
    case 'UnsubscribeConfirmation':
      deps.log.warn({ namespace, name }, 'the subscription to alarms was cancelled by somebody else');
      return 'unsubscribed';
    case 'Notification': {
      if (!isAlarm(message)) return 'notAlarm';
      const nudged = await deps.nudge(found.rds, nudgeMark(sentAt, message.messageId));
      if (nudged === 'gone') throw new Refused('unknownRds');
      return nudged;
    }
  }
}

/** A topic of the same name can be made in every project of the cloud, and SMN signs for all of them. */
function isTopicOf({ rds, topicUrn }: FoundRds, given: string, own: MessageService): boolean {
  const ours = `urn:smn:${own.region}:${own.projectId}:${topicName(rds.metadata.uid)}`;
  return given === ours || given === topicUrn;
}

/** The link is signed, and still leads only to where links of SMN lead. */
async function confirm({ subscribeUrl = '', topicUrn }: SmnMessage, deps: ObeyDeps): Promise<void> {
  if (!(await deps.links()).isConfirmation(subscribeUrl, topicUrn)) {
    // Signed by the cloud: the operator may believe this host, and has to list it.
    const host = URL.canParse(subscribeUrl) ? new URL(subscribeUrl).host : 'nowhere';
    throw new Refused('confirmLink', new Error(`it leads to ${host}; SMN_EXTRA_HOSTS lists where it may`));
  }
  const answer = await deps.get(subscribeUrl).catch((error: unknown) => {
    throw new Refused('confirmFailed', error);
  });
  if (answer.status < 200 || answer.status > 299) throw new Refused('confirmFailed');
}

/** Of Cloud Eye, whether it begins or ends: the hook looks for itself. */
function isAlarm({ message }: SmnMessage): boolean {
  try {
    const content: unknown = JSON.parse(message);
    return (content as { message_type?: unknown } | null)?.message_type === 'alarm';
  } catch {
    return false;
  }
}
