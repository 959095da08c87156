// The loop's way to the API server: failures as errors, updates that retry on conflict, silence after a stop.

import type { Clock } from '../clock.ts';
import type { KubeCall, KubeObject, KubeRequest } from '../kube/api.ts';
import { isRecord } from './json.ts';
import { objectPath, type Resource } from './resources.ts';

export const fieldManager = 'metacontroller';

/** A refusal by the API server. */
class KubeFailure extends Error {
  readonly status: number;
  readonly reason: string;

  constructor(status: number, reason: string, message: string) {
    super(message);
    this.name = 'KubeFailure';
    this.status = status;
    this.reason = reason;
  }
}

/** The loop was stopped while this sync was under way: it ends here, without a trace. */
export class Stopped extends Error {}

export const isNotFound = (error: unknown): boolean => error instanceof KubeFailure && error.status === 404;
export const isConflict = (error: unknown): boolean =>
  error instanceof KubeFailure && error.status === 409 && error.reason === 'Conflict';

export type KubeClient = {
  send(request: Omit<KubeRequest, 'deadlineMs'>): Promise<KubeObject>;
  get(resource: Resource, metadata: { namespace?: string | undefined; name: string }): Promise<KubeObject>;
  /**
   * Reads live, lets `change` make the wanted object (undefined: leave it) and writes it, with four tries on
   * conflict. Another UID under the same name counts as not found.
   */
  update(
    resource: Resource,
    original: KubeObject,
    change: (live: KubeObject) => KubeObject | undefined,
    subresource?: 'status',
  ): Promise<KubeObject>;
};

const deadlineMs = 30_000;
const retryDelaysMs = [10, 50, 250];

export const createKubeClient = (call: KubeCall, clock: Clock, isStopped: () => boolean): KubeClient => {
  const send: KubeClient['send'] = async (request) => {
    if (isStopped()) throw new Stopped();
    const response = await call({ ...request, deadlineMs });
    if (isStopped()) throw new Stopped();
    if (response.status < 300) return response.body as KubeObject;
    const body = isRecord(response.body) ? response.body : {};
    const message = typeof body.message === 'string' ? body.message : `status ${response.status}`;
    throw new KubeFailure(response.status, String(body.reason ?? ''), message);
  };

  const get: KubeClient['get'] = (resource, metadata) =>
    send({ method: 'GET', path: objectPath(resource, metadata) });

  const updateOnce: KubeClient['update'] = async (resource, original, change, subresource) => {
    const { name, uid } = original.metadata;
    const live = await get(resource, original.metadata);
    if (live.metadata.uid !== uid) {
      throw new KubeFailure(404, 'NotFound', `${resource.plural}.${resource.group} "${name}" not found`);
    }
    const next = change(live);
    if (!next) return live;
    const path = `${objectPath(resource, original.metadata)}${subresource ? `/${subresource}` : ''}`;
    return send({ method: 'PUT', path: `${path}?fieldManager=${fieldManager}`, body: next });
  };

  const update: KubeClient['update'] = async (...args) => {
    for (const delayMs of retryDelaysMs) {
      try {
        return await updateOnce(...args);
      } catch (error) {
        if (!isConflict(error)) throw error;
        await clock.sleep(delayMs);
      }
    }
    return updateOnce(...args);
  };

  return { send, get, update };
};
