// Every change of an object on its way into the store: preconditions, status split, admission, generation,
// ownership of fields, and removal when the last finalizer goes.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import {
  ApiFailure,
  alreadyExists,
  conflict,
  invalid,
  notFound,
  rejected,
  terminating,
} from './api-errors.ts';
import { withBuiltInDefaults } from './built-in-defaults.ts';
import { copyJson } from './json.ts';
import { recordUpdate, type Writer } from './managed-fields.ts';
import { apiVersionOf, type Resource } from './resources.ts';
import type { Store } from './store.ts';

export type Admission = (
  next: KubeObject,
  previous: KubeObject | undefined,
) => { object: KubeObject } | { reject: { status: number; message: string } };

export type WriteOptions = {
  writer: Writer;
  dryRun: boolean;
  /** Turns the admitted object into the one with its owners; server-side apply has its own way. */
  record?: (previous: KubeObject | undefined, next: KubeObject) => KubeObject;
};

export type TellsOwners = (resource: Resource, subresource: string | undefined) => boolean;

export type Writes = ReturnType<typeof createWrites>;

const namePattern = /^[a-z0-9]([-a-z0-9.:]*[a-z0-9])?$/;

let lastStamp = { second: Number.NaN, text: '' };

/** Many writes fall into one second. */
export const timestamp = (ms: number): string => {
  const second = Math.floor(ms / 1000);
  if (lastStamp.second !== second)
    lastStamp = { second, text: `${new Date(ms).toISOString().slice(0, 19)}Z` };
  return lastStamp.text;
};

/** Everything that counts for the generation. */
const wishes = (object: KubeObject): unknown => {
  const { metadata: _metadata, status: _status, ...rest } = object;
  return rest;
};

const withoutOwners = (object: KubeObject): unknown => {
  const { managedFields: _managedFields, resourceVersion: _version, ...metadata } = object.metadata;
  return { ...object, metadata };
};

export const createWrites = (
  store: Store,
  clock: Clock,
  newUid: () => string,
  admission: Readonly<Record<string, Admission>>,
  tellsOwners: TellsOwners = () => true,
) => {
  const admit = (resource: Resource, next: KubeObject, previous: KubeObject | undefined): KubeObject => {
    const defaulted = withBuiltInDefaults(next);
    const verdict = admission[resource.kind]?.(copyJson(defaulted), previous) ?? { object: defaulted };
    if ('reject' in verdict) throw rejected(resource, next.metadata.name, verdict.reject);
    const object = copyJson(verdict.object);
    return { ...object, metadata: { ...object.metadata, ...identity(defaulted) } };
  };

  const recorded = (
    resource: Resource,
    previous: KubeObject | undefined,
    next: KubeObject,
    options: WriteOptions,
  ): KubeObject => {
    if (options.record) return options.record(previous, next);
    const { writer } = options;
    return tellsOwners(resource, writer.subresource) ? recordUpdate(resource, previous, next, writer) : next;
  };

  const requireLiveNamespace = (resource: Resource, namespace: string, name: string): void => {
    const home = store.findNamespace(namespace);
    if (!home) {
      const details = { name: namespace, kind: 'namespaces' };
      throw new ApiFailure(404, `namespaces "${namespace}" not found`, details);
    }
    if (home.metadata.deletionTimestamp) throw terminating(resource, namespace, name);
  };

  const create = (
    resource: Resource,
    namespace: string | undefined,
    body: KubeObject,
    options: WriteOptions,
  ): KubeObject => {
    const uid = newUid();
    const generated = (body.metadata as { generateName?: string }).generateName;
    const name = body.metadata.name ?? (generated ? `${generated}${uid.slice(0, 5)}` : '');
    if (!namePattern.test(name)) throw invalid(resource, name, `metadata.name: Invalid value: "${name}"`);
    if (namespace !== undefined) requireLiveNamespace(resource, namespace, name);
    if (store.get(resource, namespace, name)) throw alreadyExists(resource, name);
    const { deletionTimestamp: _deletion, managedFields: _managed, ...metadata } = body.metadata;
    const { status, ...rest } = body;
    const admitted = admit(
      resource,
      {
        ...rest,
        ...(resource.hasStatus || status === undefined ? {} : { status }),
        apiVersion: apiVersionOf(resource),
        kind: resource.kind,
        metadata: {
          ...metadata,
          name,
          ...(namespace === undefined ? {} : { namespace }),
          uid,
          creationTimestamp: timestamp(clock.now()),
          ...(resource.hasGeneration ? { generation: 1 } : {}),
        },
      },
      undefined,
    );
    const next = recorded(resource, undefined, admitted, options);
    return options.dryRun ? next : store.put(resource, next);
  };

  const find = (resource: Resource, namespace: string | undefined, name: string): KubeObject => {
    const found = store.get(resource, namespace, name);
    if (!found) throw notFound(resource, name);
    return found;
  };

  /** `next` is the whole object as the client wants it. */
  const replace = (
    resource: Resource,
    previous: KubeObject,
    next: KubeObject,
    part: 'main' | 'status',
    options: WriteOptions,
  ): KubeObject => {
    checkPreconditions(resource, previous, next.metadata);
    const wanted = part === 'status' ? withStatus(previous, next) : withoutStatus(resource, previous, next);
    const admitted = admit(resource, wanted, previous);
    refuseNewFinalizers(resource, previous, admitted);
    const bump = resource.hasGeneration && !deepEqual(wishes(previous), wishes(admitted)) ? 1 : 0;
    const generation = (previous.metadata.generation ?? 0) + bump;
    const counted = resource.hasGeneration
      ? { ...admitted, metadata: { ...admitted.metadata, generation } }
      : admitted;
    const owned = recorded(resource, previous, counted, options);
    const isSame =
      deepEqual(withoutOwners(previous), withoutOwners(owned)) &&
      deepEqual(previous.metadata.managedFields, owned.metadata.managedFields);
    if (isSame) return previous;
    return options.dryRun ? owned : commit(resource, owned);
  };

  const commit = (resource: Resource, next: KubeObject): KubeObject => {
    const isGone = next.metadata.deletionTimestamp && (next.metadata.finalizers ?? []).length === 0;
    // A Namespace has its own list of finalizers in spec; the lifecycle removes it.
    return isGone && resource.kind !== 'Namespace' ? store.remove(resource, next) : store.put(resource, next);
  };

  const deletionMarks = (resource: Resource, previous: KubeObject) => ({
    deletionTimestamp: timestamp(clock.now()),
    deletionGracePeriodSeconds: 0,
    ...(resource.hasGeneration ? { generation: (previous.metadata.generation ?? 0) + 1 } : {}),
  });

  /** Marks for deletion, or removes at once when nobody has to be asked. */
  const markDeleted = (resource: Resource, previous: KubeObject, finalizer?: string): KubeObject => {
    const before = previous.metadata.finalizers ?? [];
    const finalizers = finalizer && !before.includes(finalizer) ? [...before, finalizer] : before;
    if (finalizers.length === 0 && resource.kind !== 'Namespace') return store.remove(resource, previous);
    const isMarked = previous.metadata.deletionTimestamp !== undefined;
    if (isMarked && finalizers === before) return previous;
    const marks = isMarked ? {} : deletionMarks(resource, previous);
    const metadata = { ...previous.metadata, ...marks, ...(finalizers.length > 0 ? { finalizers } : {}) };
    return store.put(resource, { ...previous, metadata });
  };

  return { create, find, replace, commit, markDeleted };
};

