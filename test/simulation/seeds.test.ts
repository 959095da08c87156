// Random schedules; SIMULATE_SEEDS says how many, SIMULATE_FIRST from where on.

import t from 'tap';
import { countCells, tellCells } from './cells.ts';
import { type Result, runSchedule } from './schedule.ts';
import { shrinkSeed } from './shrink.ts';
import { tellStory } from './story.ts';

const seeds = Number(process.env.SIMULATE_SEEDS ?? 40);
const first = Number(process.env.SIMULATE_FIRST ?? 100_000);

t.test(`${seeds} schedules from seed ${first}`, async (t) => {
  const results: Result[] = [];
  const cells = new Map<string, number>();
  for (let seed = first; seed < first + seeds; seed += 1) {
    const result = await runSchedule(seed);
    results.push(result);
    countCells(cells, result.fired);
  }
  const broken = results.filter(({ violation }) => violation !== undefined);
  t.equal(broken.length, 0, `${broken.length} of ${seeds} schedules broke an invariant`);
  for (const one of broken.slice(0, 3)) t.comment(tellStory(one, (await shrinkSeed(one)).result));
  t.comment(tellCells(cells));

  const median = (numbers: number[]) =>
    numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
  t.ok(median(results.map(({ hookCalls }) => hookCalls)) >= 200, 'a schedule is not a toy: hook calls');
  t.ok(median(results.map(({ specChanges }) => specChanges)) >= 3, 'spec changes');
  t.ok(median(results.map(({ fired }) => fired.length)) >= 10, 'faults');
  const rds = median(results.map((one) => one.rds));
  t.ok(rds >= 1 && rds <= 5, 'Rds');
});
