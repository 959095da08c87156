// Which children belong to a parent: owned ones, orphans that match are adopted, owned ones that do not are let go.

import type { KubeObject } from '../kube/api.ts';
import type { ChildKind, CompositeController } from './composite-controller.ts';
import { type Informers, unchangedSince } from './informer.ts';
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

  let moves = 0;

  const letOthersGo = async (parent: KubeObject, { resource }: ChildKind, others: readonly KubeObject[]) => {
    moves += 1;
    for (const child of others)
      if (!parent.metadata.deletionTimestamp) await release(parent, resource, child);
  };

  const adoptAll = async (parent: KubeObject, { resource }: ChildKind, orphans: readonly KubeObject[]) => {
    moves += 1;
    const adopted: KubeObject[] = [];
    for (const child of orphans) if (await adopt(parent, resource, child)) adopted.push(child);
    return adopted;
  };

  const orphansFor = (parent: KubeObject, selector: LabelSelector, { ref }: ChildKind): KubeObject[] =>
    parent.metadata.deletionTimestamp
      ? []
      : informers
          .open(ref)
          .listOwnedBy(undefined, scopeOf(parent))
          .filter(
            (child) => !child.metadata.deletionTimestamp && matchesSelector(selector, child.metadata.labels),
          );

  const scopeOf = (parent: KubeObject): string | undefined =>
    controller.parent.namespaced ? parent.metadata.namespace : undefined;

  /** What a parent had when there was nothing to adopt or to let go, and how long that is true. */
  const settled = new Map<string, { map: ObjectMap; isCurrent: () => boolean }>();
  const opened = controller.children.map(({ ref }) => informers.open(ref));
  informers.open(controller.parentRef).subscribe({
    onAdd: () => {},
    onUpdate: () => {},
    onDelete: ({ metadata }) => void settled.delete(metadata.uid ?? ''),
  });

  const mayStay = ({ metadata }: KubeObject): boolean =>
    controller.generateSelector && metadata.deletionTimestamp === undefined;

  const knownOf = (parent: KubeObject): ObjectMap | undefined => {
    const known = mayStay(parent) ? settled.get(parent.metadata.uid ?? '') : undefined;
    return known?.isCurrent() ? known.map : undefined;
  };

  return async (parent) => {
    const known = knownOf(parent);
    if (known) return known;
    const movesBefore = moves;
    const isCurrent = unchangedSince(opened);
    const selector = childSelector(controller, parent);
    const map: ObjectMap = {};
    for (const kind of controller.children) {
      const owned = informers.open(kind.ref).listOwnedBy(parent.metadata.uid ?? '', scopeOf(parent));
      const others = owned.filter((child) => !matchesSelector(selector, child.metadata.labels));
      // Mostly there is nothing to wait for.
      if (others.length > 0) await letOthersGo(parent, kind, others);
      addObjects(
        map,
        kind.resource,
        others.length > 0 ? owned.filter((one) => !others.includes(one)) : owned,
      );
      const orphans = orphansFor(parent, selector, kind);
      if (orphans.length > 0) addObjects(map, kind.resource, await adoptAll(parent, kind, orphans));
    }
    const sorted = sortMap(map);
    if (mayStay(parent) && moves === movesBefore)
      settled.set(parent.metadata.uid ?? '', { map: sorted, isCurrent });
    return sorted;
  };
};
