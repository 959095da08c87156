// The receiver of alarms, wired together: a push of the cloud makes the hook look sooner and is never believed
// beyond that. Whatever is not surely ours changes nothing.

import { rootCertificates } from 'node:tls';
import type { FastifyInstance } from 'fastify';
import type { Logger } from 'pino';
import type { Clock } from '../clock.ts';
import type { FindRds } from '../kube/find-rds.ts';
import type { Nudge } from '../kube/nudge.ts';
import type { MessageService } from '../otc/monitoring.ts';
import { createReadCertificate } from './certificates.ts';
import { type Anchors, anchorsOf } from './chain.ts';
import { createGate } from './gate.ts';
import type { HttpsGet } from './https-get.ts';
import { buildListener, LISTENER_LIMITS, type ListenerLimits } from './listener.ts';
import { obey } from './obey.ts';
import { type Outcome, type Refusal, Refused } from './outcome.ts';
import { createOwnService } from './own-service.ts';
import { createRefusalLog } from './refusal-log.ts';
import { createSeen } from './seen.ts';
import { OLDEST_MS, SKEW_MS, verify } from './verify.ts';

/** Of all senders together. SMN posts a message per alarm; a thousand databases make some per minute. */
const MESSAGES = { atOnce: 32, perSecond: 50, burst: 100 };
/** A new certificate comes once in months. */
const CERTIFICATES = { atOnce: 2, perSecond: 0.2, burst: 10 };

export type ReceiverDeps = {
  find: FindRds;
  nudge: Nudge;
  messageService: () => Promise<MessageService>;
  get: HttpsGet;
  /** `host` or `host:port`, beside the one of the catalog. */
  extraHosts: readonly string[];
  /** PEM of private authorities, trusted beside the public ones. */
  ca: string | undefined;
  count: (outcome: Outcome) => void;
  https: { cert: Buffer; key: Buffer } | undefined;
  clock: Clock;
  log: Logger;
  limits?: ListenerLimits;
};

export function createReceiver(deps: ReceiverDeps): FastifyInstance {
  const { clock, count, get } = deps;
  const own = createOwnService(deps.messageService, deps.extraHosts, clock);
  const links = async () => (await own()).links;
  const gate = createGate(clock, CERTIFICATES);
  const readCertificate = createReadCertificate({ get, gate, anchors: anchorsOnce(deps.ca), clock });
  const seen = createSeen(clock, OLDEST_MS + 2 * SKEW_MS);
  const note = createRefusalLog(deps.log, clock);
  const obeyDeps = { ...deps, links, messageService: async () => (await own()).service };

  async function hear(body: string): Promise<Outcome> {
    const verified = await verify(body, { links, readCertificate, now: clock.now });
    const id = `${verified.message.topicUrn} ${verified.message.messageId}`;
    if (!seen.isNew(id)) return 'replayed';
    try {
      return await obey(verified, obeyDeps);
    } catch (error) {
      seen.forget(id);
      throw error;
    }
  }

  const refuse = (reason: Refusal, error?: unknown) => {
    count(reason);
    note(reason, error);
    return reason;
  };

  async function receive(body: string): Promise<Outcome> {
    try {
      const outcome = await hear(body);
      count(outcome);
      return outcome;
    } catch (error) {
      if (error instanceof Refused) return refuse(error.reason, error);
      return refuse('unavailable', new Error('unavailable', { cause: error }));
    }
  }

  return buildListener({
    receive,
    refuse,
    gate: createGate(clock, MESSAGES),
    limits: deps.limits ?? LISTENER_LIMITS,
    https: deps.https,
  });
}

/** Reading some hundred certificates takes a moment, and most processes need none. */
function anchorsOnce(ca: string | undefined): () => Anchors {
  let anchors: Anchors | undefined;
  return () => {
    anchors ??= anchorsOf([...rootCertificates, ...(ca === undefined ? [] : [ca])]);
    return anchors;
  };
}
