// Every single fault at every call site of each operation, pairs for create and delete, and the proof that every
// (call site, fault) cell of the wires fired. SIMULATE_PAIRS=1 tries all pairs, else every n-th.

import t from 'tap';
import { addCells, type Cells, cellsOf, silentCells, WIRE_SITES } from './cells.ts';
import type { Job, Result } from './exhaustive-worker.ts';
import { SCENARIOS } from './scenarios.ts';
import { inThreads } from './threads.ts';

const THREADS = 2;
const pairsEvery = process.env.SIMULATE_PAIRS === '1' ? 1 : 6;
const jobs: Job[] = [
  ...['create', 'delete with backup'].map((scenario) => ({ scenario, pairsEvery })),
  ...SCENARIOS.map(({ name }) => ({ scenario: name })),
];

const results = new Map<Job, Result>();
await inThreads<Job, Result>(
  new URL('./exhaustive-worker.ts', import.meta.url),
  jobs,
  THREADS,
  (result, job) => results.set(job, result).size > 0,
);
const fired: Cells = new Map();

for (const [job, { runs, found, cells }] of results) {
  t.test(`${job.scenario}: ${job.pairsEvery ? 'pairs of faults' : 'every single fault'}`, async (t) => {
    t.ok(runs > 0, `${runs} runs`);
    t.same(found, []);
  });
  addCells(fired, cells);
}

t.test('every cell fired', async (t) => {
  t.comment(`${cellsOf(WIRE_SITES).length} cells`);
  t.same(silentCells(fired, WIRE_SITES), []);
});
