// The loop of Metacontroller 4.17.2 for a CompositeController or a DecoratorController (hook v2, server-side apply) over any API server.
// All state is in this closure: stopping it and making a new one is a restart of Metacontroller.

import type { Clock } from '../clock.ts';
import type { KubeCall, KubeObject } from '../kube/api.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import { createManageChildren } from './children.ts';
import { createClaim } from './claim.ts';
import { type CompositeController, readCompositeController } from './composite-controller.ts';
import { createAttached, createDecorate } from './decorate.ts';
import { type CallHook, createAskHook, createLastAnswers, Panic, TooManyRequests } from './hook-call.ts';
import { createInformers, type Informer } from './informer.ts';
import { createKubeClient, Stopped } from './kube-client.ts';
import { controllerOf } from './owners.ts';
import { createRateLimiter } from './rate-limits.ts';
import { createRelated, RelatedNotSynced } from './related.ts';
import { knownResources, type Resource, splitApiVersion } from './resources.ts';
import { keyOf } from './store.ts';
import { createSyncParent, isOurs } from './sync-parent.ts';
import { createTimers } from './timers.ts';
import { createWarnings } from './warning-events.ts';
import type { Watch } from './watch.ts';
import { createWorkQueue } from './work-queue.ts';

export type LoopEvent =
  | { type: 'synced'; key: string }
  | { type: 'failed'; key: string; message: string; retryInMs: number }
  | { type: 'throttled'; key: string; afterSeconds: number }
  | { type: 'crashed'; key: string; message: string };

export type MetacontrollerOptions = {
  /** As in its manifest. */
  controller: KubeObject;
  kube: KubeCall;
  watch: Watch;
  callHook: CallHook;
  clock: Clock;
  resources?: readonly Resource[];
  workers?: number;
  /** Divides resync delays, not backoff, Retry-After or timeouts. */
  speed?: number;
  dispatchMs?: number;
  /** Order of children inside a kind; a simulation may make it as random as it really is. */
  shuffle?: <T>(items: T[]) => T[];
  onEvent?: (event: LoopEvent) => void;
};

export type Metacontroller = {
  /** Resolves when the caches are filled and the workers run. */
  start(): Promise<void>;
  /** Nothing is written after this, whatever is still under way. */
  stop(): void;
  /** One more sync of this parent, for no reason. */
  enqueue(parent: { namespace?: string; name: string }): void;
  /** Nothing is waiting or being worked on; delayed keys do not count. */
  isIdle(): boolean;
};

const cacheFlushSeconds = 30 * 60;

