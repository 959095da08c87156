// A receiver between a message service over real https on this machine and an API server in memory. Everything that
// it does is on record: what it asked of others, what it wrote, what it said.

import { sign } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import pino from 'pino';
import type { Test } from 'tap';
import { systemClock } from '../../src/clock.ts';
import type { KubeCall, KubeObject } from '../../src/kube/api.ts';
import { createFindRds } from '../../src/kube/find-rds.ts';
import { createJournalStore } from '../../src/kube/journal.ts';
import { createNudge } from '../../src/kube/nudge.ts';
import { createApiServer } from '../../src/local/api-server.ts';
import { rdsAdmission } from '../../src/local/rds-admission.ts';
import { seededUids } from '../../src/local/seeded-uids.ts';
import type { MessageService } from '../../src/otc/monitoring.ts';
import type { Journal } from '../../src/rds/journal.ts';
import { ANNOTATIONS, topicName } from '../../src/rds/names.ts';
import { createHttpsGet } from '../../src/receiver/https-get.ts';
import type { ListenerLimits } from '../../src/receiver/listener.ts';
import type { Outcome } from '../../src/receiver/outcome.ts';
import { createReceiver } from '../../src/receiver/receiver.ts';
import { certificate, NOW, signerKeys, tlsOfHost, tlsOfStranger, trusted } from './authorities.ts';

export const PROJECT = '0d3a8f6e1c5b4a7290ef8d6c4b2a1357';
export const FILE = 'SMN_eu-de_0123456789abcdef0123456789abcdef.pem';
export const ENDPOINT = 'https://alarms.example.org/otc';
const SERVICE: MessageService = {
  url: `https://smn.eu-de.otc.t-systems.com/v2/${PROJECT}`,
  region: 'eu-de',
  projectId: PROJECT,
};
const DEADLINE_MS = 2_500;

export type Answer = (request: IncomingMessage, response: ServerResponse) => void;
export const text =
  (body: string, status = 200, headers: Record<string, string> = {}): Answer =>
  (_request, response) =>
    void response.writeHead(status, headers).end(body);

