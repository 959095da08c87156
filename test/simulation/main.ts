// `npm run simulate -- --seeds N --first S`: tries N schedules and ends with 1 when an invariant breaks.
// Options: --story (history of the last moments), --keep-going (count violations instead of stopping), --cells (list the
// counters), --keep NAME (the shrunk schedule goes into test/simulation/kept, where it
// stays a test), --every-cell (whatever people, hosts and watches can do and never did is a failure, and so are schedules that
// are toys; faults of calls are all struck by exhaustive.test.ts), --jobs N (threads; as many as there are cores).

import { availableParallelism } from 'node:os';
import { parseArgs } from 'node:util';
import { addCells, type Cells, PLANNED_SITES, silentCells, tellCells } from './cells.ts';
import { keepSchedule } from './kept.ts';
import { createProgress } from './progress.ts';
import { runSchedule } from './schedule.ts';
import type { Brief, SeedRange, SeedResults } from './seeds-worker.ts';
import { shrinkSeed } from './shrink.ts';
import { lastLines, tellStory } from './story.ts';
import { inThreads } from './threads.ts';

const { values } = parseArgs({
  options: {
    seeds: { type: 'string', default: '1000' },
    first: { type: 'string', default: '1' },
    jobs: { type: 'string', default: `${availableParallelism()}` },
    story: { type: 'boolean', default: false },
    'keep-going': { type: 'boolean', default: false },
    cells: { type: 'boolean', default: false },
    keep: { type: 'string' },
    'every-cell': { type: 'boolean', default: false },
  },
});

const seeds = Number(values.seeds);
const first = Number(values.first);
const jobs = Number(values.jobs);
if (
  !Number.isInteger(seeds) ||
  seeds < 1 ||
  !Number.isInteger(first) ||
  !Number.isInteger(jobs) ||
  jobs < 1
) {
  console.error('--seeds, --first and --jobs take whole numbers');
  process.exit(2);
}

/** What a schedule has at least, in the middle of all; and so few Rds that each of them lives through much. */
const NO_TOY = { rds: 1, specChanges: 3, hookCalls: 200, faults: 10 };
const MOST_RDS = 5;
/** Seeds that a thread takes at a time. */
const SHARE = 5;
const cells: Cells = new Map();
const briefs: Brief[] = [];
let cpuMs = 0;
const startedAt = performance.now();
const progress = createProgress(seeds);

let isStopped = false;
for (const signal of ['SIGINT', 'SIGTERM'] as const) {
  process.on(signal, () => {
    isStopped = true;
  });
}

function* ranges(): Generator<SeedRange> {
  for (let seed = first; seed < first + seeds; seed += SHARE)
    yield { first: seed, count: Math.min(SHARE, first + seeds - seed) };
}

const brokenOnes = () => briefs.filter(({ invariant }) => invariant !== undefined);

await inThreads<SeedRange, SeedResults>(
  new URL('./seeds-worker.ts', import.meta.url),
  ranges(),
  jobs,
  (results) => {
    briefs.push(...results.briefs);
    addCells(cells, results.cells);
    cpuMs += results.cpuMs;
    const broken = brokenOnes().length;
    progress.show(briefs.length, broken);
    return !isStopped && (broken === 0 || values['keep-going']);
  },
);
progress.end();

const seconds = (performance.now() - startedAt) / 1000;
const median = (field: keyof typeof NO_TOY) =>
  briefs.map((one) => one[field]).sort((a, b) => a - b)[Math.floor(briefs.length / 2)] ?? 0;
console.log(
  `${briefs.length} schedules in ${seconds.toFixed(1)} s on ${jobs} threads (${(briefs.length / seconds).toFixed(1)} a second, ` +
    `${((1000 * briefs.length) / cpuMs).toFixed(1)} per second of CPU); median ${median('rds')} Rds, ` +
    `${median('specChanges')} spec changes, ${median('hookCalls')} hook calls, ${median('faults')} faults`,
);
console.log(tellCells(cells));
if (values.cells)
  for (const [cell, count] of [...cells].sort()) console.log(`${String(count).padStart(7)}  ${cell}`);

const broken = brokenOnes();
for (const [invariant, found] of Map.groupBy(broken, (one) => one.invariant ?? '')) {
  const numbers = found.slice(0, 20).map(({ seed }) => seed);
  console.log(
    `\n${found.length} of ${briefs.length} schedules break ${invariant}: seeds ${numbers.join(', ')}`,
  );
  const [smallest] = found.toSorted((a, b) => a.faults - b.faults);
  if (smallest) await explain(smallest.seed);
}
const silent = values['every-cell'] ? silentCells(cells, PLANNED_SITES) : [];
if (silent.length > 0) console.log(`\nthese cells never fired: ${silent.join(', ')}`);
const fields = Object.keys(NO_TOY) as (keyof typeof NO_TOY)[];
const toys = values['every-cell'] ? fields.filter((field) => median(field) < NO_TOY[field]) : [];
if (toys.length > 0) console.log(`\nschedules are toys, they have too few of: ${toys.join(', ')}`);
const isCrowded = values['every-cell'] && median('rds') > MOST_RDS;
if (isCrowded) console.log(`\nschedules are crowded: more than ${MOST_RDS} Rds`);
if (broken.length > 0 || silent.length > 0 || toys.length > 0 || isCrowded) process.exit(1);
console.log('no invariant was violated');

async function explain(seed: number): Promise<void> {
  const found = await runSchedule(seed);
  const { result, without } = await shrinkSeed(found);
  console.log(tellStory(found, result));
  if (values.keep !== undefined) console.log(`kept as ${keepSchedule(values.keep, result)}`);
  if (!values.story) return;
  console.log('\nthe last moments of the shrunk schedule:');
  console.log(lastLines(await runSchedule(seed, { without, keepLines: true })));
}
