// Whose Secret has a name that we would use: server-side apply takes over whatever it finds. Only metadata is asked for,
// so that nothing of its content gets here.

import type { KubeCall, ObjectMeta } from './api.ts';
import { KubeUnreachable } from './api.ts';

/** undefined: the name is free. `forbidden`: we may not know. */
export type ReadSecretOwners = (secret: {
  namespace: string;
  name: string;
}) => Promise<readonly { kind: string; uid: string }[] | 'forbidden' | undefined>;

const METADATA_ONLY = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';

export function createReadSecretOwners(call: KubeCall, deadlineMs: number): ReadSecretOwners {
  return async ({ namespace, name }) => {
    const path = `/api/v1/namespaces/${namespace}/secrets/${name}`;
    const { status, body } = await call({ method: 'GET', path, accept: METADATA_ONLY, deadlineMs });
    if (status === 404) return undefined;
    if (status === 403) return 'forbidden';
    if (status !== 200) throw new KubeUnreachable(`the API server answered ${status} for ${path}`);
    return (body as { metadata: ObjectMeta }).metadata.ownerReferences ?? [];
  };
}
