// From the body of a stranger's request to a message that SMN signed lately for a topic with a name of ours. Cheap
// checks come first; nothing is fetched before the link is known to lead to SMN.

import { isSignedBy, readSmnMessage, type SmnMessage } from '../otc/smn-message.ts';
import { type Topic, topicOfUrn } from '../rds/names.ts';
import type { ReadCertificate } from './certificates.ts';
import type { Links } from './links.ts';
import { Refused } from './outcome.ts';

export type Verified = { message: SmnMessage; topic: Topic; sentAt: number };

export const OLDEST_MS = 15 * 60_000;
/** Two clocks may differ by this much. */
export const SKEW_MS = 60_000;

const MESSAGE_ID = /^[0-9A-Za-z-]{1,64}$/;
const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,3})?Z$/;

export type VerifyDeps = {
  links: () => Promise<Links>;
  readCertificate: ReadCertificate;
  now: () => number;
};

export async function verify(body: string, deps: VerifyDeps): Promise<Verified> {
  const message = readSmnMessage(body);
  if (!message || !MESSAGE_ID.test(message.messageId)) throw new Refused('malformed');
  const topic = topicOfUrn(message.topicUrn);
  if (!topic) throw new Refused('topicName');
  const sentAt = sendingTime(message, deps.now());
  const links = await deps.links();
  if (!links.isCertificate(message.signingCertUrl, topic.region)) throw new Refused('certificateLink');
  const certificate = await deps.readCertificate(message.signingCertUrl);
  if (!isSignedBy(message, certificate)) throw new Refused('signature');
  return { message, topic, sentAt };
}

function sendingTime({ timestamp }: SmnMessage, nowMs: number): number {
  const sentAt = TIMESTAMP.test(timestamp) ? Date.parse(timestamp) : Number.NaN;
  if (Number.isNaN(sentAt)) throw new Refused('malformed');
  if (sentAt < nowMs - OLDEST_MS) throw new Refused('late');
  if (sentAt > nowMs + SKEW_MS) throw new Refused('future');
  return sentAt;
}
