// Every single fault at every call site of each operation, pairs for create and delete, and the proof that every
// (call site, fault) cell of the wires fired. SIMULATE_PAIRS=1 tries all pairs, else every n-th.

import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import t from 'tap';
import { type Cells, cellsOf, silentCells, WIRE_SITES } from './cells.ts';
import type { Job, Result } from './exhaustive-worker.ts';
import { SCENARIOS } from './scenarios.ts';

const THREADS = 2;
const pairsEvery = process.env.SIMULATE_PAIRS === '1' ? 1 : 12;
const jobs: Job[] = [
  ...['create', 'delete with backup'].map((scenario) => ({ scenario, pairsEvery })),
  ...SCENARIOS.map(({ name }) => ({ scenario: name })),
];

async function runAll(): Promise<Map<Job, Result>> {
  const results = new Map<Job, Result>();
  const waiting = [...jobs];
  await Promise.all(
    Array.from({ length: THREADS }, async () => {
      const worker = new Worker(new URL('./exhaustive-worker.ts', import.meta.url), { execArgv: [] });
      for (let job = waiting.shift(); job; job = waiting.shift()) {
        worker.postMessage(job);
        const [result] = await once(worker, 'message');
        results.set(job, result as Result);
      }
      await worker.terminate();
    }),
  );
  return results;
}

const results = await runAll();
const fired: Cells = new Map();

for (const [job, { runs, found, cells }] of results) {
  t.test(`${job.scenario}: ${job.pairsEvery ? 'pairs of faults' : 'every single fault'}`, async (t) => {
    t.ok(runs > 0, `${runs} runs`);
    t.same(found, []);
  });
  for (const [cell, count] of cells) fired.set(cell, (fired.get(cell) ?? 0) + count);
}

t.test('every cell fired', async (t) => {
  t.comment(`${cellsOf(WIRE_SITES).length} cells`);
  t.same(silentCells(fired, WIRE_SITES), []);
});
