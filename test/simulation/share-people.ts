// People around shared Secrets: those who ask in their own namespace, and those who are in the way.

import { ANNOTATIONS, connectionSecretName } from '../../src/rds/names.ts';
import type { Cluster } from './cluster.ts';
import type { ShareDeed } from './share-plan.ts';
import type { Target } from './target.ts';

const MERGE = 'application/merge-patch+json';
const MINE = { password: Buffer.from('somebody-elses').toString('base64') };

export type Sharers = ReturnType<typeof createSharers>;

export function createSharers(cluster: Cluster) {
  /** Secrets that people themselves make, change or remove right now: no work of ours. */
  let isByHand = false;

  const namespacePath = (name: string) => `/api/v1/namespaces/${name}`;
  const secretPath = (namespace: string, name: string) => `${namespacePath(namespace)}/secrets/${name}`;
  const copyOf = ({ namespace, name }: Target) => `${namespace}.${connectionSecretName(name)}`;
  const isCopy = (namespace: string, name: string): boolean =>
    cluster.find('Secret', namespace, name)?.metadata.ownerReferences?.[0]?.kind === 'Namespace';

  async function byHand(...call: Parameters<Cluster['call']>): Promise<void> {
    isByHand = true;
    // The memory API server has done it when it returns; only its answer comes later.
    const done = cluster.call(...call);
    isByHand = false;
    await done;
  }

  async function ask(by: string, value: string | null): Promise<void> {
    const metadata = { name: by, annotations: { [ANNOTATIONS.useRds]: value } };
    if (cluster.find('Namespace', '', by))
      await cluster.call('PATCH', namespacePath(by), { metadata }, MERGE);
    else if (value !== null)
      await cluster.call('POST', '/api/v1/namespaces', { apiVersion: 'v1', kind: 'Namespace', metadata });
  }

  /** Everything but the place is as it should be. */
  async function forge({ namespace, name }: Target, place: string): Promise<void> {
    const uid = cluster.findRds(namespace, name)?.metadata.uid ?? '';
    const metadata = {
      name: connectionSecretName(name),
      namespace: place,
      labels: { 'otc.mcsps.de/shareable': 'true' },
      annotations: { [ANNOTATIONS.belongsTo]: `${namespace}/${name}/${uid}` },
    };
    await post(place, { metadata });
  }

  const post = (namespace: string, secret: object) =>
    byHand('POST', `${namespacePath(namespace)}/secrets`, {
      apiVersion: 'v1',
      kind: 'Secret',
      data: MINE,
      ...secret,
    });

  return {
    isByHand: () => isByHand,
    async perform(target: Target, deed: Exclude<ShareDeed, { do: 'allow' }>): Promise<void> {
      const name = copyOf(target);
      switch (deed.do) {
        case 'ask':
          return ask(deed.by, deed.value);
        case 'take name':
          return post(deed.in, { metadata: { name, namespace: deed.in } });
        case 'give name back':
          return isCopy(deed.in, name) ? undefined : byHand('DELETE', secretPath(deed.in, name));
        case 'edit copy':
          return isCopy(deed.in, name)
            ? byHand('PATCH', secretPath(deed.in, name), { data: MINE }, MERGE)
            : undefined;
        case 'delete copy':
          return isCopy(deed.in, name) ? byHand('DELETE', secretPath(deed.in, name)) : undefined;
        case 'forge':
          // At home it would only be a name that is taken.
          return deed.in === target.namespace ? undefined : forge(target, deed.in);
        case 'asking namespace goes':
          return byHand('DELETE', namespacePath(deed.name));
      }
    },
  };
}
