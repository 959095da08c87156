// The journal of an Rds is one Lease in our namespace. A Lease, because every cluster has them, no user
// edits them, and the API server gives compare-and-swap on resourceVersion.

import type { Journal } from '../rds/journal.ts';
import { ANNOTATIONS, journalName } from '../rds/names.ts';
import { type KubeCall, type KubeObject, type KubeResponse, KubeUnreachable, listObjects } from './api.ts';

/** The journal cannot be read or written now: nothing may be written to the cloud. */
export class JournalUnavailable extends Error {
  constructor(message: string, cause?: unknown) {
    super(message, { cause });
    this.name = 'JournalUnavailable';
  }
}

/** A journal as read or written by this call, with the version that the next swap must name. */
export type HeldJournal = { journal: Journal; uid: string; lease: KubeObject };

export type About = { namespace: string; name: string };

const ABOUT = 'otc.mcsps.de/rds';

/** Where the Rds of a journal is; its UID is in the name of the Lease. */
export function aboutOf({ lease }: HeldJournal): About | undefined {
  const [namespace, name] = lease.metadata.annotations?.[ABOUT]?.split('/') ?? [];
  return namespace && name ? { namespace, name } : undefined;
}

export type JournalStore = {
  /** Whether an Rds whose UID begins with these hex digits still has a say in its instance. */
  isLiving(uidDigits: string): Promise<boolean>;
  read(uid: string): Promise<HeldJournal | undefined>;
  /** undefined: another call was faster. */
  create(uid: string, journal: Journal, about: About): Promise<HeldJournal | undefined>;
  /** undefined: lost; the call must end and never try again on a newer version. */
  swap(held: HeldJournal, next: Journal): Promise<HeldJournal | undefined>;
};

type Options = { call: KubeCall; namespace: string; nonce: () => string; deadlineMs: number };

const NONCE = 'otc.mcsps.de/nonce';
export const JOURNAL_LABEL = 'otc.mcsps.de/lease';

export function createJournalStore(options: Options): JournalStore {
  const { call, namespace, nonce, deadlineMs } = options;
  const collection = `/apis/coordination.k8s.io/v1/namespaces/${namespace}/leases`;
  const path = (uid: string) => `${collection}/${journalName(uid)}`;

  async function send(request: Parameters<KubeCall>[0]): Promise<KubeResponse> {
    const answer = await call(request);
    if (answer.status === 401 || answer.status === 403) throw forbidden(answer, namespace);
    if (answer.status >= 500 || answer.status === 429) {
      throw new KubeUnreachable(`the API server answered ${answer.status} for a Lease`);
    }
    return answer;
  }

  async function read(uid: string): Promise<HeldJournal | undefined> {
    try {
      const answer = await send({ method: 'GET', path: path(uid), deadlineMs });
      if (answer.status === 404) return undefined;
      if (answer.status !== 200) throw unexpected('read', answer);
      return held(uid, answer.body as KubeObject);
    } catch (error) {
      throw unavailable(error);
    }
  }

  /** A write without an answer is won only if a re-read shows this call's nonce (protocol C2). */
  async function settle(uid: string, mark: string, cause: unknown): Promise<HeldJournal | undefined> {
    if (!(cause instanceof KubeUnreachable)) throw unavailable(cause);
    const answer = await send({ method: 'GET', path: path(uid), deadlineMs }).catch((error: unknown) => {
      throw unavailable(error);
    });
    if (answer.status !== 200) throw unavailable(cause);
    const lease = answer.body as KubeObject;
    return lease.metadata?.annotations?.[NONCE] === mark ? held(uid, lease) : undefined;
  }

  async function write(
    uid: string,
    mark: string,
    request: Parameters<KubeCall>[0],
  ): Promise<HeldJournal | undefined> {
    try {
      const answer = await send(request);
      // A Lease that was removed under us is as lost as a conflict; a 404 for a new one means no namespace.
      if (answer.status === 409 || (answer.status === 404 && request.method === 'PUT')) return undefined;
      if (answer.status !== 200 && answer.status !== 201) throw unexpected('write', answer);
      return held(uid, answer.body as KubeObject);
    } catch (error) {
      return settle(uid, mark, error);
    }
  }

  return {
    async isLiving(digits) {
      const prefix = journalName(`${digits.slice(0, 8)}-${digits.slice(8)}`);
      const path = `${collection}?labelSelector=${encodeURIComponent(`${JOURNAL_LABEL}=journal`)}`;
      try {
        const leases = await listObjects(send, path, deadlineMs);
        return leases.some((lease) => lease.metadata.name.startsWith(prefix) && !hasLetGo(lease));
      } catch (error) {
        throw unavailable(error);
      }
    },
    read,
    async create(uid, journal, about) {
      const mark = nonce();
      const empty: KubeObject = {
        apiVersion: 'coordination.k8s.io/v1',
        kind: 'Lease',
        metadata: {
          name: journalName(uid),
          namespace,
          labels: { [JOURNAL_LABEL]: 'journal' },
          annotations: { [ABOUT]: `${about.namespace}/${about.name}` },
        },
      };
      const body = written(empty, journal, mark);
      return write(uid, mark, { method: 'POST', path: collection, body, deadlineMs });
    },
    async swap(current, next) {
      const mark = nonce();
      // The resourceVersion of the read stays in the body: the API server refuses the PUT if it is not the newest.
      const body = written(current.lease, next, mark);
      return write(current.uid, mark, { method: 'PUT', path: path(current.uid), body, deadlineMs });
    },
  };
}

function written(lease: KubeObject, journal: Journal, mark: string): KubeObject {
  const annotations = {
    ...lease.metadata.annotations,
    [ANNOTATIONS.journal]: JSON.stringify(journal),
    [NONCE]: mark,
  };
  return { ...lease, metadata: { ...lease.metadata, annotations } };
}

function held(uid: string, lease: KubeObject): HeldJournal {
  const journal = parsed(lease.metadata?.annotations?.[ANNOTATIONS.journal]);
  // Anything else than a journal is not an empty one: what it should say is unknown.
  if (!journal || lease.metadata.resourceVersion === undefined) {
    throw new JournalUnavailable(
      `Lease ${journalName(uid)} is not a journal: its annotation ${ANNOTATIONS.journal} is missing or unreadable`,
    );
  }
  return { uid, lease, journal };
}

function hasLetGo(lease: KubeObject): boolean {
  return parsed(lease.metadata.annotations?.[ANNOTATIONS.journal])?.letGo === true;
}

function parsed(text: string | undefined): Journal | undefined {
  try {
    const value: unknown = JSON.parse(text ?? '');
    return typeof value === 'object' && value !== null && !Array.isArray(value) ? value : undefined;
  } catch {
    return undefined;
  }
}

function unexpected(verb: string, answer: KubeResponse): JournalUnavailable {
  const message = (answer.body as { message?: string } | undefined)?.message ?? '';
  return new JournalUnavailable(
    `cannot ${verb} the journal: the API server answered ${answer.status} ${message}`,
  );
}

function forbidden(answer: KubeResponse, namespace: string): JournalUnavailable {
  return new JournalUnavailable(
    `the API server answered ${answer.status}: rds-pilot needs get, create, update and delete on leases in namespace ${namespace}`,
  );
}

function unavailable(error: unknown): JournalUnavailable {
  if (error instanceof JournalUnavailable) return error;
  const reason = error instanceof Error ? error.message : String(error);
  return new JournalUnavailable(`the journal cannot be reached: ${reason}`, error);
}
