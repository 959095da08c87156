// The user's cluster: a few calls, and for every refusal a sentence that says what is missing and what to do.

import type { KubeObject, KubeRequest, KubeResponse } from '../kube/api.ts';
import { KubeUnreachable } from '../kube/api.ts';
import type { RdsBackup } from '../rds/backup.ts';
import type { Rds } from '../rds/object.ts';
import { EXIT, Failure } from './failure.ts';
import type { KubeWire } from './http.ts';
import { didYouMean } from './near-names.ts';

const DEADLINE_MS = 15_000;
export const API = '/apis/otc.mcsps.de/v1alpha1';
export const API_VERSION = 'otc.mcsps.de/v1alpha1';
const FIELD_MANAGER = 'kubectl-rds';

export type RdsObject = Rds & KubeObject;
export type BackupObject = RdsBackup & KubeObject;

export type Cluster = {
  context: string;
  namespace: string;
  stream: KubeWire['stream'];
  /** undefined: there is no such object. */
  find<T = KubeObject>(path: string): Promise<T | undefined>;
  list<T = KubeObject>(path: string): Promise<T[]>;
  create<T = KubeObject>(path: string, object: unknown): Promise<T>;
  rds(name: string): Promise<RdsObject>;
  /** undefined: all namespaces. */
  rdss(namespace: string | undefined): Promise<RdsObject[]>;
  annotate(rds: RdsObject, annotations: Record<string, string>): Promise<void>;
};

const rdsPath = (namespace: string, name: string): string =>
  `${API}/namespaces/${encodeURIComponent(namespace)}/rdss/${encodeURIComponent(name)}`;

export function createCluster(wire: KubeWire, at: { context: string; namespace: string }): Cluster {
  const { context, namespace } = at;
  const reached = async <T>(answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      if (!(error instanceof KubeUnreachable)) throw error;
      throw new Failure(
        EXIT.unreachable,
        `No cluster: ${error.message}.`,
        `Context ${context} of your kubeconfig points there. Is the cluster up and your network the right one? Another one: --context NAME.`,
      );
    }
  };
  const call = (request: Omit<KubeRequest, 'deadlineMs'>): Promise<KubeResponse> =>
    reached(wire.call({ ...request, deadlineMs: DEADLINE_MS }));
  const find = async <T>(path: string): Promise<T | undefined> => {
    const { status, body } = await call({ method: 'GET', path });
    if (status === 200) return body as T;
    if (status === 404 && isAboutObject(body)) return undefined;
    throw refusal(status, body, context);
  };
  const list = async <T>(path: string): Promise<T[]> => {
    const { status, body } = await call({ method: 'GET', path });
    if (status === 200) return (body as { items: T[] }).items;
    throw refusal(status, body, context);
  };
  const rdss = (where: string | undefined): Promise<RdsObject[]> =>
    list(where === undefined ? `${API}/rdss` : `${API}/namespaces/${encodeURIComponent(where)}/rdss`);

  const missing = async (name: string): Promise<Failure> => {
    const here = (await rdss(namespace)).map(({ metadata }) => metadata.name);
    const elsewhere = (await rdss(undefined).catch(() => []))
      .filter(({ metadata }) => metadata.name === name)
      .map(({ metadata }) => metadata.namespace);
    const found = elsewhere.map((other) => `-n ${other}`).join(' or ');
    const remedy = found
      ? `There is one elsewhere: add ${found}.`
      : didYouMean(
          name,
          here,
          here.length > 0
            ? `There are: ${here.join(', ')}.`
            : `There is no Rds in ${namespace} at all. Another namespace: -n NAME; all: kubectl rds status -A.`,
        );
    return new Failure(EXIT.notFound, `There is no Rds ${name} in namespace ${namespace}.`, remedy);
  };

  return {
    context,
    namespace,
    stream: (path) => reached(wire.stream(path)),
    find,
    list,
    rdss,
    async create<T>(path: string, object: unknown): Promise<T> {
      const { status, body } = await call({
        method: 'POST',
        path: `${path}?fieldManager=${FIELD_MANAGER}`,
        body: object,
      });
      if (status === 201) return body as T;
      throw refusal(status, body, context);
    },
    async rds(name) {
      const found = await find<RdsObject>(rdsPath(namespace, name));
      if (found) return found;
      throw await missing(name);
    },
    async annotate({ metadata }, annotations) {
      const { status, body } = await call({
        method: 'PATCH',
        path: `${rdsPath(metadata.namespace, metadata.name)}?fieldManager=${FIELD_MANAGER}`,
        contentType: 'application/merge-patch+json',
        // The UID: never an order to another object of the same name.
        body: { metadata: { uid: metadata.uid, annotations } },
      });
      if (status !== 200) throw refusal(status, body, context);
    },
  };
}

type StatusBody = { message?: string; reason?: string; details?: { name?: string; kind?: string } };

/** A 404 about a kind has no name in it. */
const isAboutObject = (body: unknown): boolean => (body as StatusBody | null)?.details?.name !== undefined;

function refusal(status: number, body: unknown, context: string): Failure {
  const { message = `the API server answered ${status}` } = (body ?? {}) as StatusBody;
  if (status === 401) {
    return new Failure(
      EXIT.refused,
      `The API server does not accept the login of context ${context}.`,
      'Log in again (your token or certificate may have expired), or choose another context: --context NAME.',
    );
  }
  if (status === 403)
    return new Failure(EXIT.refused, `You may not do this: ${message}.`, missingRight(message));
  if (status === 404 && !isAboutObject(body)) {
    return new Failure(
      EXIT.unreachable,
      `The cluster of context ${context} does not know the kinds Rds and RdsBackup.`,
      'Install rds-pilot with its CRDs (docs/install.md), or choose another cluster: --context NAME.',
    );
  }
  if (status === 404) return new Failure(EXIT.notFound, `${message}.`);
  return new Failure(EXIT.failed, `The API server refuses this: ${message}`);
}

function missingRight(message: string): string {
  const [, verb = '', resource = '', , group = ''] =
    /cannot (\w+) resource "([\w/]+)"( in API group "([\w.]*)")?/.exec(message) ?? [];
  if (verb === '') return 'Ask whoever runs the cluster for the right.';
  const role = ['get', 'list', 'watch'].includes(verb) ? 'view' : 'edit';
  const ours =
    group === 'otc.mcsps.de'
      ? ` The ClusterRole ${role} has it where the chart of rds-pilot is installed.`
      : '';
  return `Missing: verb ${verb} on ${resource}${group ? `.${group}` : ''}.${ours}`;
}
