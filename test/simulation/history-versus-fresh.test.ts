// An Rds changed through a series of specs, valid and invalid, ends as one that was made with the last spec; and going
// back with what can go back gives the state from before.

import fc from 'fast-check';
import t from 'tap';
import { endStateOf } from './end-state.ts';
import { type Deed, FLAVORS, ODD_CHANGES } from './plan.ts';

const create = (flavor: string, sizeGb: number): Deed => ({
  do: 'create',
  password: 'generated',
  policy: 'Snapshot',
  flavor,
  sizeGb,
});

const flavors = fc.constantFrom(...FLAVORS);
const change: fc.Arbitrary<Deed> = fc.oneof(
  flavors.map((to): Deed => ({ do: 'flavor', to })),
  fc.integer({ min: 1, max: 4 }).map((steps): Deed => ({ do: 'grow', byGb: steps * 10 })),
  fc.constant<Deed>({ do: 'shrink' }),
  fc.constantFrom(true, false).map((on): Deed => ({ do: 'pause', on })),
  fc.constantFrom('Snapshot', 'Delete', 'Retain').map((to): Deed => ({ do: 'policy', to })),
  fc.constantFrom(...ODD_CHANGES.slice(0, 4)).map((odd): Deed => ({ do: 'spec', change: odd })),
);

t.test('history equals fresh', async (t) => {
  const property = fc.asyncProperty(
    flavors,
    fc.array(change, { minLength: 2, maxLength: 7 }),
    fc.integer({ min: 1, max: 120 }),
    async (flavor, changes, gapSeconds) => {
      const lived = await endStateOf(11, [create(flavor, 40), ...changes], gapSeconds * 1000);
      const last = lived.spec as { flavorref: string; volumesize: number; deletionPolicy: 'Snapshot' };
      const fresh = await endStateOf(12, [
        { ...create(last.flavorref, last.volumesize), policy: last.deletionPolicy } as Deed,
      ]);
      if (lived.violation ?? fresh.violation) throw new Error(lived.violation ?? fresh.violation);
      const { violation: _lived, ...one } = lived;
      const { violation: _fresh, ...other } = fresh;
      return JSON.stringify(one) === JSON.stringify(other);
    },
  );
  await fc.assert(property, { numRuns: Number(process.env.SIMULATE_HISTORIES ?? 25), seed: 5 });
  t.pass('all series ended as the fresh one');
});

t.test('rollback', async (t) => {
  const before = await endStateOf(21, [create(FLAVORS[0], 50)]);
  const back = await endStateOf(21, [
    create(FLAVORS[0], 50),
    { do: 'flavor', to: FLAVORS[1] },
    { do: 'policy', to: 'Retain' },
    { do: 'pause', on: true },
    { do: 'pause', on: false },
    { do: 'policy', to: 'Snapshot' },
    { do: 'flavor', to: FLAVORS[0] },
  ]);
  t.same(back, before);
});
