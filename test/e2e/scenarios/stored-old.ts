// Objects that the old operator's CRD let in and ours would not: made before our CRD is installed.
import type { ControlPlane } from '../../cluster/control-plane.ts';
import type { KubeClient } from '../../cluster/kube-client.ts';
import { installCrds } from '../../cluster/metacontroller.ts';
import { OLD_CRD } from '../old-crd.ts';
import { rds, type Scenario } from '../scenario.ts';

const NAMESPACE = 'stored-old';

const STORED: Record<string, Record<string, unknown>> = {
  'bad-port': { port: '33071' },
  'bad-size': { volumesize: 41 },
  'bad-window': { backupstarttime: 'nonsense' },
  'bad-ha': { hamode: 'Ha' },
  'two-passwords': { password: 'Chang3-me', passwordSecretRef: { name: 'a', key: 'b' } },
};

export async function storeOldObjects(kube: KubeClient, controlPlane: ControlPlane): Promise<void> {
  await installCrds(controlPlane, OLD_CRD);
  await kube.apply({ apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE } });
  for (const [name, spec] of Object.entries(STORED)) {
    const manifest = rds(name, spec);
    await kube.create({ ...manifest, metadata: { ...manifest.metadata, namespace: NAMESPACE } });
  }
}

const names = Object.keys(STORED);

export const storedOld: Scenario = {
  name: NAMESPACE,
  title: 'stored old objects that break a rule get finalizer and condition, cost nothing, and can be deleted',
  steps: [
    ...names.map((name) => ({
      do: 'waitRds' as const,
      name,
      until: { finalizer: true, id: 'unset' as const, conditions: ['Synced=False/InvalidSpec'] },
    })),
    ...names.map((name) => ({ do: 'delete' as const, kind: 'Rds' as const, name })),
    ...names.map((name) => ({ do: 'waitGone' as const, kind: 'Rds' as const, name })),
  ],
  cloud: Object.fromEntries(names.map((name) => [name, { created: 0, now: 0 }])),
};
