// The controllers that every cluster has: the garbage collector, and the ends of namespaces and CRDs.

import type { KubeObject } from '../kube/api.ts';
import { isRecord } from './json.ts';
import type { Resource } from './resources.ts';
import type { Store, Stored } from './store.ts';
import type { Writes } from './writes.ts';

const cleanup = 'customresourcecleanup.apiextensions.k8s.io';
export const foreground = 'foregroundDeletion';
export const orphan = 'orphan';

export const createLifecycle = (store: Store, writes: Writes, resources: readonly Resource[]) => {
  const isLive = (uid: string): boolean => store.findByUid(uid) !== undefined;

  const remove = ({ resource, object }: Stored): void => {
    if (!object.metadata.deletionTimestamp) writes.markDeleted(resource, object);
  };

  const dropFinalizer = ({ resource, object }: Stored, name: string): void => {
    const finalizers = (object.metadata.finalizers ?? []).filter((one) => one !== name);
    const { finalizers: _finalizers, ...rest } = object.metadata;
    const metadata = finalizers.length > 0 ? { ...rest, finalizers } : rest;
    writes.commit(resource, { ...object, metadata });
  };

  const collectOrphaned = (stored: Stored): void => {
    const owners = stored.object.metadata.ownerReferences ?? [];
    if (owners.length > 0 && !owners.some((owner) => isLive(owner.uid))) remove(stored);
  };

  const deleteInForeground = (stored: Stored): void => {
    const dependents = store.dependentsOf(stored.object.metadata.uid ?? '');
    for (const dependent of dependents) remove(dependent);
    if (store.dependentsOf(stored.object.metadata.uid ?? '').length === 0) dropFinalizer(stored, foreground);
  };

  const releaseDependents = (stored: Stored): void => {
    const uid = stored.object.metadata.uid ?? '';
    for (const { resource, object } of store.dependentsOf(uid)) {
      const ownerReferences = (object.metadata.ownerReferences ?? []).filter((one) => one.uid !== uid);
      store.put(resource, { ...object, metadata: { ...object.metadata, ownerReferences } });
    }
    dropFinalizer(stored, orphan);
  };

  const everythingIn = (namespace: string): Stored[] =>
    resources
      .filter((resource) => resource.namespaced)
      .flatMap((resource) => store.list(resource, namespace).map((object) => ({ resource, object })));

  const emptyNamespace = (stored: Stored): void => {
    const status = { ...(isRecord(stored.object.status) ? stored.object.status : {}), phase: 'Terminating' };
    if (!isRecord(stored.object.status) || stored.object.status.phase !== 'Terminating') {
      store.put(stored.resource, { ...stored.object, status });
      return;
    }
    for (const one of everythingIn(stored.object.metadata.name)) remove(one);
    if (everythingIn(stored.object.metadata.name).length === 0) store.remove(stored.resource, stored.object);
  };

  const instancesOf = (definition: KubeObject): Stored[] =>
    resources
      .filter((one) => `${one.plural}.${one.group}` === definition.metadata.name)
      .flatMap((resource) => store.list(resource).map((object) => ({ resource, object })));

  const emptyDefinition = (stored: Stored): void => {
    for (const one of instancesOf(stored.object)) remove(one);
    if (instancesOf(stored.object).length === 0) dropFinalizer(stored, cleanup);
  };

  const settleDeleting = (stored: Stored): void => {
    const finalizers = stored.object.metadata.finalizers ?? [];
    if (stored.resource.kind === 'Namespace') emptyNamespace(stored);
    else if (finalizers.includes(orphan)) releaseDependents(stored);
    else if (finalizers.includes(foreground)) deleteInForeground(stored);
    else if (finalizers.includes(cleanup)) emptyDefinition(stored);
  };

  /** Looks at one object that was just written, as it is now. */
  const afterWrite = (uid: string): void => {
    const stored = store.findByUid(uid);
    if (!stored) return;
    if (stored.object.metadata.deletionTimestamp) settleDeleting(stored);
    else collectOrphaned(stored);
  };

  const namespaces = resources.find((one) => one.kind === 'Namespace' && one.group === '');
  const definitions = resources.find((one) => one.kind === 'CustomResourceDefinition');

  /** Looks at all that may have waited for an object that is gone now. */
  const afterRemoval = (gone: KubeObject, resource: Resource): void => {
    for (const dependent of store.dependentsOf(gone.metadata.uid ?? '')) collectOrphaned(dependent);
    const waiting = (gone.metadata.ownerReferences ?? []).map((owner) => owner.uid);
    const { namespace } = gone.metadata;
    const home = namespaces && namespace ? store.get(namespaces, undefined, namespace) : undefined;
    const definition =
      definitions && store.get(definitions, undefined, `${resource.plural}.${resource.group}`);
    for (const object of [home, definition]) if (object) waiting.push(object.metadata.uid ?? '');
    for (const uid of waiting) afterWrite(uid);
  };

  return { afterWrite, afterRemoval };
};

/** The finalizer that a deletion itself brings along. */
export const finalizerOfDeletion = (resource: Resource, policy: string | undefined): string | undefined => {
  if (resource.kind === 'CustomResourceDefinition') return cleanup;
  if (policy === 'Foreground') return foreground;
  return policy === 'Orphan' ? orphan : undefined;
};
