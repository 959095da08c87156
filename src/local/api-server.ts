// A Kubernetes API server in memory, as one function: good enough for the hook's own calls and for the loop.

import type { Clock } from '../clock.ts';
import type { KubeCall, KubeObject, KubeRequest, KubeResponse } from '../kube/api.ts';
import { ApiFailure, failureResponse, invalid, notFound } from './api-errors.ts';
import { createPathParser, type Target } from './api-path.ts';
import { copyJson, editableCopy, frozenCopy, isRecord, type JsonRecord, mergePatch } from './json.ts';
import { createLifecycle, finalizerOfDeletion } from './lifecycle.ts';
import { mergeForApply, recordApply, type Writer } from './managed-fields.ts';
import { apiVersionOf, findByRef, knownResources, type Resource } from './resources.ts';
import { matchesQuery } from './selectors.ts';
import { createStore } from './store.ts';
import type { Watch, WatchEvent } from './watch.ts';
import {
  type Admission,
  checkPreconditions,
  createWrites,
  type TellsOwners,
  timestamp,
  type WriteOptions,
} from './writes.ts';

export type ApiServerOptions = {
  clock: Clock;
  /** `seededUids(seed)` for a run that can be repeated, `randomUUID` for a laptop. */
  uid: () => string;
  /** By kind: defaulting, pruning and validation. */
  admission?: Readonly<Record<string, Admission>>;
  resources?: readonly Resource[];
  /** Namespaces that exist from the start. */
  namespaces?: readonly string[];
  /** How long garbage collection and namespace deletion wait; 0 does them within the same call. */
  collectAfterMs?: number;
  /** Answers are the stored objects themselves, frozen: cheaper, for callers that edit none. */
  sharesAnswers?: boolean;
  /** Whether `managedFields` tell of such a write; it costs as much as all the rest. All are told when this is missing. */
  tellsOwners?: TellsOwners;
};

export type ApiServer = {
  call: KubeCall;
  /** Everything that changes, from now on. */
  watch(listener: (event: WatchEvent) => void): () => void;
  /** One kind, with what exists already: what the loop listens to. */
  source: Watch;
  /** All objects, sorted by kind and key: for tests and tables. */
  dump(): KubeObject[];
};

type Named = Target & { name: string };

const isNamed = (target: Target): target is Named => target.name !== undefined;

