// One POST to a hook and what counts as an answer: only a 200, only known fields, only in time.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import type { Hook } from './composite-controller.ts';
import { deepFreeze, isRecord, type JsonRecord, sharing } from './json.ts';
import { Stopped } from './kube-client.ts';
import type { Timers } from './timers.ts';

export type HookResponse = {
  status: number;
  /** Names in lower case. */
  headers: Readonly<Record<string, string>>;
  body: string;
  /** What the body says, from a hook in the same process: the text is not even made. */
  value?: JsonRecord;
};

export type CallHook = (path: string, body: unknown, timeoutMs: number) => Promise<HookResponse>;

/** The hook asked for a pause; no backoff, no event. */
export class TooManyRequests extends Error {
  readonly afterSeconds: number;

  constructor(afterSeconds: number) {
    super(`too many requests, retry after ${afterSeconds} s`);
    this.afterSeconds = afterSeconds;
  }
}

/** What would be a nil dereference in Go and end the whole process. */
export class Panic extends Error {}

export type SyncAnswer = {
  status: JsonRecord | undefined;
  children: KubeObject[];
  resyncAfterSeconds: number;
  finalized: boolean;
};

export type AskHook = (hook: Hook, body: unknown) => Promise<JsonRecord>;

const timedOut = Symbol('timed out');

export const createAskHook =
  (
    callHook: CallHook,
    clock: Clock,
    timers: Timers,
    isStopped: () => boolean,
    answers: LastAnswers,
  ): AskHook =>
  async (hook, body) => {
    if (isStopped()) throw new Stopped();
    const response = await inTime(timers, hook.timeoutMs, () => callHook(hook.path, body, hook.timeoutMs));
    if (isStopped()) throw new Stopped();
    if (response === timedOut) {
      throw new Error(`http error: Post "${hook.path}": context deadline exceeded (Client.Timeout exceeded)`);
    }
    if (response.status === 429) throw new TooManyRequests(retryAfterSeconds(response.headers, clock.now()));
    if (response.status !== 200) {
      throw new Error(`unsupported status code: ${response.status} body: ${response.body}`);
    }
    return answers.read(hook.path, uidIn(body), response);
  };

/** After a timeout nobody waits for the call any more, but it goes on: as in the real one. */
const inTime = <T>(timers: Timers, ms: number, call: () => Promise<T>): Promise<T | typeof timedOut> =>
  new Promise((resolve, reject) => {
    const cancel = timers.after(ms, () => resolve(timedOut));
    void call().then(resolve, reject).then(cancel);
  });

type Asked = { parent?: { metadata?: { uid?: unknown } }; object?: { metadata?: { uid?: unknown } } };

const uidIn = (body: unknown): string => {
  const { parent, object } = (body ?? {}) as Asked;
  return String((parent ?? object)?.metadata?.uid);
};

type Answered = { text: string | undefined; parsed: JsonRecord };

/** A parent at rest gets the same answer again and again: read once, and the same object as long as it lasts. */
export const createLastAnswers = () => {
  const last = new Map<string, Map<string, Answered>>();

  // Frozen, so that nothing on its way into the store copies it.
  const readAnew = (known: Answered | undefined, response: HookResponse): JsonRecord =>
    response.value
      ? (sharing(known?.parsed, response.value) as JsonRecord)
      : deepFreeze(parseBody(response.body));

  return {
    read(path: string, uid: string, response: HookResponse): JsonRecord {
      const byPath = last.get(uid) ?? new Map<string, Answered>();
      last.set(uid, byPath);
      const known = byPath.get(path);
      const text = response.value ? undefined : response.body;
      if (known && text !== undefined && known.text === text) return known.parsed;
      const parsed = readAnew(known, response);
      byPath.set(path, { text, parsed });
      return parsed;
    },
    forget: (uid: string): void => void last.delete(uid),
  };
};

export type LastAnswers = ReturnType<typeof createLastAnswers>;

