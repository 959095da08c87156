// Every pod that the packages make, as a Pod: admission judges Pods, and only warns about what makes them.
import type { KubeObject } from '../../src/kube/api.ts';
import type { Rendered } from './render.ts';

export type PodSpec = {
  securityContext?: Record<string, unknown>;
  containers: { name: string; securityContext?: Record<string, unknown> }[];
  volumes: unknown[];
  [field: string]: unknown;
};
export type Pod = KubeObject & { spec: PodSpec };

type Template = { spec: PodSpec };

export function podsOf(objects: Rendered[], namespace: string): Pod[] {
  return objects.flatMap(({ kind, metadata, spec }) => {
    const template = kind === 'Pod' ? { spec: spec as PodSpec } : (spec?.template as Template | undefined);
    if (!template || !['Pod', 'Job', 'Deployment', 'StatefulSet', 'DaemonSet'].includes(kind)) return [];
    return [
      { apiVersion: 'v1', kind: 'Pod', metadata: { name: metadata.name, namespace }, spec: template.spec },
    ];
  });
}

type Violation = [name: string, plant: (pod: Pod) => void];

const first = ({ spec }: Pod): Record<string, unknown> => {
  const [container] = spec.containers;
  if (!container) throw new Error('no container');
  container.securityContext ??= {};
  return container.securityContext;
};

/** One thing that `restricted` forbids, planted into a good pod. */
export const VIOLATIONS: Violation[] = [
  [
    'runs as root',
    ({ spec }) => Object.assign(spec.securityContext ?? {}, { runAsNonRoot: false, runAsUser: 0 }),
  ],
  ['no seccomp profile', ({ spec }) => delete spec.securityContext?.seccompProfile],
  ['may become more', (pod) => Object.assign(first(pod), { allowPrivilegeEscalation: true })],
  ['keeps capabilities', (pod) => Object.assign(first(pod), { capabilities: {} })],
  ['mounts the node', ({ spec }) => spec.volumes.push({ name: 'node', hostPath: { path: '/' } })],
  ['uses the network of the node', ({ spec }) => Object.assign(spec, { hostNetwork: true })],
];
