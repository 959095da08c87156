// A small API client for tests: by path or by object, with one user's token. Refusals are errors that carry the
// status code and the server's own words.
import { readFile } from 'node:fs/promises';
import { Agent, request } from 'undici';
import { parseAllDocuments } from 'yaml';
import type { KubeObject } from '../../src/kube/api.ts';
import { type Watch, type WatchEvent, watchPath } from './kube-watch.ts';
import { type WaitOptions, waitFor } from './wait-for.ts';

export type KubeMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
export type Credentials = { url: string; ca: string; token: string };
export type Answer = { status: number; body: unknown };
export type PatchKind = 'merge' | 'json' | 'strategic';
export type ApplyOptions = { fieldManager?: string; force?: boolean; subresource?: 'status' };
export type DeleteOptions = {
  propagationPolicy?: 'Background' | 'Foreground' | 'Orphan';
  gracePeriodSeconds?: number;
  preconditions?: { uid?: string; resourceVersion?: string };
};

export type KubeClient = {
  /** Any status is an answer here; everything below throws KubeRefusal unless it is 2xx. */
  send: (method: KubeMethod, path: string, body?: unknown, contentType?: string) => Promise<Answer>;
  get: <T extends KubeObject = KubeObject>(path: string) => Promise<T>;
  /** Undefined when there is none. */
  find: <T extends KubeObject = KubeObject>(path: string) => Promise<T | undefined>;
  list: <T extends KubeObject = KubeObject>(path: string) => Promise<T[]>;
  create: <T extends KubeObject = KubeObject>(object: KubeObject) => Promise<T>;
  /** Compare-and-swap: the object carries the resourceVersion it was read with. */
  update: <T extends KubeObject = KubeObject>(object: KubeObject) => Promise<T>;
  apply: <T extends KubeObject = KubeObject>(object: KubeObject, options?: ApplyOptions) => Promise<T>;
  /** Every document of a YAML text, or of a file when the argument is a one-line name ending in .yaml or .yml. */
  applyYaml: (fileOrText: string, options?: ApplyOptions) => Promise<KubeObject[]>;
  patch: <T extends KubeObject = KubeObject>(path: string, patch: unknown, kind?: PatchKind) => Promise<T>;
  patchStatus: <T extends KubeObject = KubeObject>(path: string, status: unknown) => Promise<T>;
  /** False when there was nothing to delete. */
  delete: (path: string, options?: DeleteOptions) => Promise<boolean>;
  watch: (path: string, onEvent: (event: WatchEvent) => void) => Watch;
  /** The path of an object, from the server's own discovery. */
  pathOf: (object: KubeObject) => Promise<string>;
  waitForObject: <T extends KubeObject = KubeObject>(
    path: string,
    what: string,
    isIt: (object: T) => boolean,
    options?: WaitOptions,
  ) => Promise<T>;
  waitForGone: (path: string, options?: WaitOptions) => Promise<void>;
  /** A real token of a real service account (TokenRequest). */
  serviceAccountToken: (namespace: string, name: string) => Promise<string>;
  close: () => Promise<void>;
};

export class KubeRefusal extends Error {
  readonly status: number;
  readonly reason: string;
  constructor(method: string, path: string, { status, body }: Answer) {
    const told = (body ?? {}) as { message?: string; reason?: string };
    super(`${method} ${path}: ${status} ${told.message ?? JSON.stringify(body)}`);
    this.name = 'KubeRefusal';
    this.status = status;
    this.reason = told.reason ?? '';
  }
}

const PATCH_TYPES: Record<PatchKind, string> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
};

const isMissing = (error: unknown): boolean => error instanceof KubeRefusal && error.status === 404;

function parseObjects(text: string): KubeObject[] {
  return parseAllDocuments(text)
    .map((document) => {
      const [error] = document.errors;
      if (error) throw error;
      return document.toJS() as KubeObject | null;
    })
    .filter((object) => object !== null);
}

type Discovered = { kind: string; name: string; namespaced: boolean };

