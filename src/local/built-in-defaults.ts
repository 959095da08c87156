// What a real API server fills into a few built-in kinds, as far as the hook or the loop can notice it.

import type { KubeObject } from '../kube/api.ts';
import { isRecord } from './json.ts';

export const withBuiltInDefaults = (object: KubeObject): KubeObject => {
  switch (object.kind) {
    case 'Secret':
      return secret(object);
    case 'Namespace':
      return namespace(object);
    case 'CustomResourceDefinition':
      return definition(object);
    default:
      return object;
  }
};

const secret = (object: KubeObject): KubeObject => {
  const { stringData, ...rest } = object;
  const result: KubeObject = { ...rest, metadata: object.metadata, type: object.type ?? 'Opaque' };
  if (!isRecord(stringData)) return result;
  const encoded = Object.entries(stringData).map(([key, value]) => [
    key,
    Buffer.from(String(value)).toString('base64'),
  ]);
  const data = isRecord(object.data) ? object.data : {};
  return { ...result, data: { ...data, ...Object.fromEntries(encoded) } };
};

const namespace = (object: KubeObject): KubeObject => ({
  ...object,
  metadata: {
    ...object.metadata,
    labels: { ...object.metadata.labels, 'kubernetes.io/metadata.name': object.metadata.name },
  },
  spec: { finalizers: ['kubernetes'], ...(isRecord(object.spec) ? object.spec : {}) },
  status: object.status ?? { phase: 'Active' },
});

const definition = (object: KubeObject): KubeObject => {
  const spec = isRecord(object.spec) ? object.spec : {};
  const conditions = ['NamesAccepted', 'Established'].map((type) => ({ type, status: 'True' }));
  return {
    ...object,
    spec: { conversion: { strategy: 'None' }, ...spec },
    status: object.status ?? { acceptedNames: spec.names, conditions },
  };
};
