// One sync of an object that a DecoratorController decorates. Unlike a parent it is written before its attachments,
// with the version from the cache and without a second try; attachments are never adopted.

import type { KubeObject } from '../kube/api.ts';
import { deepEqual } from '../rds/deep-equal.ts';
import type { Claim } from './claim.ts';
import type { CompositeController } from './composite-controller.ts';
import { readDecorateAnswer } from './hook-call.ts';
import type { Informers } from './informer.ts';
import type { JsonRecord } from './json.ts';
import { fieldManager, isConflict, isNotFound, type KubeClient } from './kube-client.ts';
import { addObjects, type ObjectMap, sortMap } from './object-maps.ts';
import { objectPath } from './resources.ts';
import { isOurs, type SyncParent, type SyncParentOptions } from './sync-parent.ts';

const mark = 'metacontroller.k8s.io/decorator-controller';

/** What is owned by the object and carries the controller's own annotation. */
export const createAttached =
  (controller: CompositeController, _client: KubeClient, informers: Informers): Claim =>
  async ({ metadata }) => {
    const map: ObjectMap = {};
    for (const { ref, resource } of controller.children) {
      const owned = informers.open(ref).listOwnedBy(metadata.uid ?? '', metadata.namespace);
      addObjects(
        map,
        resource,
        owned.filter((one) => one.metadata.annotations?.[mark] === controller.name),
      );
    }
    return sortMap(map);
  };

export const createDecorate = (options: SyncParentOptions): SyncParent => {
  const { controller, client } = options;

  /** False: somebody else was faster, and the round ends without a word. */
  const write = async (object: KubeObject, wanted: KubeObject): Promise<boolean> => {
    if (deepEqual(object.metadata, wanted.metadata)) return true;
    const path = `${objectPath(controller.parent, object.metadata)}?fieldManager=${fieldManager}`;
    try {
      await client.send({ method: 'PUT', path, body: wanted });
      return true;
    } catch (error) {
      if (isConflict(error) || isNotFound(error)) return false;
      throw error;
    }
  };

  const marked = (one: KubeObject): KubeObject => ({
    ...one,
    metadata: { ...one.metadata, annotations: { ...one.metadata.annotations, [mark]: controller.name } },
  });

  return async (object) => {
    if (!isOurs(controller, object)) return;
    const attachments = await options.claim(object);
    const related = await options.related.gather(object);
    const body = { controller: controller.manifest, object, attachments, related, finalizing: false };
    const answer = readDecorateAnswer(await options.ask(controller.sync, body), object);
    if (answer.resyncAfterSeconds > 0) options.resyncAfter(object, answer.resyncAfterSeconds);
    if (!(await write(object, decorated(object, answer)))) return;
    if (object.metadata.deletionTimestamp) return;
    await options.manageChildren(object, attachments, answer.attachments.map(marked));
  };
};

function decorated(object: KubeObject, answer: { labels: JsonRecord; annotations: JsonRecord }): KubeObject {
  const { labels, annotations } = object.metadata;
  const metadata = {
    ...object.metadata,
    ...changed('labels', labels, answer.labels),
    ...changed('annotations', annotations, answer.annotations),
  };
  return { ...object, metadata };
}

function changed(field: string, before: Record<string, string> | undefined, changes: JsonRecord) {
  if (Object.keys(changes).length === 0) return {};
  const next = Object.entries({ ...before, ...changes }).filter(([, value]) => value !== null);
  return before === undefined && next.length === 0 ? {} : { [field]: Object.fromEntries(next) };
}
