// Kinds of other projects that our manifests use. Their schemas are theirs; here it is enough that the API server
// knows the names. With METACONTROLLER_HOME its real CRDs are used.
import { join } from 'node:path';
import type { ControlPlane } from '../cluster/control-plane.ts';
import { installCrds, metacontrollerHome } from '../cluster/metacontroller.ts';

type Kind = { group: string; version: string; kind: string; plural: string; scope: 'Cluster' | 'Namespaced' };

const METACONTROLLER: Kind[] = ['CompositeController', 'DecoratorController'].map((kind) => ({
  group: 'metacontroller.k8s.io',
  version: 'v1alpha1',
  kind,
  plural: `${kind.toLowerCase()}s`,
  scope: 'Cluster',
}));
const OPTIONAL: Kind[] = [
  {
    group: 'cert-manager.io',
    version: 'v1',
    kind: 'Certificate',
    plural: 'certificates',
    scope: 'Namespaced',
  },
  { group: 'cert-manager.io', version: 'v1', kind: 'Issuer', plural: 'issuers', scope: 'Namespaced' },
  ...['ServiceMonitor', 'PrometheusRule'].map(
    (kind): Kind => ({
      group: 'monitoring.coreos.com',
      version: 'v1',
      kind,
      plural: `${kind.toLowerCase()}s`,
      scope: 'Namespaced',
    }),
  ),
];

const crdOf = ({ group, version, kind, plural, scope }: Kind): string =>
  JSON.stringify({
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: {
      name: `${plural}.${group}`,
      // Names under k8s.io are protected unless somebody answers for them.
      ...(group.endsWith('.k8s.io') && {
        annotations: { 'api-approved.kubernetes.io': 'unapproved, for a test' },
      }),
    },
    spec: {
      group,
      scope,
      names: { kind, plural, singular: kind.toLowerCase(), listKind: `${kind}List` },
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } },
        },
      ],
    },
  });

export async function installMetacontrollerCrds(controlPlane: ControlPlane): Promise<void> {
  const { home } = metacontrollerHome();
  if (home) await installCrds(controlPlane, join(home, 'metacontroller-crds-v1.yaml'));
  else for (const kind of METACONTROLLER) await installCrds(controlPlane, crdOf(kind));
}

export async function installOptionalCrds(controlPlane: ControlPlane): Promise<void> {
  for (const kind of OPTIONAL) await installCrds(controlPlane, crdOf(kind));
}
