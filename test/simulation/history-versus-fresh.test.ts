// An Rds changed through a series of specs from the whole schema, valid and invalid, ends as one that was made with the
// last spec, or tells which fields stay behind and why; and going back with what can go back gives the state from before.

import { isDeepStrictEqual } from 'node:util';
import t from 'tap';
import type { RdsSpec } from '../../src/rds/spec.ts';
import { MINUTE, SECOND } from './clock.ts';
import { type EndState, endStateOf } from './end-state.ts';
import { type Deed, FLAVORS } from './plan.ts';
import { createChance } from './random.ts';
import { randomChange } from './random-spec.ts';

const RUNS = Number(process.env.SIMULATE_HISTORIES ?? 25);
const FIRST = Number(process.env.SIMULATE_FIRST_HISTORY ?? 1);

const create = (more: Partial<RdsSpec> = {}): Deed => ({
  do: 'create',
  password: 'generated',
  policy: 'Snapshot',
  flavor: FLAVORS[0],
  sizeGb: 40,
  more,
});

function history(seed: number): { deeds: Deed[]; gapMs: number } {
  const chance = createChance(seed);
  const count = 2 + chance.below('changes', 5);
  const deeds = Array.from({ length: count }, (_, index): Deed => {
    const name = `change ${index}`;
    const what = chance.of(name);
    if (what < 0.12) return { do: 'flavor', to: chance.pick(`${name} flavor`, FLAVORS) };
    if (what < 0.24) return { do: 'grow', byGb: 10 * (1 + chance.below(`${name} by`, 4)) };
    if (what < 0.3) return { do: 'pause', on: chance.of(`${name} on`) < 0.5 };
    return { do: 'spec', change: randomChange(chance, name) };
  });
  return { deeds, gapMs: (1 + chance.below('gap', 120)) * SECOND };
}

/** undefined: as it should be. */
function difference(lived: EndState, fresh: EndState): string | undefined {
  const broken = lived.violation ?? fresh.violation;
  if (broken !== undefined) return broken;
  // A spec that cannot be had at all, or that tells what stays behind.
  if (!fresh.isDone || lived.told.length > 0) return undefined;
  if (isDeepStrictEqual({ ...lived, told: [] }, { ...fresh, told: [] })) return undefined;
  return `lived ${JSON.stringify(lived)} is not fresh ${JSON.stringify(fresh)}`;
}

t.test('history equals fresh', async (t) => {
  let compared = 0;
  for (let seed = FIRST; seed < FIRST + RUNS; seed += 1) {
    const { deeds, gapMs } = history(seed);
    const lived = await endStateOf(11, [create(), ...deeds], gapMs);
    const fresh = await endStateOf(12, [create({ ...lived.spec, paused: false })]);
    if (fresh.isDone && lived.isDone) compared += 1;
    t.equal(difference(lived, fresh), undefined, `series ${seed}: ${JSON.stringify(deeds)}`);
  }
  t.ok(compared >= RUNS / 4, `${compared} of ${RUNS} series could be followed to the end`);
});

t.test('rollback', async (t) => {
  const before = await endStateOf(21, [create({ port: '3306', backupkeepdays: 12 })]);
  const back = await endStateOf(
    21,
    [
      create({ port: '3306', backupkeepdays: 12 }),
      { do: 'flavor', to: FLAVORS[1] },
      { do: 'spec', change: { port: '3307', backupkeepdays: 3 } },
      { do: 'policy', to: 'Retain' },
      { do: 'pause', on: true },
      { do: 'pause', on: false },
      { do: 'policy', to: 'Snapshot' },
      { do: 'spec', change: { port: '3306', backupkeepdays: 12 } },
      { do: 'flavor', to: FLAVORS[0] },
    ],
    3 * MINUTE,
  );
  t.same(back, before);
});
