// Makes the observed children into the desired ones: deletes first, then server-side apply, kind by kind.

import type { KubeObject } from '../kube/api.ts';
import type { CompositeController } from './composite-controller.ts';
import { fieldManager, isConflict, isNotFound, type KubeClient, Stopped } from './kube-client.ts';
import { groupByKind, type ObjectMap } from './object-maps.ts';
import { controllerReference } from './owners.ts';
import { findByKind, groupKey, objectPath, type Resource, sortKey } from './resources.ts';
import { keyOf } from './store.ts';

type LastApplied = {
  sent: string;
  generation: number | undefined;
  version: string | undefined;
  uid: string | undefined;
};

type WireForm = { uid: string | undefined; body: KubeObject; sent: string };

export type ManageChildren = (
  parent: KubeObject,
  observed: ObjectMap,
  desired: readonly KubeObject[],
) => Promise<void>;

export type ManageChildrenOptions = {
  controller: CompositeController;
  resources: readonly Resource[];
  client: KubeClient;
  /** The real one walks a Go map: the order inside a kind is random. */
  shuffle: <T>(items: T[]) => T[];
};

export const createManageChildren = (options: ManageChildrenOptions): ManageChildren => {
  const { controller, client, shuffle } = options;
  const lastApplied = new Map<string, LastApplied>();
  const wireForms = new WeakMap<KubeObject, WireForm>();
  const kinds = [...controller.children].sort(byKind);
  /** Desired -> the observed children with which nothing was to do, and after how many writes. */
  const settled = new WeakMap<readonly KubeObject[], { observed: ObjectMap; writes: number }>();
  let writes = 0;

  const remove = async (resource: Resource, child: KubeObject): Promise<void> => {
    const body = { preconditions: { uid: child.metadata.uid }, propagationPolicy: 'Background' };
    writes += 1;
    try {
      await client.send({ method: 'DELETE', path: objectPath(resource, child.metadata), body });
      lastApplied.delete(cacheKey(resource, child));
    } catch (error) {
      if (!isNotFound(error)) throw error;
    }
  };

  const apply = async (
    resource: Resource,
    parent: KubeObject,
    observed: KubeObject | undefined,
    desired: KubeObject,
  ): Promise<void> => {
    writes += 1;
    if (observed?.metadata.deletionTimestamp) return;
    const { body, sent } = wireForm(parent, desired);
    const key = cacheKey(resource, desired);
    const remember = (object: KubeObject): void => {
      const { generation, resourceVersion: version, uid } = object.metadata;
      lastApplied.set(key, { sent, generation, version, uid });
    };
    if (observed && methodOf(resource) === 'OnDelete') {
      remember(observed);
      return;
    }
    const path = `${objectPath(resource, desired.metadata)}?fieldManager=${fieldManager}&force=true`;
    const contentType = 'application/apply-patch+yaml';
    try {
      remember(await client.send({ method: 'PATCH', path, contentType, body }));
    } catch (error) {
      if (!isConflict(error)) throw error;
    }
  };

  const isAsSent = (
    resource: Resource,
    parent: KubeObject,
    observed: KubeObject,
    desired: KubeObject,
  ): boolean =>
    isUpToDate(lastApplied.get(cacheKey(resource, desired)), wireForm(parent, desired).sent, observed);

  /** Of the same answer, as long as the parent is the same. */
  const wireForm = (parent: KubeObject, desired: KubeObject): WireForm => {
    const uid = parent.metadata.uid;
    const known = wireForms.get(desired);
    if (known && known.uid === uid) return known;
    const body = claimed(parent, desired);
    const form = { uid, body, sent: JSON.stringify(body) };
    wireForms.set(desired, form);
    return form;
  };

  const methodOf = (resource: Resource): 'OnDelete' | 'InPlace' =>
    controller.children.find((one) => one.resource === resource)?.method ?? 'OnDelete';

  const deleteUnwanted = async (observed: ObjectMap, desired: readonly KubeObject[], problems: Problems) => {
    const wanted = namesOf(desired);
    for (const { resource } of kinds) {
      const children = Object.entries(observed[groupKey(resource)] ?? {});
      for (const [key, child] of shuffle(children)) {
        if (child.metadata.deletionTimestamp || wanted.has(`${groupKey(resource)} ${key}`)) continue;
        await problems.collect(`can't delete ${child.kind} ${key}`, () => remove(resource, child));
      }
    }
  };

  return async (parent, observed, desired) => {
    const last = settled.get(desired);
    if (last?.observed === observed && last.writes === writes) return;
    const before = writes;
    const problems = createProblems();
    await deleteUnwanted(observed, desired, problems);
    for (const { apiVersion, kind, objects } of groupByKind(desired)) {
      const resource = findByKind(options.resources, { apiVersion, kind });
      if (!resource) {
        problems.add(`unknown kind ${kind} in apiVersion "${apiVersion}"`);
        continue;
      }
      for (const [key, child] of shuffle([...objects])) {
        const before = observed[groupKey(resource)]?.[key];
        if (before && isAsSent(resource, parent, before, child)) continue;
        await problems.collect(`can't apply ${kind} ${key}`, () => apply(resource, parent, before, child));
      }
    }
    problems.raise();
    if (writes === before) settled.set(desired, { observed, writes });
  };
};

