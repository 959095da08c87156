// An object as somebody would write it: without what the API server added.

import { stringify } from 'yaml';
import type { KubeObject } from '../../kube/api.ts';
import { defaultOf } from '../../rds/defaults.ts';
import { isRecord } from '../json.ts';
import { withHiddenValues } from './hidden-values.ts';

export function manifestText(object: KubeObject): string {
  const { name, namespace, labels, annotations } = object.metadata;
  const spec = Object.entries(withHiddenValues(isRecord(object.spec) ? object.spec : {}));
  return stringify({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace, ...(labels ? { labels } : {}), ...(annotations ? { annotations } : {}) },
    spec: Object.fromEntries(spec.filter(([field, value]) => defaultOf(field) !== value)),
  });
}
