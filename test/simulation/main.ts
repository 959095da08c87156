// `npm run simulate -- --seeds N --first S`: tries N schedules and ends with 1 when an invariant breaks.
// Options: --story (history of the last moments), --keep-going (count violations instead of stopping), --cells.

import { parseArgs } from 'node:util';
import { type Cells, countCells, tellCells } from './cells.ts';
import { createProgress } from './progress.ts';
import { type Result, runSchedule } from './schedule.ts';
import { shrinkSeed } from './shrink.ts';
import { lastLines, tellStory } from './story.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    story: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    cells: { type: 'boolean', default: false },
  },
});

const seeds = Number(values.seeds);
const first = Number(values.first);
if (!Number.isInteger(seeds) || seeds < 1 || !Number.isInteger(first)) {
  console.error('--seeds and --first take whole numbers');
  process.exit(2);
}

const cells: Cells = new Map();
const totals: { calls: number[]; faults: number[]; changes: number[]; rds: number[] } = {
  calls: [],
  faults: [],
  changes: [],
  rds: [],
};
const broken: Result[] = [];
const startedAt = performance.now();
const progress = createProgress(seeds);

let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true;
  });
}

for (let seed = first; seed < first + seeds && !isStopped; seed += 1) {
  const result = await runSchedule(seed);
  countCells(cells, result.fired);
  totals.calls.push(result.hookCalls);
  totals.faults.push(result.fired.length);
  totals.changes.push(result.specChanges);
  totals.rds.push(result.rds);
  if (result.violation) broken.push(result);
  progress.show(seed - first + 1, broken.length);
  if (broken.length > 0 && !values['keep-going']) break;
}
progress.end();

const done = totals.calls.length;
const seconds = (performance.now() - startedAt) / 1000;
console.log(
  `${done} schedules in ${seconds.toFixed(1)} s (${(done / seconds).toFixed(1)} a second); median ${median(totals.rds)} Rds, ` +
    `${median(totals.changes)} spec changes, ${median(totals.calls)} hook calls, ${median(totals.faults)} faults`,
);
console.log(tellCells(cells));
if (values.cells)
  for (const [cell, count] of [...cells].sort()) console.log(`${String(count).padStart(7)}  ${cell}`);

if (broken.length > 0) {
  const byInvariant = Map.groupBy(broken, ({ violation }) => violation?.invariant ?? '');
  for (const [invariant, results] of byInvariant) {
    console.log(
      `\n${results.length} of ${done} schedules break ${invariant}: seeds ${results
        .slice(0, 20)
        .map(({ seed }) => seed)
        .join(', ')}`,
    );
    const [smallest] = results.toSorted((a, b) => a.fired.length - b.fired.length);
    if (smallest) await explain(smallest);
  }
  process.exit(1);
}
console.log('no invariant was violated');

async function explain(found: Result): Promise<void> {
  const { result, without } = await shrinkSeed(found);
  console.log(tellStory(found, result));
  if (!values.story) return;
  console.log('\nthe last moments of the shrunk schedule:');
  console.log(lastLines(await runSchedule(found.seed, { without, keepLines: true })));
}

function median(numbers: readonly number[]): number {
  return numbers.toSorted((a, b) => a - b)[Math.floor(numbers.length / 2)] ?? 0;
}
