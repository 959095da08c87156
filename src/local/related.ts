// The customize side: asks which objects a parent wants to see, gathers them, and wakes parents when they change.

import type { Clock } from '../clock.ts';
import type { KubeObject } from '../kube/api.ts';
import type { CompositeController } from './composite-controller.ts';
import { type AskHook, readCustomizeAnswer } from './hook-call.ts';
import { type Informer, type Informers, unchangedSince } from './informer.ts';
import { addObjects, type ObjectMap, sortMap } from './object-maps.ts';
import { matchesRule, type RelatedRule, readRule } from './related-rules.ts';
import type { Resource } from './resources.ts';
import { keyOf } from './store.ts';

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

type Kept = { rules: RelatedRule[]; until: number };

const keptMs = 20 * 60_000;

export const createRelated = (options: RelatedOptions): Related => {
  const { controller, clock, informers, parents } = options;
  const answers = new Map<string | undefined, Map<number | undefined, Kept>>();
  const subscribed = new Set<Informer>();
  const namespaces = controller.customize
    ? informers.open({ apiVersion: 'v1', resource: 'namespaces' })
    : undefined;

  const labelsOfNamespace = (name: string) => namespaces?.get(name)?.metadata.labels;

  const keptRules = ({ metadata }: KubeObject): RelatedRule[] | undefined => {
    const kept = answers.get(metadata.uid)?.get(metadata.generation);
    return kept && kept.until > clock.now() ? kept.rules : undefined;
  };

  const rulesFor = async (parent: KubeObject): Promise<RelatedRule[]> => {
    if (!controller.customize) return [];
    const kept = keptRules(parent);
    if (kept) return kept;
    const answer = await options.ask(controller.customize, { controller: controller.manifest, parent });
    const rules = readCustomizeAnswer(answer).map((rule) => readRule(rule, options.resources));
    const { uid, generation } = parent.metadata;
    const ofParent = answers.get(uid) ?? new Map();
    answers.set(uid, ofParent.set(generation, { rules, until: clock.now() + keptMs }));
    return rules;
  };

  const isWanted = (rules: RelatedRule[], resource: Resource, objects: KubeObject[]): boolean =>
    rules.some(
      (rule) =>
        rule.resource === resource &&
        objects.some((object) => matchesRule(rule, resource, object, labelsOfNamespace)),
    );

  const wakeParents = async (resource: Resource, objects: KubeObject[]): Promise<void> => {
    for (const parent of parents.list()) {
      // A failure is not reported from here; the next sync of this parent meets it again. And no await where
      // the answer is at hand: a thousand parents times a thousand Secrets pass by here.
      const rules = keptRules(parent) ?? (await rulesFor(parent).catch(() => []));
      if (isWanted(rules, resource, objects)) options.enqueue(parent);
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

  /** What these rules named, and how long that is true. */
  const gathered = new WeakMap<RelatedRule[], { map: ObjectMap; isCurrent: () => boolean }>();

  return {
    async gather(parent) {
      const rules = keptRules(parent) ?? (await rulesFor(parent));
      const known = gathered.get(rules);
      if (known?.isCurrent()) return known.map;
      const map: ObjectMap = {};
      const seen = new Set(namespaces ? [namespaces] : []);
      for (const rule of rules) {
        const { resource, ref } = rule;
        if (!resource) throw new Error(`unknown related resource ${ref.apiVersion}/${ref.resource}`);
        const informer = open(rule, resource);
        seen.add(informer);
        const isReady = informer.hasSynced() && (!rule.namespaceSelector || namespaces?.hasSynced());
        if (!isReady) throw new RelatedNotSynced();
        const matching = candidates(rule, informer).filter((object) =>
          matchesRule(rule, resource, object, labelsOfNamespace),
        );
        addObjects(map, resource, matching);
      }
      const sorted = sortMap(map);
      gathered.set(rules, { map: sorted, isCurrent: unchangedSince([...seen]) });
      return sorted;
    },
  };
};

/** Named objects of a known namespace are looked up, all others have to be searched for. */
const candidates = (rule: RelatedRule, informer: Informer): KubeObject[] => {
  if (rule.names.length === 0 || !rule.resource) return informer.list();
  if (rule.resource.namespaced && !rule.namespace) return informer.list();
  const namespace = rule.resource.namespaced ? rule.namespace : undefined;
  return rule.names.flatMap((name) => informer.get(keyOf({ namespace, name })) ?? []);
};
