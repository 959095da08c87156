// The customize side: asks which objects a parent wants to see, gathers them, and wakes parents when they change.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import type { CompositeController } from './composite-controller.ts';
import { type AskHook, readCustomizeAnswer } from './hook-call.ts';
import type { Informer, Informers } from './informer.ts';
import { addObjects, type ObjectMap, sortMap } from './object-maps.ts';
import { matchesRule, type RelatedRule, readRule } from './related-rules.ts';
import { findByRef, type Resource } from './resources.ts';

/** Half the data would be worse than none: the sync is tried again shortly, without an event. */
export class RelatedNotSynced extends Error {}

export type Related = { gather(parent: KubeObject): Promise<ObjectMap> };

export type RelatedOptions = {
  controller: CompositeController;
  resources: readonly Resource[];
  clock: Clock;
  ask: AskHook;
  informers: Informers;
  parents: Informer;
  enqueue: (parent: KubeObject) => void;
};

const keptMs = 20 * 60_000;

export const createRelated = (options: RelatedOptions): Related => {
  const { controller, clock, informers, parents } = options;
  const answers = new Map<string, { rules: RelatedRule[]; until: number }>();
  const subscribed = new Set<Informer>();
  const namespaces = controller.customize
    ? informers.open({ apiVersion: 'v1', resource: 'namespaces' })
    : undefined;

  const labelsOfNamespace = (name: string) => namespaces?.get(name)?.metadata.labels;

  const rulesFor = async (parent: KubeObject): Promise<RelatedRule[]> => {
    if (!controller.customize) return [];
    const key = `${parent.metadata.uid} ${parent.metadata.generation}`;
    const kept = answers.get(key);
    if (kept && kept.until > clock.now()) return kept.rules;
    const answer = await options.ask(controller.customize, { controller: controller.manifest, parent });
    const rules = readCustomizeAnswer(answer).map(readRule);
    answers.set(key, { rules, until: clock.now() + keptMs });
    return rules;
  };

  const resourceOf = (rule: RelatedRule): Resource => {
    const resource = findByRef(options.resources, rule.ref);
    if (!resource) throw new Error(`unknown related resource ${rule.ref.apiVersion}/${rule.ref.resource}`);
    return resource;
  };

  const isWanted = async (
    parent: KubeObject,
    resource: Resource,
    objects: KubeObject[],
  ): Promise<boolean> => {
    // A failure is not reported from here; the next sync of this parent meets it again.
    const rules = await rulesFor(parent).catch(() => []);
    return rules.some(
      (rule) =>
        findByRef(options.resources, rule.ref) === resource &&
        objects.some((object) => matchesRule(rule, resource, object, labelsOfNamespace)),
    );
  };

  const wakeParents = async (resource: Resource, objects: KubeObject[]): Promise<void> => {
    for (const parent of parents.list()) {
      if (await isWanted(parent, resource, objects)) options.enqueue(parent);
    }
  };

  const open = (rule: RelatedRule, resource: Resource): Informer => {
    const informer = informers.open(rule.ref);
    if (subscribed.has(informer)) return informer;
    subscribed.add(informer);
    // Handlers of one informer run one after the other.
    let last = Promise.resolve();
    const wake = (...objects: KubeObject[]): void => {
      last = last.then(() => wakeParents(resource, objects)).catch(() => {});
    };
    informer.subscribe({
      onAdd: (object) => wake(object),
      onUpdate: (previous, object) => {
        if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) wake(previous, object);
      },
      onDelete: (object) => wake(object),
    });
    return informer;
  };

  return {
    async gather(parent) {
      const map: ObjectMap = {};
      for (const rule of await rulesFor(parent)) {
        const resource = resourceOf(rule);
        const informer = open(rule, resource);
        const isReady = informer.hasSynced() && (!rule.namespaceSelector || namespaces?.hasSynced());
        if (!isReady) throw new RelatedNotSynced();
        const matching = informer
          .list()
          .filter((object) => matchesRule(rule, resource, object, labelsOfNamespace));
        addObjects(map, resource, matching);
      }
      return sortMap(map);
    },
  };
};
