// The CRD of the old operator as far as it matters here: same group and kind, and almost anything is stored.

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };

export const OLD_CRD = JSON.stringify({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'rdss.otc.mcsps.de' },
  spec: {
    group: 'otc.mcsps.de',
    scope: 'Namespaced',
    names: { kind: 'Rds', listKind: 'RdsList', plural: 'rdss', singular: 'rds', shortNames: ['rds'] },
    versions: [
      {
        name: 'v1alpha1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            'x-kubernetes-preserve-unknown-fields': true,
            properties: { spec: anything, status: anything },
          },
        },
      },
    ],
  },
});
