// Shares Secrets with namespaces that ask: reads each Rds live, decides, and looks whether a name is free before it is
// used for the first time. When the API server does not answer, nothing is answered either: what is there stays.

import { KubeUnreachable } from '../../kube/api.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { Rds } from '../../rds/object.ts';
import { askedFor, SHAREABLE } from '../../rds/sharing.ts';
import type { ChildObject } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { type Answered, again, answers, type LiveRds, resultText } from './decide/share.ts';
import type { Shared } from './request.ts';

export type ShareAnswer = { annotations?: Record<string, string | null>; attachments: ChildObject[] };

export type ShareOutcome =
  | { kind: 'answer'; answer: ShareAnswer }
  | { kind: 'retry'; because: string; afterSeconds: number };

export type RunShare = (shared: Shared) => Promise<ShareOutcome>;

const RETRY_SECONDS = 5;

/** The same for every namespace: it is asked once in 20 minutes, and consent must count at once. */
export const SHARE_RELATED = {
  relatedResources: [
    { apiVersion: 'v1', resource: 'secrets', labelSelector: { matchLabels: { [SHAREABLE]: 'true' } } },
  ],
};

export function createShareLoop(deps: Pick<SyncDeps, 'readLive' | 'readSecretOwners'>): RunShare {
  async function readAll(shared: Shared): Promise<Map<string, LiveRds>> {
    const { asked } = askedFor(shared.namespace.annotations[ANNOTATIONS.useRds]);
    const live = new Map<string, LiveRds>();
    for (const { namespace, rds: name } of asked) {
      const key = `${namespace}/${name}`;
      if (live.has(key) || namespace === shared.namespace.name) continue;
      const { rds } = await deps.readLive({ metadata: { namespace, name } } as Rds, { surroundings: false });
      if (rds?.metadata.uid === undefined) continue;
      const { uid, annotations } = rds.metadata;
      live.set(key, { uid, shareWith: annotations?.[ANNOTATIONS.shareWith] });
    }
    return live;
  }

  /** Of two wishes for one Secret the first counts; a name that others use is left to them. */
  async function withFreeNames(shared: Shared, answered: Answered[]): Promise<Answered[]> {
    const checked: Answered[] = [];
    for (const one of answered) {
      const { asked, copy } = one;
      const isKnown = shared.attachments.some(({ metadata }) => metadata.name === copy?.metadata.name);
      const because = copy && !isKnown ? await nameProblem(shared, copy.metadata.name) : undefined;
      checked.push(because === undefined ? one : { asked, because });
    }
    return checked;
  }

  async function nameProblem({ namespace }: Shared, name: string): Promise<string | undefined> {
    if (!deps.readSecretOwners) throw new KubeUnreachable('there is no API server to ask');
    const owners = await deps.readSecretOwners({ namespace: namespace.name, name });
    if (owners === 'forbidden')
      return `rds-pilot may not see whether the name ${name} is free: it needs get on secrets`;
    const isOurs = owners?.some(({ kind, uid }) => kind === 'Namespace' && uid === namespace.uid) ?? true;
    return isOurs ? undefined : `another Secret here has the name ${name}`;
  }

  return async (shared) => {
    // What goes with its namespace is not touched any more.
    if (shared.isTerminating)
      return { kind: 'answer', answer: { attachments: shared.attachments.map(again) } };
    try {
      const decided = answers({ ...shared, live: await readAll(shared) });
      const answered = await withFreeNames(shared, decided);
      return { kind: 'answer', answer: answerOf(shared, answered) };
    } catch (error) {
      if (!(error instanceof KubeUnreachable)) throw error;
      return { kind: 'retry', because: error.message, afterSeconds: RETRY_SECONDS };
    }
  };
}

function answerOf({ namespace }: Shared, answered: readonly Answered[]): ShareAnswer {
  const copies = new Map(answered.flatMap(({ copy }) => (copy ? [[copy.metadata.name, copy]] : [])));
  const text = resultText(namespace.annotations, answered);
  const isTold = (namespace.annotations[ANNOTATIONS.useRdsResult] ?? null) === text;
  return {
    ...(isTold ? {} : { annotations: { [ANNOTATIONS.useRdsResult]: text } }),
    attachments: [...copies.values()],
  };
}