export const createMetacontroller = (options: MetacontrollerOptions): Metacontroller => {
  const { clock } = options;
  const resources = options.resources ?? knownResources;
  const controller = readCompositeController(options.controller, resources);
  const speed = options.speed ?? 1;
  const report = options.onEvent ?? (() => {});
  let isStopped = false;

  const timers = createTimers(clock);
  const limiter = createRateLimiter(clock);
  const client = createKubeClient(options.kube, clock, () => isStopped);
  const answers = createLastAnswers();
  const ask = createAskHook(options.callHook, clock, timers, () => isStopped, answers);
  const warn = createWarnings(client, clock);
  const informers = createInformers(options.watch);

  const work = async (key: string): Promise<void> => {
    const parent = parents?.get(key);
    if (!parent || !syncParent) {
      limiter.forget(key);
      return;
    }
    try {
      await syncParent(parent);
      limiter.forget(key);
      report({ type: 'synced', key });
    } catch (error) {
      if (!isStopped) failed(key, parent, error);
    }
  };

  const failed = (key: string, parent: KubeObject, error: unknown): void => {
    if (error instanceof Stopped) return;
    if (error instanceof TooManyRequests) {
      report({ type: 'throttled', key, afterSeconds: error.afterSeconds });
      queue.addAfter(key, error.afterSeconds * 1000);
      return;
    }
    const message = error instanceof Error ? error.message : String(error);
    if (error instanceof Panic) {
      report({ type: 'crashed', key, message });
      stop();
      return;
    }
    const retryInMs = limiter.next(key);
    if (!(error instanceof RelatedNotSynced)) {
      warn(parent, `Sync error: ${message}`);
      report({ type: 'failed', key, message, retryInMs });
    }
    queue.addAfter(key, retryInMs);
  };

  const queue = createWorkQueue({
    clock,
    timers,
    workers: options.workers ?? 5,
    dispatchMs: options.dispatchMs ?? 1,
    work,
  });

  const enqueue = (parent: KubeObject): void => {
    if (isOurs(controller, parent)) queue.add(keyOf(parent.metadata));
  };

  let parents: Informer | undefined;
  let syncParent: ReturnType<typeof createSyncParent> | undefined;

  const watchParents = (informer: Informer): void =>
    informer.subscribe({
      onAdd: enqueue,
      onUpdate: (previous, parent) => {
        if (!controller.ignoreStatusChanges || isMoreThanStatus(previous, parent)) enqueue(parent);
      },
      onDelete: (parent) => {
        answers.forget(parent.metadata.uid ?? '');
        enqueue(parent);
      },
    });

  const watchChildren = (all: Informer): void => {
    const wake = (child: KubeObject): void => {
      const parent = parentOf(controller, all, child);
      if (parent) enqueue(parent);
    };
    for (const { ref } of controller.children) {
      informers.open(ref).subscribe({
        onAdd: wake,
        onUpdate: (previous, child) => {
          if (previous.metadata.resourceVersion !== child.metadata.resourceVersion) wake(child);
        },
        onDelete: wake,
      });
    }
  };

  const resyncAll = (informer: Informer, periodMs: number): void => {
    timers.after(periodMs, () => {
      for (const parent of informer.list()) enqueue(parent);
      resyncAll(informer, periodMs);
    });
  };

  const start = async (): Promise<void> => {
    const all = informers.open(controller.parentRef);
    parents = all;
    const related = createRelated({ controller, resources, clock, ask, informers, parents: all, enqueue });
    const createSync = controller.decorates ? createDecorate : createSyncParent;
    const createOwned = controller.decorates ? createAttached : createClaim;
    syncParent = createSync({
      controller,
      client,
      ask,
      claim: createOwned(controller, client, informers),
      related,
      manageChildren: createManageChildren({
        controller,
        resources,
        client,
        shuffle: options.shuffle ?? ((items) => items),
      }),
      resyncAfter: (parent, seconds) => queue.addAfter(keyOf(parent.metadata), (seconds * 1000) / speed),
    });
    watchParents(all);
    watchChildren(all);
    await Promise.all(
      [all, ...controller.children.map(({ ref }) => informers.open(ref))].map((one) => one.synced),
    );
    if (isStopped) return;
    const periodSeconds = Math.min(
      (controller.resyncPeriodSeconds ?? cacheFlushSeconds) / speed,
      cacheFlushSeconds,
    );
    resyncAll(all, periodSeconds * 1000);
    queue.start();
  };

  const stop = (): void => {
    isStopped = true;
    queue.stop();
    timers.clear();
    informers.stop();
  };

  return { start, stop, enqueue: (parent) => queue.add(keyOf(parent)), isIdle: queue.isIdle };
};

const isMoreThanStatus = (previous: KubeObject, parent: KubeObject): boolean =>
  previous === parent ||
  previous.metadata.generation !== parent.metadata.generation ||
  !deepEqual(previous.metadata.labels, parent.metadata.labels) ||
  !deepEqual(previous.metadata.annotations, parent.metadata.annotations) ||
  parent.metadata.deletionTimestamp !== undefined;

/** By controller reference, or for an orphan by the label of a generated selector. */
const parentOf = (
  controller: CompositeController,
  parents: Informer,
  child: KubeObject,
): KubeObject | undefined => {
  const owner = controllerOf(child);
  if (!owner) return adopterOf(controller, parents, child);
  const isRightKind =
    owner.kind === controller.parent.kind && splitApiVersion(owner.apiVersion)[0] === controller.parent.group;
  if (!isRightKind) return undefined;
  const namespace = controller.parent.namespaced ? child.metadata.namespace : undefined;
  const parent = parents.get(keyOf({ namespace, name: owner.name }));
  return parent?.metadata.uid === owner.uid ? parent : undefined;
};

const adopterOf = (
  controller: CompositeController,
  parents: Informer,
  child: KubeObject,
): KubeObject | undefined => {
  const uid = child.metadata.labels?.['controller-uid'];
  if (!controller.generateSelector || !uid || child.metadata.deletionTimestamp) return undefined;
  return parents.list().find((parent) => parent.metadata.uid === uid);
};