/** Answers what `answers` has, and nothing else. */
async function httpsHost(t: Test, tls: { key: string; cert: string }) {
  const answers = new Map<string, Answer>();
  const server = createServer(tls, (request, response) => {
    const path = (request.url ?? '').split('?')[0] ?? '';
    (answers.get(path) ?? text('', 404))(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  t.teardown(() => {
    server.close();
    server.closeAllConnections();
  });
  return { answers, host: `localhost:${(server.address() as AddressInfo).port}` };
}

const SIGNED: Record<string, readonly string[]> = {
  Notification: ['message', 'message_id', 'subject', 'timestamp', 'topic_urn', 'type'],
  SubscriptionConfirmation: ['message', 'message_id', 'subscribe_url', 'timestamp', 'topic_urn', 'type'],
  UnsubscribeConfirmation: ['message', 'message_id', 'subscribe_url', 'timestamp', 'topic_urn', 'type'],
};

export type Fields = Record<string, string>;

/** As the documents of the cloud say it; a field that is empty is left out. */
export function signature(fields: Fields, key = signerKeys.privateKey): string {
  const names = (SIGNED[fields.type ?? ''] ?? []).filter((name) => fields[name]);
  const signedText = names.map((name) => `${name}\n${fields[name]}\n`).join('');
  return sign('sha256', Buffer.from(signedText), key).toString('base64');
}

export const stamp = (ms: number): string => `${new Date(ms).toISOString().slice(0, 19)}Z`;

export type StageOptions = {
  /** Of the Rds `shop`. */
  spec?: Record<string, unknown>;
  journal?: Journal;
  getMs?: number;
  limits?: ListenerLimits;
};

export async function stage(t: Test, options: StageOptions = {}) {
  const time = { now: NOW, elapsed: 0 };
  const clock = { ...systemClock, now: () => time.now, elapsed: () => time.elapsed };
  const smn = await httpsHost(t, tlsOfHost);
  smn.answers.set(`/smn/${FILE}`, text(certificate()));
  /** Listed, and its own certificate is of an authority that nobody trusts. */
  const stranger = await httpsHost(t, tlsOfStranger);
  stranger.answers.set(`/smn/${FILE}`, text(certificate()));
  /** Would serve the right certificate, if it were asked. */
  const unlisted = await httpsHost(t, tlsOfHost);
  unlisted.answers.set(`/smn/${FILE}`, text(certificate()));

  const api = createApiServer({
    clock,
    uid: seededUids(1),
    admission: { Rds: rdsAdmission },
    namespaces: ['rds-pilot', 'team-a'],
  });
  const writes: string[] = [];
  const cluster = { isDown: false, beforePatch: async (): Promise<unknown> => undefined };
  const call: KubeCall = async (request) => {
    if (cluster.isDown) return { status: 503, body: {} };
    if (request.method !== 'GET') writes.push(`${request.method} ${request.path}`);
    if (request.method === 'PATCH') await cluster.beforePatch();
    return api.call(request);
  };
  const journalsOver = (by: KubeCall) =>
    createJournalStore({ call: by, namespace: 'rds-pilot', nonce: seededUids(2), deadlineMs: DEADLINE_MS });
  const path = '/apis/otc.mcsps.de/v1alpha1/namespaces/team-a/rdss';
  async function addRds(
    name: string,
    spec: Record<string, unknown> = {},
    journal: Journal = {},
  ): Promise<string> {
    const body = {
      apiVersion: 'otc.mcsps.de/v1alpha1',
      kind: 'Rds',
      metadata: { name, namespace: 'team-a', finalizers: ['test/keep'] },
      spec,
    };
    const made = await api.call({ method: 'POST', path, body, deadlineMs: DEADLINE_MS });
    const uid = (made.body as KubeObject).metadata.uid ?? '';
    await journalsOver(api.call).create(uid, journal, { namespace: 'team-a', name });
    return uid;
  }
  const uid = await addRds('shop', options.spec ?? { endpoint: ENDPOINT }, options.journal);
  const rds = async (name = 'shop'): Promise<KubeObject> =>
    (await api.call({ method: 'GET', path: `${path}/${name}`, deadlineMs: DEADLINE_MS })).body as KubeObject;

  const asked: string[] = [];
  const lines: string[] = [];
  /** Each with a memory of its own, as another pod has it. */
  function startReplica() {
    const outcomes: Outcome[] = [];
    const outside = createHttpsGet({
      ca: `${tlsOfHost.ca}${trusted.pem}`,
      limits: { bytes: 64 * 1024, ms: options.getMs ?? 5_000 },
    });
    const find = createFindRds(journalsOver(call), call, DEADLINE_MS);
    const app = createReceiver({
      find,
      nudge: createNudge(find, call, DEADLINE_MS),
      messageService: async () => SERVICE,
      get: (link) => {
        asked.push(link);
        return outside.get(link);
      },
      extraHosts: [smn.host, stranger.host],
      ca: trusted.pem,
      count: (outcome) => void outcomes.push(outcome),
      https: undefined,
      clock,
      log: pino({ level: 'trace' }, { write: (line: string) => void lines.push(line) }),
      ...(options.limits ? { limits: options.limits } : {}),
    });
    t.teardown(async () => {
      await app.close();
      await outside.close();
    });
    const post = async (body: string, headers: Record<string, string> = {}) => {
      const answer = await app.inject({
        method: 'POST',
        url: '/otc',
        headers: { 'content-type': 'application/json; charset=utf-8', ...headers },
        payload: body,
      });
      return { status: answer.statusCode, body: answer.body, outcome: outcomes.at(-1) };
    };
    return { app, post, outcomes };
  }

  const topicUrn = (of = uid): string => `urn:smn:eu-de:${PROJECT}:${topicName(of)}`;
  let messages = 0;
  /** What SMN would post, signed after `changes`. */
  function letter(changes: Fields = {}, key = signerKeys.privateKey): Fields {
    messages += 1;
    const fields: Fields = {
      type: 'Notification',
      topic_urn: topicUrn(),
      message_id: `${messages}`.padStart(32, '0'),
      message: JSON.stringify({
        message_type: 'alarm',
        alarm_status: 'alarm',
        metric_name: 'rds039_disk_util',
      }),
      subject: 'Disk',
      timestamp: stamp(time.now),
      ...changes,
    };
    if (fields.type !== 'Notification') {
      fields.subject = '';
      fields.subscribe_url ??= confirmLink();
    }
    const sent = Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ''));
    return {
      signing_cert_url: `https://${smn.host}/smn/${FILE}`,
      signature_version: 'v1',
      ...sent,
      signature: signature(fields, key),
    };
  }
  const confirmLink = (host = smn.host, urn = topicUrn()): string =>
    `https://${host}/smn/subscription/confirm?token=t0ken&topic_urn=${urn}&region=eu-de&region_id=eu-de`;

  const replica = startReplica();
  return {
    ...replica,
    startReplica,
    time,
    smn,
    stranger,
    unlisted,
    cluster,
    kube: api.call,
    writes,
    asked,
    lines,
    uid,
    addRds,
    removeRds: (name: string) =>
      api.call({ method: 'DELETE', path: `${path}/${name}`, deadlineMs: DEADLINE_MS }),
    rds,
    mark: async (name?: string) => (await rds(name)).metadata.annotations?.[ANNOTATIONS.alarm],
    topicUrn,
    letter,
    confirmLink,
  };
}

export type Stage = Awaited<ReturnType<typeof stage>>;
