// An object as somebody would write it: without what the API server and the page itself added.

import { stringify } from 'yaml';
import type { KubeObject } from '../../kube/api.ts';
import { defaultOf } from '../../rds/defaults.ts';
import { isRecord } from '../json.ts';
import { withHiddenValues } from './hidden-values.ts';

/** The field manager of annotations that buttons and alarms set: they are orders, and no part of the manifest. */
export const PAGE_MANAGER = 'playground';

function writtenAnnotations({ annotations = {}, managedFields = [] }: KubeObject['metadata']) {
  const ordered = managedFields
    .filter(({ manager }) => manager === PAGE_MANAGER)
    .map(({ fieldsV1 }) => fieldsV1?.['f:metadata'])
    .map((fields) => (isRecord(fields) && isRecord(fields['f:annotations']) ? fields['f:annotations'] : {}));
  const written = Object.entries(annotations).filter(([key]) => !ordered.some((keys) => `f:${key}` in keys));
  return written.length > 0 ? { annotations: Object.fromEntries(written) } : {};
}

export function manifestText(object: KubeObject): string {
  const { name, namespace, labels } = object.metadata;
  const spec = Object.entries(withHiddenValues(isRecord(object.spec) ? object.spec : {}));
  return stringify({
    apiVersion: object.apiVersion,
    kind: object.kind,
    metadata: { name, namespace, ...(labels ? { labels } : {}), ...writtenAnnotations(object.metadata) },
    spec: Object.fromEntries(spec.filter(([field, value]) => defaultOf(field) !== value)),
  });
}