const retryAfterSeconds = (headers: Readonly<Record<string, string>>, now: number): number => {
  const text = headers['retry-after'] ?? '';
  if (/^[+-]?\d+$/.test(text)) return Number(text);
  const date = Date.parse(text);
  return Number.isNaN(date) ? 0 : Math.ceil((date - now) / 1000);
};

const parseBody = (text: string): JsonRecord => {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch (error) {
    throw new Error(`can't unmarshal webhookResponse (version: v2): ${String(error)}`);
  }
  if (!isRecord(parsed)) throw new Error("can't unmarshal webhookResponse (version: v2): not an object");
  return parsed;
};

const refuseUnknown = (answer: JsonRecord, known: readonly string[]): void => {
  const unknown = Object.keys(answer).filter((key) => !known.includes(key));
  if (unknown.length > 0) {
    throw new Error(`strict validation failed for v2 webhookResponse: unknown field "${unknown[0]}"`);
  }
};

const optional = <T>(
  answer: JsonRecord,
  key: string,
  isRight: (value: unknown) => value is T,
): T | undefined => {
  const value = answer[key] ?? undefined;
  if (value === undefined || isRight(value)) return value;
  throw new Error(`can't unmarshal webhookResponse (version: v2): field "${key}" has the wrong type`);
};

const isNumber = (value: unknown): value is number => typeof value === 'number';
const isBoolean = (value: unknown): value is boolean => typeof value === 'boolean';
const isArray = (value: unknown): value is unknown[] => Array.isArray(value);

export const readSyncAnswer = (answer: JsonRecord, parent: KubeObject): SyncAnswer => {
  refuseUnknown(answer, ['status', 'children', 'resyncAfterSeconds', 'finalized']);
  const children = optional(answer, 'children', isArray) ?? [];
  return {
    status: optional(answer, 'status', isRecord),
    children: children.map((child) => readChild(child, parent)),
    resyncAfterSeconds: optional(answer, 'resyncAfterSeconds', isNumber) ?? 0,
    finalized: optional(answer, 'finalized', isBoolean) ?? false,
  };
};

export type DecorateAnswer = {
  /** null takes a key away. */
  labels: JsonRecord;
  annotations: JsonRecord;
  attachments: KubeObject[];
  resyncAfterSeconds: number;
};

export const readDecorateAnswer = (answer: JsonRecord, object: KubeObject): DecorateAnswer => {
  refuseUnknown(answer, [
    'labels',
    'annotations',
    'status',
    'attachments',
    'resyncAfterSeconds',
    'finalized',
  ]);
  const attachments = optional(answer, 'attachments', isArray) ?? [];
  return {
    labels: optional(answer, 'labels', isRecord) ?? {},
    annotations: optional(answer, 'annotations', isRecord) ?? {},
    attachments: attachments.map((one) => readChild(one, object)),
    resyncAfterSeconds: optional(answer, 'resyncAfterSeconds', isNumber) ?? 0,
  };
};

/** The same child comes in many answers. */
const children = new WeakMap<object, KubeObject>();

const readChild = (child: unknown, parent: KubeObject): KubeObject => {
  if (child === null)
    throw new Panic('invalid memory address or nil pointer dereference: children holds null');
  if (!isRecord(child) || typeof child.kind !== 'string') {
    throw new Error(
      `can't unmarshal webhookResponse (version: v2): Object 'Kind' is missing in '${JSON.stringify(child)}'`,
    );
  }
  const metadata = isRecord(child.metadata) ? child.metadata : {};
  const namespace = metadata.namespace || parent.metadata.namespace;
  const known = children.get(child);
  if (known && known.metadata.namespace === namespace) return known;
  const read = {
    ...child,
    apiVersion: typeof child.apiVersion === 'string' ? child.apiVersion : '',
    kind: child.kind,
    metadata: {
      ...metadata,
      name: String(metadata.name ?? ''),
      ...(namespace ? { namespace: String(namespace) } : {}),
    },
  };
  children.set(child, read);
  return read;
};

export const readCustomizeAnswer = (answer: JsonRecord): JsonRecord[] => {
  refuseUnknown(answer, ['relatedResources']);
  return (optional(answer, 'relatedResources', isArray) ?? []).filter(isRecord);
};