const identity = (object: KubeObject) => {
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...fixed } = object.metadata;
  return fixed;
};

const withStatus = (previous: KubeObject, next: KubeObject): KubeObject => {
  const { status: _status, ...rest } = previous;
  const base = { ...rest, metadata: previous.metadata, apiVersion: previous.apiVersion, kind: previous.kind };
  return next.status === undefined ? base : { ...base, status: next.status };
};

const withoutStatus = (resource: Resource, previous: KubeObject, next: KubeObject): KubeObject => {
  const { labels, annotations, finalizers, ownerReferences } = next.metadata;
  const { labels: _l, annotations: _a, finalizers: _f, ownerReferences: _o, ...fixed } = previous.metadata;
  const metadata = copyJson({
    ...fixed,
    labels,
    annotations,
    finalizers: finalizers?.length ? finalizers : undefined,
    ownerReferences: ownerReferences?.length ? ownerReferences : undefined,
  });
  const wanted: KubeObject = { ...next, apiVersion: previous.apiVersion, kind: previous.kind, metadata };
  if (!resource.hasStatus) return wanted;
  delete wanted.status;
  return previous.status === undefined ? wanted : { ...wanted, status: previous.status };
};

export const checkPreconditions = (
  resource: Resource,
  previous: KubeObject,
  wanted: { uid?: string | undefined; resourceVersion?: string | undefined },
): void => {
  const { name, uid, resourceVersion } = previous.metadata;
  if (wanted.uid && wanted.uid !== uid) {
    const why = `Precondition failed: UID in precondition: ${wanted.uid}, UID in object meta: ${uid}`;
    throw conflict(resource, name, why);
  }
  if (wanted.resourceVersion && wanted.resourceVersion !== resourceVersion) throw conflict(resource, name);
};

const refuseNewFinalizers = (resource: Resource, previous: KubeObject, next: KubeObject): void => {
  if (!previous.metadata.deletionTimestamp) return;
  const before = previous.metadata.finalizers ?? [];
  const added = (next.metadata.finalizers ?? []).filter((one) => !before.includes(one));
  if (added.length === 0) return;
  const why = `metadata.finalizers: Forbidden: no new finalizers can be added if the object is being deleted, found new finalizers ${JSON.stringify(added)}`;
  throw invalid(resource, next.metadata.name, why);
};
