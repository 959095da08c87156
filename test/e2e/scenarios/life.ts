// From apply to Ready to delete, in the new and in the old operator's style.
import { READY, rds, type Scenario } from '../scenario.ts';

const CHILDREN = ['Service shop', 'EndpointSlice shop', 'Secret shop-connection', 'Secret shop-root'].map(
  (child) => {
    const [kind = '', name = ''] = child.split(' ');
    return {
      do: 'waitFor' as const,
      kind: kind as 'Service' | 'EndpointSlice' | 'Secret',
      name,
      owned: true,
    };
  },
);

export const life: Scenario[] = [
  {
    name: 'life',
    title: 'create, Ready, delete: one instance, a final backup, nothing left',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: { ...READY, finalizer: true } },
      ...CHILDREN,
      { do: 'expectCloud', rds: { shop: { created: 1, now: 1, tagged: true } } },
      { do: 'waitEvent', type: 'Normal', reason: 'Available' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      { do: 'waitGone', kind: 'Service', name: 'shop' },
      { do: 'waitGone', kind: 'Secret', name: 'shop-connection' },
      { do: 'waitGone', kind: 'Secret', name: 'shop-root' },
    ],
    cloud: { shop: { created: 1, now: 0, finalBackups: 1 } },
  },
  {
    name: 'old-style',
    title: 'a manifest of the old operator applies unchanged and becomes Ready',
    given: [
      {
        apiVersion: 'otc.mcsps.de/v1alpha1',
        kind: 'Rds',
        metadata: { name: 'legacy' },
        spec: {
          password: 'A12345678+',
          datastoretype: 'MySQL',
          datastoreversion: '8.0',
          flavorref: 'rds.mysql.c2.medium',
          volumetype: 'COMMON',
          volumesize: 40,
        },
      },
    ],
    steps: [
      {
        do: 'waitRds',
        name: 'legacy',
        until: { ...READY, conditions: ['Ready=True', 'CredentialsSafe=False/PlainTextPassword'] },
      },
      { do: 'waitFor', kind: 'Secret', name: 'legacy-connection', owned: true },
    ],
    cloud: { legacy: { created: 1, now: 1, tagged: true } },
  },
];
