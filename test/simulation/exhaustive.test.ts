// Every single fault at every call site of each operation, all pairs for create and delete, and the proof that every
// (call site, fault) cell of the wires fired.

import t from 'tap';
import { addCells, type Cells, cellsOf, silentCells, WIRE_SITES } from './cells.ts';
import type { Job, Result } from './exhaustive-worker.ts';
import { SCENARIOS } from './scenarios.ts';
import { inThreads } from './threads.ts';

const THREADS = 2;
/** Small enough that no thread is left alone with a long one. */
const SHARES = 6;
const jobs: Job[] = [
  ...['create', 'delete with backup'].flatMap((scenario) =>
    Array.from({ length: SHARES }, (_, part) => ({ scenario, pairs: { part, of: SHARES } })),
  ),
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
  const share = job.pairs ? `pairs of faults, part ${job.pairs.part + 1}` : 'every single fault';
  t.test(`${job.scenario}: ${share}`, async (t) => {
    t.ok(runs > 0, `${runs} runs`);
    t.same(found, []);
  });
  addCells(fired, cells);
}

t.test('every cell fired', async (t) => {
  t.comment(`${cellsOf(WIRE_SITES).length} cells`);
  t.same(silentCells(fired, WIRE_SITES), []);
});
