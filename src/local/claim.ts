// Which children belong to a parent: owned ones, orphans that match are adopted, owned ones that do not are let go.

import type { KubeObject } from '../kube/api.ts';
import type { ChildKind, CompositeController } from './composite-controller.ts';
import type { Informers } from './informer.ts';
import { isRecord } from './json.ts';
import { isNotFound, type KubeClient } from './kube-client.ts';
import { addObjects, type ObjectMap, sortMap } from './object-maps.ts';
import { controllerReference } from './owners.ts';
import type { Resource } from './resources.ts';
import { asLabelSelector, isEmptySelector, type LabelSelector, matchesSelector } from './selectors.ts';

export const childSelector = (controller: CompositeController, parent: KubeObject): LabelSelector => {
  if (controller.generateSelector) return { matchLabels: { 'controller-uid': parent.metadata.uid ?? '' } };
  const selector = asLabelSelector(isRecord(parent.spec) ? parent.spec.selector : undefined);
  if (!selector || isEmptySelector(selector)) {
    throw new Error('.spec.selector must have either matchLabels, matchExpressions, or both');
  }
  return selector;
};

export type Claim = (parent: KubeObject) => Promise<ObjectMap>;

export const createClaim = (
  controller: CompositeController,
  client: KubeClient,
  informers: Informers,
): Claim => {
  const adopt = async (parent: KubeObject, resource: Resource, child: KubeObject): Promise<boolean> => {
    const live = await client.get(controller.parent, parent.metadata);
    if (live.metadata.uid !== parent.metadata.uid || live.metadata.deletionTimestamp) {
      throw new Error(`can't adopt ${child.kind} ${child.metadata.name}: the parent has just been deleted`);
    }
    return setOwners(resource, child, (owners) => [...owners, controllerReference(parent)]);
  };

  const release = (parent: KubeObject, resource: Resource, child: KubeObject): Promise<boolean> =>
    setOwners(resource, child, (owners) => owners.filter((one) => one.uid !== parent.metadata.uid));

  const setOwners = async (
    resource: Resource,
    child: KubeObject,
    change: (owners: NonNullable<KubeObject['metadata']['ownerReferences']>) => typeof owners,
  ): Promise<boolean> => {
    try {
      await client.update(resource, child, (live) => ({
        ...live,
        metadata: { ...live.metadata, ownerReferences: change(live.metadata.ownerReferences ?? []) },
      }));
      return true;
    } catch (error) {
      if (isNotFound(error)) return false;
      throw error;
    }
  };

  const keepOwned = async (parent: KubeObject, selector: LabelSelector, { ref, resource }: ChildKind) => {
    const kept: KubeObject[] = [];
    for (const child of informers.open(ref).listOwnedBy(parent.metadata.uid ?? '', scopeOf(parent))) {
      if (matchesSelector(selector, child.metadata.labels)) kept.push(child);
      else if (!parent.metadata.deletionTimestamp) await release(parent, resource, child);
    }
    return kept;
  };

  const adoptOrphans = async (parent: KubeObject, selector: LabelSelector, { ref, resource }: ChildKind) => {
    if (parent.metadata.deletionTimestamp) return [];
    const adopted: KubeObject[] = [];
    for (const child of informers.open(ref).listOwnedBy(undefined, scopeOf(parent))) {
      const isWanted = !child.metadata.deletionTimestamp && matchesSelector(selector, child.metadata.labels);
      if (isWanted && (await adopt(parent, resource, child))) adopted.push(child);
    }
    return adopted;
  };

  const scopeOf = (parent: KubeObject): string | undefined =>
    controller.parent.namespaced ? parent.metadata.namespace : undefined;

  return async (parent) => {
    const selector = childSelector(controller, parent);
    const map: ObjectMap = {};
    for (const kind of controller.children) {
      addObjects(map, kind.resource, await keepOwned(parent, selector, kind));
      addObjects(map, kind.resource, await adoptOrphans(parent, selector, kind));
    }
    return sortMap(map);
  };
};
