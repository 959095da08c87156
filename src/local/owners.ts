// Owner references: who controls an object, and the reference that Metacontroller writes.

import type { KubeObject, ObjectMeta } from '../kube/api.ts';

export type OwnerReference = NonNullable<ObjectMeta['ownerReferences']>[number] & {
  blockOwnerDeletion?: boolean;
};

export const controllerOf = (object: KubeObject): OwnerReference | undefined =>
  object.metadata.ownerReferences?.find((one) => one.controller === true);

export const controllerReference = (parent: KubeObject): OwnerReference => ({
  apiVersion: parent.apiVersion,
  kind: parent.kind,
  name: parent.metadata.name,
  uid: parent.metadata.uid ?? '',
  controller: true,
  blockOwnerDeletion: true,
});
