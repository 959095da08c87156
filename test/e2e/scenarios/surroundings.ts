// What else lives in a namespace, and what happens when the namespace or the CRD goes.
import { READY, rds, type Scenario } from '../scenario.ts';

export const surroundings: Scenario[] = [
  {
    name: 'name-taken',
    title: 'a foreign Service of the same name is left alone and told; when it goes, ours comes',
    given: [
      {
        apiVersion: 'v1',
        kind: 'Service',
        metadata: { name: 'shop' },
        spec: { clusterIP: 'None', ports: [{ name: 'other', port: 8080 }] },
      },
      rds('shop'),
    ],
    steps: [
      {
        do: 'waitRds',
        name: 'shop',
        until: { ...READY, conditions: ['Ready=True', 'ChildrenReady=False/ChildNameTaken'] },
      },
      { do: 'waitEvent', type: 'Warning', reason: 'ChildNameTaken' },
      { do: 'waitFor', kind: 'Secret', name: 'shop-connection', owned: true },
      { do: 'waitFor', kind: 'Service', name: 'shop', owned: false },
      { do: 'delete', kind: 'Service', name: 'shop' },
      { do: 'waitFor', kind: 'Service', name: 'shop', owned: true },
      {
        do: 'waitRds',
        name: 'shop',
        until: { ...READY, conditions: ['Ready=True', 'ChildrenReady=True/ChildrenApplied'] },
      },
    ],
    cloud: { shop: { created: 1, now: 1, tagged: true } },
  },
  {
    name: 'namespace-gone',
    title: 'a deleted namespace keeps its databases (Snapshot acts as Retain), an explicit Delete deletes',
    given: [rds('kept'), rds('dropped', { deletionPolicy: 'Delete' })],
    steps: [
      { do: 'waitRds', name: 'kept', until: READY },
      { do: 'waitRds', name: 'dropped', until: READY },
      { do: 'delete', kind: 'Namespace', name: '' },
      { do: 'waitGone', kind: 'Namespace', name: '' },
    ],
    cloud: {
      kept: { created: 1, now: 1, finalBackups: 0, tagged: false },
      dropped: { created: 1, now: 0, finalBackups: 0 },
    },
  },
];

/** Runs last: nothing can be made after it. */
export const crdGone: Scenario = {
  name: 'crd-gone',
  title: 'a deleted CRD keeps every database of every namespace',
  exclusive: true,
  given: [rds('one'), rds('two')],
  steps: [
    { do: 'waitRds', name: 'one', until: READY },
    { do: 'waitRds', name: 'two', until: READY },
    { do: 'deleteCrd' },
    { do: 'waitCrdGone' },
  ],
  cloud: {
    one: { created: 1, now: 1, finalBackups: 0, tagged: false },
    two: { created: 1, now: 1, finalBackups: 0, tagged: false },
  },
};
