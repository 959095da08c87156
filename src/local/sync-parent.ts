// One sync of one parent, step by step in Metacontroller's own order.

import type { KubeObject } from '../kube/api.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import type { ManageChildren } from './children.ts';
import { type Claim, childSelector } from './claim.ts';
import type { CompositeController } from './composite-controller.ts';
import { type AskHook, Panic, readSyncAnswer, type SyncAnswer, TooManyRequests } from './hook-call.ts';
import { isRecord, type JsonRecord } from './json.ts';
import { isConflict, isNotFound, type KubeClient, Stopped } from './kube-client.ts';
import { foreground, orphan } from './lifecycle.ts';
import type { ObjectMap } from './object-maps.ts';
import type { Related } from './related.ts';
import { type LabelSelector, matchesSelector } from './selectors.ts';

export type SyncParent = (parent: KubeObject) => Promise<void>;

export type SyncParentOptions = {
  controller: CompositeController;
  client: KubeClient;
  ask: AskHook;
  claim: Claim;
  related: Related;
  manageChildren: ManageChildren;
  resyncAfter: (parent: KubeObject, seconds: number) => void;
};

const hasFinalizer = (controller: CompositeController, object: KubeObject): boolean =>
  object.metadata.finalizers?.includes(controller.finalizer) ?? false;

/** Outside the label selector and without our finalizer: none of our business. */
export const isOurs = (controller: CompositeController, parent: KubeObject): boolean =>
  hasFinalizer(controller, parent) || matchesSelector(controller.selector, parent.metadata.labels);

