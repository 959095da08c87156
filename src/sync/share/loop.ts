// Shares Secrets with namespaces that ask: reads the namespace and each Rds live, decides, and looks whether a name is
// free before it is used for the first time. When the API server does not answer, nothing is answered either: what is there stays.

import { KubeUnreachable } from '../../kube/api.ts';
import { ANNOTATIONS } from '../../rds/names.ts';
import type { Rds } from '../../rds/object.ts';
import { askedFor, SHAREABLE } from '../../rds/sharing.ts';
import type { ChildObject } from '../decide/observed.ts';
import type { SyncDeps } from '../deps.ts';
import { type Answered, again, answers, type LiveRds, resultText, sourceName } from './decide/share.ts';
import type { Shared } from './request.ts';

export type ShareAnswer = { annotations?: Record<string, string | null>; attachments: ChildObject[] };

export type ShareOutcome =
  | { kind: 'answer'; answer: ShareAnswer }
  | { kind: 'retry'; because: string; afterSeconds: number };

export type RunShare = (shared: Shared) => Promise<ShareOutcome>;

const RETRY_SECONDS = 5;

const retry = (because: string): ShareOutcome => ({ kind: 'retry', because, afterSeconds: RETRY_SECONDS });

/** The same for every namespace: it is asked once in 20 minutes, and consent must count at once. */
export const SHARE_RELATED = {
  relatedResources: [
    { apiVersion: 'v1', resource: 'secrets', labelSelector: { matchLabels: { [SHAREABLE]: 'true' } } },
  ],
};

type ShareDeps = Pick<SyncDeps, 'readLive' | 'readSecretOwners' | 'readLiveNamespace'>;

export function createShareLoop(deps: ShareDeps): RunShare {
  /** A picture from the past would bring back what was withdrawn. Who neither asks nor has anything costs no read. */
  async function asItIsNow(shared: Shared): Promise<Shared | undefined> {
    const { namespace, attachments } = shared;
    const isConcerned = attachments.length > 0 || namespace.annotations[ANNOTATIONS.useRds] !== undefined;
    if (!deps.readLiveNamespace || !isConcerned || shared.isTerminating) return shared;
    const live = await deps.readLiveNamespace(namespace.name);
    const isSame = live !== undefined && (live.uid === namespace.uid || namespace.uid === '');
    if (!isSame) return undefined;
    const { annotations, isTerminating } = live;
    return { ...shared, namespace: { ...namespace, annotations }, isTerminating };
  }

  /** All at once: one by one, many wishes would outlast the call when the API server is slow. */
  async function readAll(shared: Shared): Promise<Map<string, LiveRds>> {
    const { asked } = askedFor(shared.namespace.annotations[ANNOTATIONS.useRds]);
    const others = asked.filter(({ namespace }) => namespace !== shared.namespace.name);
    const keys = [...new Set(others.map(({ namespace, rds }) => `${namespace}/${rds}`))];
    const read = await Promise.all(keys.map(async (key) => [key, await readOne(shared, key)] as const));
    return new Map(read.flatMap(([key, live]) => (live ? [[key, live]] : [])));
  }

  async function readOne(shared: Shared, key: string): Promise<LiveRds | undefined> {
    const [namespace = '', name = ''] = key.split('/');
    const { rds } = await deps.readLive({ metadata: { namespace, name } } as Rds, { surroundings: false });
    if (rds?.metadata.uid === undefined) return undefined;
    const { uid, annotations, deletionTimestamp } = rds.metadata;
    const users = rds.spec.users?.map((user) => user.name) ?? [];
    const live = { uid, shareWith: annotations?.[ANNOTATIONS.shareWith], users };
    if (deletionTimestamp === undefined) return live;
    return { ...live, going: { left: await secretsLeft(shared, { namespace, name, uid }) } };
  }

  /** Of the Secrets that there are copies of and that are not shown: a picture from the past proves no end. */
  async function secretsLeft(
    { attachments, shareable }: Shared,
    rds: { namespace: string; name: string; uid: string },
  ): Promise<string[]> {
    const copied = attachments.flatMap((copy) => sourceName(copy, rds) ?? []);
    const unseen = copied.filter((name) => !shareable.some(({ key }) => key === `${rds.namespace}/${name}`));
    const left = unseen.map(async (name) => {
      const owners = await deps.readSecretOwners?.({ namespace: rds.namespace, name });
      const isLeft = Array.isArray(owners) && owners.some(({ uid }) => uid === rds.uid);
      return isLeft ? [name] : [];
    });
    return (await Promise.all(left)).flat();
  }

  /** Of two wishes for one Secret the first counts; a name that others use is left to them. */
  const withFreeNames = (shared: Shared, answered: readonly Answered[]): Promise<Answered[]> =>
    Promise.all(
      answered.map(async (one) => {
        const because = one.copy && (await copyProblem(shared, one.copy));
        return because === undefined ? one : { asked: one.asked, because };
      }),
    );

  async function copyProblem(shared: Shared, copy: ChildObject): Promise<string | undefined> {
    const known = shared.attachments.find(({ metadata }) => metadata.name === copy.metadata.name);
    if (!known) return nameProblem(shared, copy.metadata.name);
    // Left by an Rds of the same name on another engine; the API server lets nobody change the type of a Secret.
    return known.type === copy.type ? undefined : 'the copy is being made anew';
  }

  async function nameProblem({ namespace }: Shared, name: string): Promise<string | undefined> {
    if (!deps.readSecretOwners) throw new KubeUnreachable('there is no API server to ask');
    const owners = await deps.readSecretOwners({ namespace: namespace.name, name });
    if (owners === 'forbidden')
      return `rds-pilot may not see whether the name ${name} is free: it needs get on secrets`;
    const isOurs = owners?.some(({ kind, uid }) => kind === 'Namespace' && uid === namespace.uid) ?? true;
    return isOurs ? undefined : `another Secret here has the name ${name}`;
  }

  return async (shown) => {
    try {
      const shared = await asItIsNow(shown);
      if (!shared) return retry('the namespace is not the one that was shown');
      // What goes with its namespace is not touched any more.
      if (shared.isTerminating)
        return { kind: 'answer', answer: { attachments: shared.attachments.map(again) } };
      const decided = answers({ ...shared, live: await readAll(shared) });
      const answered = await withFreeNames(shared, decided);
      return { kind: 'answer', answer: answerOf(shared, answered) };
    } catch (error) {
      if (!(error instanceof KubeUnreachable)) throw error;
      return retry(error.message);
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
