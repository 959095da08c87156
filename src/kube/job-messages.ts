// What the containers of an ended Job left behind: their termination messages. A Job itself tells only that it
// failed; its pods are read once, when it is over, instead of being watched by everyone.

import type { KubeCall } from './api.ts';
import { KubeUnreachable } from './api.ts';

/** Container to message, from the last pod that left one; empty when there is none, or none may be read. */
export type ReadJobMessages = (job: { namespace: string; name: string }) => Promise<Record<string, string>>;

type Pod = {
  metadata: { creationTimestamp?: string };
  status?: { containerStatuses?: { name: string; state?: { terminated?: { message?: string } } }[] };
};

export function createReadJobMessages(call: KubeCall, deadlineMs: number): ReadJobMessages {
  return async ({ namespace, name }) => {
    const path = `/api/v1/namespaces/${namespace}/pods?labelSelector=${encodeURIComponent(`job-name=${name}`)}`;
    const { status, body } = await call({ method: 'GET', path, deadlineMs });
    if (status >= 500 || status === 429)
      throw new KubeUnreachable(`the API server answered ${status} for pods of Job ${name}`);
    if (status !== 200) return {};
    const newestFirst = [...(body as { items: Pod[] }).items].sort((a, b) =>
      (b.metadata.creationTimestamp ?? '').localeCompare(a.metadata.creationTimestamp ?? ''),
    );
    return newestFirst.map(messagesOf).find((messages) => Object.keys(messages).length > 0) ?? {};
  };
}

function messagesOf({ status }: Pod): Record<string, string> {
  const told = (status?.containerStatuses ?? []).map(({ name, state }) => [name, state?.terminated?.message]);
  return Object.fromEntries(told.filter(([, message]) => message));
}