export const createSyncParent = (options: SyncParentOptions): SyncParent => {
  const { controller, client } = options;
  /** What was read from an answer, and its children with their labels: the same answer comes many times. */
  const answers = new WeakMap<JsonRecord, SyncAnswer>();
  const labelled = new WeakMap<readonly KubeObject[], KubeObject[]>();
  const labelledOnes = new WeakMap<KubeObject, KubeObject>();
  /** Stored status -> what was wanted and found to be the same. */
  const asWanted = new WeakMap<object, JsonRecord>();

  const setFinalizer = (parent: KubeObject, isWanted: boolean): Promise<KubeObject> =>
    client.update(controller.parent, parent, (live) => {
      if (hasFinalizer(controller, live) === isWanted) return undefined;
      const others = (live.metadata.finalizers ?? []).filter((one) => one !== controller.finalizer);
      const finalizers = isWanted ? [...others, controller.finalizer] : others;
      return { ...live, metadata: { ...live.metadata, finalizers } };
    });

  const syncFinalizer = async (parent: KubeObject): Promise<KubeObject> => {
    const isWanted = controller.finalize !== undefined;
    if (hasFinalizer(controller, parent) === isWanted) return parent;
    if (isWanted && parent.metadata.deletionTimestamp) return parent;
    return setFinalizer(parent, isWanted).catch(explained("can't sync finalizer"));
  };

  const askHook = (parent: KubeObject, children: ObjectMap, related: ObjectMap): Promise<SyncAnswer> => {
    const isLeaving =
      parent.metadata.deletionTimestamp !== undefined ||
      !matchesSelector(controller.selector, parent.metadata.labels);
    const finalizing = controller.finalize !== undefined && isLeaving;
    const hook = finalizing ? (controller.finalize ?? controller.sync) : controller.sync;
    const body = { controller: controller.manifest, parent, children, related, finalizing };
    return options
      .ask(hook, body)
      .then((answer) => readAnswer(answer, parent))
      .catch(explained(`${finalizing ? 'finalize' : 'sync'} hook failed (version=v2)`));
  };

  const readAnswer = (answer: JsonRecord, parent: KubeObject): SyncAnswer => {
    const known = answers.get(answer);
    if (known) return known;
    const read = readSyncAnswer(answer, parent);
    answers.set(answer, read);
    return read;
  };

  const checkLabels = (parent: KubeObject, children: readonly KubeObject[]): KubeObject[] => {
    const known = labelled.get(children);
    if (known && controller.generateSelector) return known;
    const selector = childSelector(controller, parent);
    const result = children.map((child) => labelledChild(parent, selector, child));
    labelled.set(children, result);
    return result;
  };

  const labelledChild = (parent: KubeObject, selector: LabelSelector, child: KubeObject): KubeObject => {
    const known = labelledOnes.get(child);
    if (known && controller.generateSelector) return known;
    const added: Record<string, string> = controller.generateSelector
      ? { 'controller-uid': parent.metadata.uid ?? '' }
      : {};
    const labels = { ...added, ...child.metadata.labels };
    if (!matchesSelector(selector, labels)) {
      throw new Error(
        `labels on desired child ${child.kind} ${child.metadata.namespace}/${child.metadata.name} don't match parent selector`,
      );
    }
    const result = { ...child, metadata: { ...child.metadata, labels } };
    labelledOnes.set(child, result);
    return result;
  };

  const mayManageChildren = (parent: KubeObject): boolean => {
    if (!parent.metadata.deletionTimestamp) return true;
    const isCollected = parent.metadata.finalizers?.some((one) => one === foreground || one === orphan);
    return !isCollected && controller.finalize !== undefined && hasFinalizer(controller, parent);
  };

  const wantedStatuses = new WeakMap<JsonRecord, JsonRecord>();

  const wantedStatus = (status: JsonRecord = {}, observedGeneration: number | undefined): JsonRecord => {
    const known = wantedStatuses.get(status);
    if (known && known.observedGeneration === observedGeneration) return known;
    const wanted = { ...status, observedGeneration };
    wantedStatuses.set(status, wanted);
    return wanted;
  };

  const isWanted = (stored: unknown, wanted: JsonRecord): boolean => {
    if (!isRecord(stored)) return false;
    if (asWanted.get(stored) === wanted) return true;
    if (!deepEqual(stored, wanted)) return false;
    asWanted.set(stored, wanted);
    return true;
  };

  /** A conflict that outlives its retries, or a parent that is gone, counts as success. */
  const writeStatus = async (
    parent: KubeObject,
    status: JsonRecord | undefined,
  ): Promise<'done' | 'dropped'> => {
    const wanted = wantedStatus(status, parent.metadata.generation);
    try {
      await client.update(
        controller.parent,
        parent,
        (live) => (isWanted(live.status, wanted) ? undefined : { ...live, status: wanted }),
        'status',
      );
      return 'done';
    } catch (error) {
      if (isNotFound(error) || isConflict(error)) return 'dropped';
      throw error;
    }
  };

  /** Returns the failure instead of throwing it: the status is written all the same. */
  const reconcile = async (
    parent: KubeObject,
    observed: ObjectMap,
    desired: KubeObject[],
  ): Promise<unknown> => {
    if (!mayManageChildren(parent)) return undefined;
    try {
      await options.manageChildren(parent, observed, desired).catch(explained("can't reconcile children"));
      return undefined;
    } catch (error) {
      if (error instanceof Stopped) throw error;
      return error;
    }
  };

  return async (cached) => {
    if (!isOurs(controller, cached)) return;
    const asked = await syncFinalizer(cached);
    if (!isOurs(controller, asked)) return;
    const observed = await options.claim(asked);
    const related = await options.related.gather(asked);
    const answer = await askHook(asked, observed, related);
    if (answer.resyncAfterSeconds > 0) options.resyncAfter(asked, answer.resyncAfterSeconds);
    const parent = answer.finalized
      ? await setFinalizer(asked, false).catch(explained("can't remove finalizer"))
      : asked;
    const desired = checkLabels(parent, answer.children);
    const childProblem = await reconcile(parent, observed, desired);
    const outcome = await writeStatus(parent, answer.status).catch(explained("can't update status"));
    if (childProblem && outcome === 'done') throw childProblem;
  };
};

/** Pauses, stops and panics travel as they are; everything else says what it was that failed. */
const explained =
  (what: string) =>
  (error: unknown): never => {
    if (error instanceof TooManyRequests || error instanceof Stopped || error instanceof Panic) throw error;
    throw new Error(`${what}: ${error instanceof Error ? error.message : String(error)}`, { cause: error });
  };