export function createKubeClient({ url, ca, token }: Credentials): KubeClient {
  const agent = new Agent({ connect: { ca }, keepAliveTimeout: 10_000 });
  const discovered = new Map<string, Discovered[]>();
  const watches = new Set<Watch>();

  const send: KubeClient['send'] = async (method, path, body, contentType = 'application/json') => {
    const response = await request(url + path, {
      dispatcher: agent,
      method,
      headers: {
        authorization: `Bearer ${token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      body: body === undefined ? null : JSON.stringify(body),
      bodyTimeout: 300_000,
      headersTimeout: 300_000,
    });
    const text = await response.body.text();
    const isJson = String(response.headers['content-type'] ?? '').includes('json');
    return { status: response.statusCode, body: isJson && text !== '' ? JSON.parse(text) : text };
  };

  const ask = async <T>(
    method: KubeMethod,
    path: string,
    body?: unknown,
    contentType?: string,
  ): Promise<T> => {
    const answer = await send(method, path, body, contentType);
    if (answer.status >= 300) throw new KubeRefusal(method, path, answer);
    return answer.body as T;
  };

  const collectionOf = async ({ apiVersion, kind, metadata }: KubeObject): Promise<string> => {
    const root = apiVersion.includes('/') ? `/apis/${apiVersion}` : `/api/${apiVersion}`;
    const known = () => discovered.get(root)?.find((resource) => resource.kind === kind);
    if (!known()) {
      const { resources } = await ask<{ resources: Discovered[] }>('GET', root);
      discovered.set(
        root,
        resources.filter(({ name }) => !name.includes('/')),
      );
    }
    const resource = known();
    if (!resource) throw new Error(`the API server knows no ${kind} in ${apiVersion}`);
    return resource.namespaced
      ? `${root}/namespaces/${metadata.namespace ?? 'default'}/${resource.name}`
      : `${root}/${resource.name}`;
  };

  const pathOf = async (object: KubeObject) => `${await collectionOf(object)}/${object.metadata.name}`;

  const apply: KubeClient['apply'] = async (object, options = {}) => {
    const { fieldManager = 'test', force = true, subresource } = options;
    const path = `${await pathOf(object)}${subresource ? `/${subresource}` : ''}`;
    const query = `?fieldManager=${encodeURIComponent(fieldManager)}&force=${force}`;
    return ask('PATCH', path + query, object, 'application/apply-patch+yaml');
  };

  const find: KubeClient['find'] = <T extends KubeObject>(path: string) =>
    ask<T>('GET', path).catch((error: unknown) => {
      if (isMissing(error)) return undefined;
      throw error;
    });

  return {
    send,
    find,
    apply,
    pathOf,
    get: (path) => ask('GET', path),
    list: async <T extends KubeObject>(path: string) => {
      // Items of a list carry no kind of their own.
      const list = await ask<{ apiVersion: string; kind: string; items: T[] }>('GET', path);
      const kind = list.kind.replace(/List$/, '');
      return list.items.map((item) => ({ ...item, apiVersion: list.apiVersion, kind }));
    },
    create: async (object) => ask('POST', await collectionOf(object), object),
    update: async (object) => ask('PUT', await pathOf(object), object),
    applyYaml: async (fileOrText, options) => {
      const isFile = /^[^\n]+\.ya?ml$/.test(fileOrText);
      const applied: KubeObject[] = [];
      for (const object of parseObjects(isFile ? await readFile(fileOrText, 'utf8') : fileOrText)) {
        applied.push(await apply(object, options));
      }
      return applied;
    },
    patch: (path, patch, kind = 'merge') => ask('PATCH', path, patch, PATCH_TYPES[kind]),
    patchStatus: (path, status) => ask('PATCH', `${path}/status`, { status }, PATCH_TYPES.merge),
    delete: (path, options) =>
      ask('DELETE', path, options).then(
        () => true,
        (error: unknown) => {
          if (isMissing(error)) return false;
          throw error;
        },
      ),
    watch: (path, onEvent) => {
      const watch = watchPath({ url, token, agent, path, onEvent });
      watches.add(watch);
      return watch;
    },
    waitForObject: <T extends KubeObject>(
      path: string,
      what: string,
      isIt: (object: T) => boolean,
      options?: WaitOptions,
    ) => {
      let last: T | undefined;
      return waitFor(
        `${path}: ${what}`,
        async () => {
          last = await find<T>(path);
          if (last && isIt(last)) return last;
          throw new Error(last ? JSON.stringify(last.status ?? last) : 'there is none');
        },
        options,
      );
    },
    waitForGone: async (path, options) => {
      await waitFor(`${path} to be gone`, async () => (await find(path)) === undefined, options);
    },
    serviceAccountToken: async (namespace, name) => {
      const answer = await ask<{ status: { token: string } }>(
        'POST',
        `/api/v1/namespaces/${namespace}/serviceaccounts/${name}/token`,
        { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} },
      );
      return answer.status.token;
    },
    close: () => {
      for (const watch of watches) watch.close();
      return agent.destroy();
    },
  };
}