export const createApiServer = (options: ApiServerOptions): ApiServer => {
  const { clock } = options;
  const handOut = options.sharesAnswers ? copyJson : editableCopy;
  const resources = options.resources ?? knownResources;
  const targetOf = createPathParser(resources);
  const store = createStore();
  const writes = createWrites(store, clock, options.uid, options.admission ?? {}, options.tellsOwners);
  const lifecycle = createLifecycle(store, writes, resources);

  // Collected only after the write that caused it is complete, never in the middle of it.
  const pending: (() => void)[] = [];
  const collectAfterMs = options.collectAfterMs ?? 0;
  store.listen((event, resource) => {
    const collect = () =>
      event.type === 'DELETED'
        ? lifecycle.afterRemoval(event.object, resource)
        : lifecycle.afterWrite(event.object.metadata.uid ?? '');
    if (collectAfterMs > 0) void clock.sleep(collectAfterMs).then(collect);
    else pending.push(collect);
  });

  const settle = (): void => {
    for (let next = pending.shift(); next; next = pending.shift()) next();
  };

  const writeOptions = (target: Target, operation: Writer['operation']): WriteOptions => ({
    writer: {
      manager: target.query.get('fieldManager') ?? 'unknown',
      operation,
      subresource: target.subresource,
      time: timestamp(clock.now()),
    },
    dryRun: target.query.get('dryRun') === 'All',
  });

  const list = (target: Target): KubeResponse => {
    const selector = target.query.get('labelSelector') ?? '';
    const wantedName = /(?:^|,)metadata\.name==?([^,]+)/.exec(target.query.get('fieldSelector') ?? '')?.[1];
    const items = store
      .list(target.resource, target.namespace)
      .filter((one) => matchesQuery(selector, one.metadata.labels))
      .filter((one) => wantedName === undefined || one.metadata.name === wantedName);
    return {
      status: 200,
      body: {
        kind: `${target.resource.kind}List`,
        apiVersion: apiVersionOf(target.resource),
        metadata: { resourceVersion: store.version() },
        items,
      },
    };
  };

  const create = (target: Target, body: KubeObject): KubeResponse => {
    checkNamespace(target, body);
    const created = writes.create(target.resource, target.namespace, body, writeOptions(target, 'Update'));
    return { status: 201, body: created };
  };

  const part = (target: Target): 'main' | 'status' => (target.subresource === 'status' ? 'status' : 'main');

  const update = (target: Named, body: KubeObject): KubeResponse => {
    const { resource, namespace, name } = target;
    checkNamespace(target, body);
    const previous = writes.find(resource, namespace, name);
    if (!body.metadata.resourceVersion && !resource.unconditionalUpdate) {
      const why = 'metadata.resourceVersion: Invalid value: 0x0: must be specified for an update';
      throw invalid(resource, name, why);
    }
    const next = writes.replace(resource, previous, body, part(target), writeOptions(target, 'Update'));
    return { status: 200, body: next };
  };

  const merge = (target: Named, patch: JsonRecord): KubeResponse => {
    const { resource, namespace, name } = target;
    const previous = writes.find(resource, namespace, name);
    const patched = mergePatch(previous, patch) as KubeObject;
    const next = writes.replace(resource, previous, patched, part(target), writeOptions(target, 'Update'));
    return { status: 200, body: next };
  };

  const apply = (target: Named, sent: KubeObject): KubeResponse => {
    const { resource, namespace, name, query } = target;
    checkNamespace(target, sent);
    if (!query.get('fieldManager'))
      throw new ApiFailure(422, 'fieldManager: Required value: is required for apply patch');
    if (sent.metadata.managedFields) throw new ApiFailure(400, 'metadata.managedFields must be nil');
    const how = writeOptions(target, 'Apply');
    const previous = store.get(resource, namespace, name);
    const own = part(target) === 'status' ? statusOnly(sent) : mainOnly(resource, sent);
    const merged = mergeForApply(resource, previous, own, how.writer);
    const conflicts = query.get('force') === 'true' ? [] : merged.conflicts();
    if (conflicts.length > 0) throw applyConflict(conflicts);
    const record: WriteOptions['record'] = (before, next) =>
      recordApply(resource, before, next, own, how.writer);
    const next = merged.object as KubeObject;
    if (!previous && target.subresource) throw notFound(resource, name);
    if (!previous) {
      const created = writes.create(resource, namespace, next, { ...how, record });
      return { status: 201, body: created };
    }
    // What the sender believes to be the version counts, not the one we merged with.
    const checked = withVersion(next, sent.metadata.resourceVersion);
    return {
      status: 200,
      body: writes.replace(resource, previous, checked, part(target), { ...how, record }),
    };
  };

  const patch = (target: Named, request: KubeRequest): KubeResponse => {
    const body = isRecord(request.body) ? received(request.body) : {};
    switch (request.contentType) {
      case 'application/apply-patch+yaml':
        return apply(target, asObject(body));
      case 'application/merge-patch+json':
      case 'application/strategic-merge-patch+json':
        return merge(target, body);
      default:
        throw new ApiFailure(415, `the body of the request was in an unknown format: ${request.contentType}`);
    }
  };

  const remove = (target: Named, body: unknown): KubeResponse => {
    const { resource, namespace, name } = target;
    const previous = writes.find(resource, namespace, name);
    const wish = isRecord(body) ? body : {};
    if (isRecord(wish.preconditions)) checkPreconditions(resource, previous, wish.preconditions);
    const policy = wish.propagationPolicy ?? target.query.get('propagationPolicy');
    const finalizer = finalizerOfDeletion(resource, typeof policy === 'string' ? policy : undefined);
    const last = writes.markDeleted(resource, previous, finalizer);
    return {
      status: 200,
      body: store.findByUid(last.metadata.uid ?? '') ? last : removedStatus(resource, last),
    };
  };

  const answer = (target: Target, request: KubeRequest): KubeResponse => {
    if (!isNamed(target)) {
      if (request.method === 'GET') return list(target);
      if (request.method === 'POST') return create(target, asObject(received(request.body)));
      throw new ApiFailure(405, `${request.method} is not supported on a collection`);
    }
    switch (request.method) {
      case 'GET':
        return { status: 200, body: writes.find(target.resource, target.namespace, target.name) };
      case 'PUT':
        return update(target, asObject(received(request.body)));
      case 'PATCH':
        return patch(target, request);
      case 'DELETE':
        return remove(target, request.body);
      default:
        throw new ApiFailure(405, `${request.method} is not supported on an object`);
    }
  };

  const call: KubeCall = async (request) => {
    try {
      const response = answer(targetOf(request.path), request);
      settle();
      return { status: response.status, body: handOut(response.body) };
    } catch (error) {
      if (error instanceof ApiFailure) return failureResponse(error);
      throw error;
    }
  };

  const source: Watch = (ref, listener) => {
    const resource = findByRef(resources, ref);
    if (!resource) throw new Error(`unknown resource ${ref.apiVersion}/${ref.resource}`);
    for (const object of store.list(resource)) listener({ type: 'ADDED', object });
    const stop = store.listen((event, changed) => {
      if (changed === resource) listener(event);
    });
    return { synced: Promise.resolve(), stop };
  };

  for (const name of options.namespaces ?? ['default']) {
    const target = targetOf('/api/v1/namespaces?fieldManager=local');
    create(target, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
  }

  return {
    call,
    watch: (listener) => store.listen((event) => listener(event)),
    source,
    dump: () => resources.flatMap((resource) => store.list(resource)),
  };
};

/** A copy of its own for the server; frozen, so that nothing on its way into the store copies it once more. */
const received = <T>(body: T): T => frozenCopy(body);

const asObject = (body: unknown): KubeObject => {
  if (!isRecord(body) || !isRecord(body.metadata))
    throw new ApiFailure(400, 'the body is not an object with metadata');
  return body as KubeObject;
};

const checkNamespace = (target: Target, body: KubeObject): void => {
  const { resource, namespace, name } = target;
  if (name !== undefined && body.metadata.name !== undefined && body.metadata.name !== name) {
    throw new ApiFailure(
      400,
      `the name of the object (${body.metadata.name}) does not match the name on the URL (${name})`,
    );
  }
  if (resource.namespaced && namespace === undefined) {
    throw new ApiFailure(400, 'an empty namespace may not be set during creation');
  }
  if (
    namespace !== undefined &&
    body.metadata.namespace !== undefined &&
    body.metadata.namespace !== namespace
  ) {
    throw new ApiFailure(
      400,
      'the namespace of the provided object does not match the namespace sent on the request',
    );
  }
};

const mainOnly = (resource: Resource, sent: KubeObject): KubeObject => {
  if (!resource.hasStatus) return sent;
  const { status: _status, ...rest } = sent;
  return { ...rest, apiVersion: sent.apiVersion, kind: sent.kind, metadata: sent.metadata };
};

const statusOnly = (sent: KubeObject): KubeObject => ({
  apiVersion: sent.apiVersion,
  kind: sent.kind,
  metadata: { name: sent.metadata.name },
  status: sent.status,
});

const withVersion = (object: KubeObject, resourceVersion: string | undefined): KubeObject => {
  const { resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata: resourceVersion ? { ...metadata, resourceVersion } : metadata };
};

const applyConflict = (conflicts: { manager: string }[]): ApiFailure => {
  const causes = conflicts.map((one) => ({
    reason: 'FieldManagerConflict',
    message: `conflict with "${one.manager}"`,
  }));
  const text = causes.map((one) => one.message).join(', ');
  return new ApiFailure(409, `Apply failed with ${conflicts.length} conflict(s): ${text}`, { causes });
};

const removedStatus = (resource: Resource, last: KubeObject): JsonRecord => ({
  kind: 'Status',
  apiVersion: 'v1',
  metadata: {},
  status: 'Success',
  details: { name: last.metadata.name, group: resource.group, kind: resource.plural, uid: last.metadata.uid },
});
