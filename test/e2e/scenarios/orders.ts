// Orders and deletes that meet a picture from the past or an operation on its way.
import { READY, rds, type Scenario } from '../scenario.ts';

const RESTART = 'otc.mcsps.de/restart';

export const orders: Scenario[] = [
  {
    name: 'restart-once',
    title: 'a restart by annotation is carried out once, also when the hook is shown the parent from before',
    given: [rds('shop')],
    steps: [
      { do: 'waitRds', name: 'shop', until: READY },
      { do: 'annotate', name: 'shop', annotations: { [RESTART]: 'monday' } },
      { do: 'waitRds', name: 'shop', until: { ...READY, handled: { [RESTART]: 'monday' } } },
      { do: 'expectCloud', rds: { shop: { created: 1, now: 1, restarts: 1 } } },
      { do: 'showStale', name: 'shop', withAnnotation: RESTART, withoutHandled: RESTART },
      { do: 'annotate', name: 'shop', annotations: { 'otc.mcsps.de/reconcile': '1' } },
      { do: 'waitShown' },
      { do: 'waitRds', name: 'shop', until: { ...READY, handled: { [RESTART]: 'monday' } } },
      { do: 'pause', ms: 2000 },
    ],
    cloud: { shop: { created: 1, now: 1, restarts: 1, tagged: true } },
  },
  {
    name: 'deleted-early',
    title: 'an Rds deleted while the answer to its create is on the way leaves nothing behind',
    given: [],
    steps: [
      { do: 'holdAnswer', name: 'shop', phase: 'Creating' },
      { do: 'apply', objects: [rds('shop', { deletionPolicy: 'Delete' })] },
      { do: 'waitHeld' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'release' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
      // Collected some time after its owner: the histories are compared when that is over.
      { do: 'waitGone', kind: 'Secret', name: 'shop-root' },
    ],
    cloud: { shop: { created: 1, now: 0 } },
  },
  {
    name: 'deleted-at-once',
    title: 'an Rds deleted right after it was applied leaves nothing behind',
    given: [],
    steps: [
      { do: 'holdAnswer', name: 'shop', phase: 'Pending' },
      { do: 'apply', objects: [rds('shop')] },
      { do: 'waitHeld' },
      { do: 'delete', kind: 'Rds', name: 'shop' },
      { do: 'release' },
      { do: 'waitGone', kind: 'Rds', name: 'shop' },
    ],
    cloud: { shop: { created: 0, now: 0 } },
  },
];
