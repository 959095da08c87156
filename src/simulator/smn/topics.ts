// Topics and their attributes, and messages to them.
import { REGION } from '../demo-account.ts';
import { bodyOf, optionalText, queryInteger, text } from '../fields.ts';
import { type Answer, type Call, json, param } from '../protocol.ts';
import { BadField, refuse } from '../refusal.ts';
import { publish } from './publish.ts';
import type { Topic } from './types.ts';

const MAX_TOPICS = 3_000;
const MAX_SUBJECT = 512;
const MAX_MESSAGE_BYTES = 256 * 1024;
const MAX_SECONDS_TO_LIVE = 86_400;
const ATTRIBUTES = ['access_policy', 'introduction'];

export const answered = (call: Call, status: number, body: Record<string, unknown> = {}): Answer =>
  json(status, { request_id: call.random.hex(32), ...body });

/** A page by record, not by number. */
export function pageOf<T>({ query }: Call, rows: readonly T[]): T[] {
  try {
    const offset = queryInteger(query, 'offset', { default: 0, min: 0, max: Number.MAX_SAFE_INTEGER });
    const limit = queryInteger(query, 'limit', { default: 100, min: 1, max: 100 });
    return rows.slice(offset, offset + limit);
  } catch (error) {
    if (error instanceof BadField) throw refuse(400, 'SMN.0015', error.message);
    throw error;
  }
}

export function topicOf(call: Call): Topic {
  const urn = param(call, 'urn');
  if (!/^urn:smn:[\w-]+:\w+:[\w-]+$/.test(urn)) throw refuse(400, 'SMN.0005', 'The topic URN is malformed.');
  const topic = call.world.topics[urn];
  if (!topic || topic.projectId !== call.identity.projectId)
    throw refuse(404, 'SMN.0006', 'The topic does not exist.');
  return topic;
}

function readDisplayName(body: Record<string, unknown>): string | undefined {
  const name = optionalText(body, 'display_name');
  if (name !== undefined && Buffer.byteLength(name) > 192)
    throw new BadField('display_name', 'it is longer than 192 bytes');
  return name;
}

/** A name that is there already is no error: 200 instead of 201. */
export function createTopic(call: Call): Answer {
  const body = bodyOf(call);
  const name = optionalText(body, 'name') ?? '';
  if (!/^[A-Za-z0-9][\w-]{0,254}$/.test(name)) throw refuse(400, 'SMN.0002', 'The topic name is malformed.');
  const displayName = readDisplayName(body) ?? '';
  const { world, identity, now } = call;
  const projectId = identity.projectId ?? '';
  const urn = `urn:smn:${REGION}:${projectId}:${name}`;
  if (world.topics[urn]) return answered(call, 200, { topic_urn: urn });
  const own = Object.values(world.topics).filter((topic) => topic.projectId === projectId);
  if (own.length >= MAX_TOPICS) throw refuse(403, 'SMN.0004', 'There are too many topics.');
  const id = call.random.hex(32);
  const times = { createdAt: now, updatedAt: now };
  world.topics[urn] = { urn, id, projectId, name, displayName, ...times, attributes: {} };
  return answered(call, 201, { topic_urn: urn });
}

const topicTime = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

const topicShape = (of: Topic) => ({
  topic_urn: of.urn,
  topic_id: of.id,
  name: of.name,
  display_name: of.displayName,
  push_policy: 0,
  create_time: topicTime(of.createdAt),
  update_time: topicTime(of.updatedAt),
});

export function listTopics(call: Call): Answer {
  const topics = Object.values(call.world.topics)
    .filter(({ projectId }) => projectId === call.identity.projectId)
    .reverse();
  return answered(call, 200, { topic_count: topics.length, topics: pageOf(call, topics).map(topicShape) });
}

export const showTopic = (call: Call): Answer => answered(call, 200, topicShape(topicOf(call)));

export function updateTopic(call: Call): Answer {
  const topic = topicOf(call);
  topic.displayName = readDisplayName(bodyOf(call)) ?? '';
  topic.updatedAt = call.now;
  return answered(call, 200);
}

export function deleteTopic(call: Call): Answer {
  const { urn } = topicOf(call);
  delete call.world.topics[urn];
  for (const subscription of Object.values(call.world.subscriptions))
    if (subscription.topicUrn === urn) delete call.world.subscriptions[subscription.urn];
  return answered(call, 200);
}

function attributeOf(call: Call): string {
  const name = param(call, 'name');
  if (!ATTRIBUTES.includes(name)) throw new BadField('name', `known are ${ATTRIBUTES.join(', ')}`);
  return name;
}

export function listAttributes(call: Call): Answer {
  const name = call.query.get('name');
  const all = Object.entries(topicOf(call).attributes);
  const attributes = Object.fromEntries(name ? all.filter(([key]) => key === name) : all);
  return answered(call, 200, { attributes });
}

export function setAttribute(call: Call): Answer {
  topicOf(call).attributes[attributeOf(call)] = text(bodyOf(call), 'value');
  return answered(call, 200);
}

export function removeAttribute(call: Call): Answer {
  delete topicOf(call).attributes[attributeOf(call)];
  return answered(call, 200);
}

export function publishMessage(call: Call): Answer {
  const topic = topicOf(call);
  const body = bodyOf(call);
  const subject = optionalText(body, 'subject') ?? '';
  const message = text(body, 'message');
  const seconds = optionalText(body, 'time_to_live') ?? '3600';
  if (subject.length > MAX_SUBJECT) throw new BadField('subject', `it is longer than ${MAX_SUBJECT}`);
  if (Buffer.byteLength(message) > MAX_MESSAGE_BYTES)
    throw new BadField('message', 'it is longer than 256 KB');
  if (!/^\d{1,5}$/.test(seconds) || Number(seconds) < 1 || Number(seconds) > MAX_SECONDS_TO_LIVE)
    throw new BadField('time_to_live', `it must be 1 to ${MAX_SECONDS_TO_LIVE}, as a string`);
  const publication = { subject, message, secondsToLive: Number(seconds) };
  return answered(call, 200, { message_id: publish(call, topic.urn, publication, { by: 'owner' }) });
}