const names = new WeakMap<readonly KubeObject[], ReadonlySet<string>>();

/** The same list comes as long as the answer stays the same. */
const namesOf = (desired: readonly KubeObject[]): ReadonlySet<string> => {
  const known = names.get(desired);
  if (known) return known;
  const made = new Set(desired.map((one) => `${one.kind}.${one.apiVersion} ${keyOf(one.metadata)}`));
  names.set(desired, made);
  return made;
};

const byKind = (left: { resource: Resource }, right: { resource: Resource }): number =>
  sortKey(left.resource) < sortKey(right.resource) ? -1 : 1;

const cacheKey = (resource: Resource, object: KubeObject): string =>
  `${resource.group}/${resource.kind}/${keyOf(object.metadata)}`;

/** Drift that does not raise the generation goes unseen, except for kinds that have none. */
const isUpToDate = (last: LastApplied | undefined, sent: string, observed: KubeObject): boolean => {
  const { uid, generation, resourceVersion } = observed.metadata;
  if (!last || last.uid !== uid || last.sent !== sent || last.generation !== generation) return false;
  return generation !== undefined || last.version === resourceVersion;
};

/** What goes out: ours by owner reference, without what only the server may write. */
const claimed = (parent: KubeObject, desired: KubeObject): KubeObject => {
  const { status: _status, ...rest } = desired;
  const { name, namespace, labels, annotations, finalizers, ownerReferences = [] } = desired.metadata;
  const isOurs = ownerReferences.some((one) => one.uid === parent.metadata.uid);
  return {
    ...rest,
    apiVersion: desired.apiVersion,
    kind: desired.kind,
    metadata: {
      name,
      ...(namespace ? { namespace } : {}),
      ...(labels ? { labels } : {}),
      ...(annotations ? { annotations } : {}),
      ...(finalizers ? { finalizers } : {}),
      ownerReferences: isOurs ? ownerReferences : [...ownerReferences, controllerReference(parent)],
    },
  };
};

/** One failing object does not stop the others; the failures are told together. */
type Problems = ReturnType<typeof createProblems>;

const createProblems = () => {
  const found: string[] = [];
  return {
    add: (problem: string) => found.push(problem),
    async collect(what: string, attempt: () => Promise<void>): Promise<void> {
      try {
        await attempt();
      } catch (error) {
        if (error instanceof Stopped) throw error;
        found.push(`${what}: ${error instanceof Error ? error.message : String(error)}`);
      }
    },
    raise(): void {
      if (found.length > 0) throw new Error(found.length === 1 ? found[0] : `[${found.join(', ')}]`);
    },
  };
};
