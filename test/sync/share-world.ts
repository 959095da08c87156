// A database in team-a, and namespaces that may ask for its Secrets.

import type { KubeObject } from '../../src/kube/api.ts';
import type { SyncDeps } from '../../src/sync/deps.ts';
import { createWorld, SECOND } from '../support/world.ts';

type Test = { teardown(run: () => Promise<void>): void };

export const COPY = 'team-a.shop-connection';
export const USE = 'otc.mcsps.de/use-rds';
export const SHARE = 'otc.mcsps.de/share-with';

const decoded = (secret: KubeObject | undefined): Record<string, string> =>
  Object.fromEntries(
    Object.entries((secret?.data ?? {}) as Record<string, string>).map(([key, value]) => [
      key,
      Buffer.from(value, 'base64').toString(),
    ]),
  );

export async function shareWorld(t: Test, deps: Partial<SyncDeps> = {}) {
  const world = await createWorld({
    shares: true,
    namespaces: ['app-1', 'app-2'],
    simulator: { automatedBackups: false },
    deps,
  });
  t.teardown(() => world.stop());
  await world.apply('shop', { password: 'First-pass1' });
  await world.reaches('shop', 'Ready');
  await world.clock.advance(5 * SECOND);
  const namespacePath = (name: string) => `/api/v1/namespaces/${name}`;
  const secretPath = (namespace: string, name: string) => `${namespacePath(namespace)}/secrets/${name}`;
  const more = {
    secretPath,
    secretIn: (namespace: string, name: string, values: Record<string, string>) =>
      world.kube('POST', `${namespacePath(namespace)}/secrets`, {
        apiVersion: 'v1',
        kind: 'Secret',
        metadata: { name, namespace },
        data: Object.fromEntries(
          Object.entries(values).map(([key, value]) => [key, Buffer.from(value).toString('base64')]),
        ),
      }),
    /** null takes it back. */
    async asks(namespace: string, wish: string | null): Promise<void> {
      const body = { metadata: { annotations: { [USE]: wish } } };
      await world.kube('PATCH', namespacePath(namespace), body, 'application/merge-patch+json');
      await world.clock.advance(5 * SECOND);
    },
    async allows(value: string | null): Promise<void> {
      await world.annotate('shop', { [SHARE]: value });
      await world.clock.advance(10 * SECOND);
    },
    copy: async (namespace: string, name = COPY) => decoded(await world.object(secretPath(namespace, name))),
    names: async (namespace: string) =>
      (
        (await world.kube('GET', `${namespacePath(namespace)}/secrets`)).body as { items: KubeObject[] }
      ).items.map(({ metadata }) => metadata.name),
    result: async (namespace: string) =>
      (await world.object(namespacePath(namespace)))?.metadata.annotations?.['otc.mcsps.de/use-rds-result'],
    source: async () => decoded(await world.object(secretPath('team-a', 'shop-connection'))),
  };
  return Object.assign(world, more);
}
